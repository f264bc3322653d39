"""`tf.parallel_stack`, as TF1's input code used it, gives in datasets what it gave in sessions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import train

v1 = tf.compat.v1


def of_known_shape(number: Any) -> Any:
    return tf.parallel_stack([tf.stack([number, 2 * number]), tf.stack([number, -number])])


def of_promised_shape(number: Any) -> Any:
    (doubled,) = v1.py_func(lambda n: np.stack([n, 2 * n]), [number], [tf.int32])
    doubled.set_shape([2])
    return tf.parallel_stack([doubled, tf.stack([number, -number])])


def in_a_branch(number: Any) -> Any:
    return v1.cond(number < 9, lambda: of_known_shape(number), lambda: tf.zeros([2, 2], tf.int32))


def in_a_loop(number: Any) -> Any:
    def body(n: Any, _: Any) -> Any:
        return n + 1, of_known_shape(number)

    return v1.while_loop(lambda n, _: n < 2, body, [0, tf.zeros([2, 2], tf.int32)])[1]


@pytest.mark.parametrize("make", [of_known_shape, of_promised_shape, in_a_branch, in_a_loop])
def test_it_stacks(make: Callable[[Any], Any]) -> None:
    v1.disable_control_flow_v2()
    try:
        plan = queueio.lift(lambda: _batch(make))
    finally:
        v1.enable_control_flow_v2()
    rows = [row for batch in plan.to_dataset() for row in batch.numpy().tolist()]
    assert rows == [[[n, 2 * n], [n, -n]] for n in range(6)]


def _batch(make: Callable[[Any], Any]) -> Any:
    number = train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    number = v1.string_to_number(tf.as_string(number), tf.int32)  # what works on chunks
    return train.batch([make(number)], 2)


def test_a_promise_that_is_not_kept_fails_as_it_did() -> None:
    def build() -> Any:
        number = train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
        (longer,) = v1.py_func(lambda n: [n, n], [number], [tf.int64])
        longer.set_shape([1])
        return train.batch([tf.reduce_sum(tf.parallel_stack([longer, longer]))], 1)

    with pytest.raises(tf.errors.InvalidArgumentError):
        list(queueio.lift(build).to_dataset())
