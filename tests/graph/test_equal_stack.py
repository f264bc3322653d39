"""`tf.stack` of equal tensors, in what takes the place of the queues."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio

v1 = tf.compat.v1
ROWS = np.arange(24, dtype=np.float32).reshape(6, 4)


def _parts(value: Any, how: int) -> list[Any]:
    """Several outputs of one op, of the entries of a vector of four."""
    if how == 0:
        line = tf.strings.join(tf.unstack(tf.strings.as_string(value)), ",")
        return list(tf.io.decode_csv(line, [[0.0]] * 4))
    if how == 1:
        return list(tf.split(value, 4))
    if how == 2:
        return [tf.reshape(part, [1, 1]) for part in tf.unstack(value)]
    return list(tf.unstack(value))


@pytest.mark.parametrize("seed", range(12))
def test_equal_tensors_are_stacked_whichever_output_of_an_op_they_are(seed: int) -> None:
    drawn = random.Random(seed)
    how, number, copies = seed % 4, drawn.randrange(1, 4), drawn.randrange(2, 5)
    rank = (0, 1, 2, 0)[how]
    axis = drawn.randrange(-rank - 1, rank + 1)
    twice, handed_on, behind = (drawn.random() < 0.5 for _ in range(3))

    def stacked(value: Any) -> Any:
        parts = [_parts(value, how) for _ in range(copies if twice else 1)]
        equal = [parts[n % len(parts)][number] for n in range(copies)]
        return tf.stack([tf.identity(t) for t in equal] if handed_on else equal, axis) * 2.0

    def build() -> Any:
        row = queueio.train.input_producer(tf.constant(ROWS), num_epochs=1, shuffle=False).dequeue()
        if behind:
            (whole,) = [queueio.train.batch([row], 1)]
            return stacked(whole[0]), whole
        return queueio.train.batch([stacked(row), row], 1)

    plan = queueio.lift(build)
    scope: dict[str, Any] = {}
    exec(str(plan.to_source()), scope)
    for dataset in plan.to_dataset(), plan.to_dataset(vectorise=False), scope["input_fn"]():
        for place, (made, row) in enumerate(dataset.as_numpy_iterator()):
            shape = [1] * rank
            expected = np.stack([np.full(shape, ROWS[place, number])] * copies, axis) * 2
            np.testing.assert_array_equal(made.reshape(expected.shape), expected)
            np.testing.assert_array_equal(row, ROWS[place : place + 1])
        assert place == len(ROWS) - 1
