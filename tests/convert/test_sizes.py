"""A batch size that the script gives as a tensor is a number for input_fn."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import tensorflow as tf

from queueio import lift
from queueio.convert.sizes import as_number, size_for
from queueio.lift.pipelines import pipelines

SIZES: dict[str, Any] = {
    "a number": (lambda: 4, {}, ""),
    "a number that may change": (lambda: 4, {"batch_size": "FLAGS.n"}, ""),
    "a tensor": (lambda: tf.constant(4), {}, "4"),
    "a tensor that is computed": (lambda: tf.cast(tf.constant(4.0), tf.int32), {}, "4"),
    "a tensor of what may change": (
        lambda: tf.constant(4), {"batch_size": "tf.constant(FLAGS.n)"}, "FLAGS.n"),
    "a tensor that may change": (lambda: tf.constant(4), {"batch_size": "size"}, None),
}  # fmt: skip
CALLS: dict[str, Any] = {
    "batch": lambda x, n: tf.compat.v1.train.batch([x], n),
    "batch_join": lambda x, n: tf.compat.v1.train.batch_join([[x]], n, name="mine"),
    "shuffle_batch": lambda x, n: tf.compat.v1.train.shuffle_batch(
        [x], n, 40, 10, allow_smaller_final_batch=True),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("size", SIZES)
def test_a_tensor_gives_way_to_its_number(size: str, call: str) -> None:
    made, passed, wanted = SIZES[size]
    with tf.Graph().as_default() as graph, tf.name_scope("inputs"):
        number = tf.compat.v1.train.range_input_producer(9, num_epochs=1).dequeue()
        batch = CALLS[call](number, made())
        (found,) = pipelines(graph)
        assert size_for(SimpleNamespace(op=found.op, plan=lift(batch)), passed) == wanted


@pytest.mark.parametrize("count", [None, 5])
def test_a_reader_that_nobody_batches_has_no_batch_size(count: int | None) -> None:
    train, reader = tf.compat.v1.train, tf.compat.v1.TextLineReader
    with tf.Graph().as_default() as graph:
        queue = train.string_input_producer(["a.csv"])
        record = (reader().read(queue) if count is None else reader().read_up_to(queue, count))[1]
        (found,) = pipelines(graph)
        assert size_for(SimpleNamespace(op=found.op, plan=lift(record)), {}) == ""


def test_only_a_tensor_made_of_one_number_shows_it() -> None:
    assert as_number("tf.constant(value=FLAGS.n, dtype=tf.int32)") == "FLAGS.n"
    assert as_number("tf.cast(n, tf.int32)") == as_number("n") == as_number("f(4)") == ""
