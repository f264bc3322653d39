"""train.limit_epochs: a tensor that can be evaluated so many times."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import train

v1 = tf.compat.v1


@pytest.mark.parametrize("num_epochs", [0, -1])
def test_a_number_that_is_not_positive_is_refused(num_epochs: int) -> None:
    with pytest.raises(ValueError, match=str(num_epochs)):
        train.limit_epochs(tf.constant(1), num_epochs=num_epochs)


def test_an_uninitialised_counter_is_an_error(session: Any) -> None:
    limited = train.limit_epochs(tf.constant(1), num_epochs=1)
    with pytest.raises((tf.errors.FailedPreconditionError, tf.errors.NotFoundError)):
        session.run(limited)


def test_no_limit_gives_the_very_tensor() -> None:
    tensor = tf.constant(1)
    assert train.limit_epochs(tensor) is tensor
    assert train.limit_epochs(tensor, num_epochs=None) is tensor


def test_after_the_last_time_it_is_out_of_range(values: Any) -> None:
    assert values(train.limit_epochs(tf.constant([1, 2]), num_epochs=3)) == [[1, 2]] * 3


def test_the_counter_is_a_local_int64_named_epochs(graph: Any) -> None:
    limited = train.limit_epochs(tf.constant(1), num_epochs=1, name="mine")
    (counter,) = graph.get_collection(v1.GraphKeys.LOCAL_VARIABLES)
    assert (counter.op.name, counter.dtype.base_dtype) == ("mine/epochs", tf.int64)
    assert counter.shape.as_list() == []
    assert limited.name == "mine:0"


def test_the_initialiser_starts_the_count_anew(session: Any) -> None:
    limited = train.limit_epochs(tf.constant(1), num_epochs=1)
    for _ in range(2):
        session.run(v1.local_variables_initializer())
        assert session.run(limited) == 1
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(limited)
