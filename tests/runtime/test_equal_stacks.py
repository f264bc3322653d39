"""`tf.stack` of equal tensors in sessions, where TensorFlow takes another output of their op."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import settings, train

v1 = tf.compat.v1
ROWS = np.arange(8, dtype=np.float32).reshape(4, 2)


def _second(row: Any) -> Any:
    """An output of its op that is not the first."""
    return tf.split(row, 2)[1]


def _kept(value: Any) -> Any:
    return train.maybe_batch([tf.stack([value, value])], tf.reduce_all(value >= 0), 2)


BATCHED = {
    "one by one": lambda value: train.batch([tf.stack([value, value])], 2),
    "as rows": lambda value: train.batch([tf.stack([value] * 2)], 2, enqueue_many=True),
    "where kept": _kept,
    "through an identity": lambda value: train.batch([tf.stack([tf.identity(value), value])], 2),
}


@pytest.mark.parametrize("engine", ["queue", "data"])
@pytest.mark.parametrize("name", BATCHED)
def test_a_queue_runner_puts_in_what_was_stacked(
    name: str, engine: str, v1_behaviour: None
) -> None:
    with tf.Graph().as_default(), settings.override(engine=engine, small_job=0):
        row = train.input_producer(tf.constant(ROWS), num_epochs=1, shuffle=False).dequeue()
        batch = BATCHED[name](_second(row))
        with v1.Session() as session:
            session.run(v1.local_variables_initializer())
            with queueio.running(session):
                first = session.run(batch).ravel().tolist()
    assert first == ([1, 1] if name == "as rows" else [1, 1, 3, 3])


def test_calls_of_the_program_get_what_was_stacked_too(v1_behaviour: None) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        queue = v1.FIFOQueue(9, [tf.float32], [[2]])
        put_in = queue.enqueue_many([tf.constant(ROWS)])
        row = queue.dequeue()
        session.run(put_in)
        assert session.run(row * 1.0).tolist() == [0, 1], "asked when there is no stack yet"
        second = _second(row)
        stacked = tf.stack([second, second]) * 2.0
        assert session.run({"all": stacked})["all"].ravel().tolist() == [6, 6]
        assert session.make_callable(stacked)().ravel().tolist() == [10, 10]
