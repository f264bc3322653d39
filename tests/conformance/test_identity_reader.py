"""io.IdentityReader: the names themselves, as key and value."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import io, train

v1 = tf.compat.v1


def test_eager_execution_is_refused(eager: None) -> None:
    with pytest.raises(RuntimeError, match="eager"):
        io.IdentityReader()


def test_a_state_that_is_none_of_its_own_is_refused(session: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(io.IdentityReader().restore_state("nonsense"))


def test_key_and_value_are_the_name(read: Any) -> None:
    queue = train.string_input_producer(["b", "a"], num_epochs=1, shuffle=False)
    assert read(io.IdentityReader().read(queue)) == [(b"b", b"b"), (b"a", b"a")]


def test_state_can_be_saved_and_restored(session: Any) -> None:
    queue = train.string_input_producer(["a", "b"], shuffle=False)
    reader = io.IdentityReader()
    assert reader.supports_serialize
    read, produced = reader.read(queue), reader.num_records_produced()
    train.start_queue_runners(session)
    session.run(read)
    state = session.run(reader.serialize_state())
    session.run(read)
    assert session.run(produced) == 2
    session.run(reader.restore_state(state))
    assert session.run(produced) == 1


def test_its_name_is_that_of_its_op() -> None:
    assert io.IdentityReader(name="mine").reader_ref.op.name == "mine"
    assert io.IdentityReader().reader_ref.op.type == "IdentityReaderV2"
