"""Assertions that an example waits for are made in a dataset, though no tensor is made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import tensorflow as tf

import queueio
from queueio import train
from queueio.graph.fragment import Fragment

v1 = tf.compat.v1
GOOD = 3
pytestmark = pytest.mark.usefixtures("control_flow")  # tf.Assert makes a cond around the op


def _after(op: Any, tensor: Any) -> Any:
    with tf.control_dependencies([op]):
        return tf.identity(tensor)


def _small(number: Any) -> Any:
    return v1.Assert(number < GOOD, ["too large", number])


def _plain(number: Any) -> Any:
    return _after(_small(number), number) + 1


def _grouped(number: Any) -> Any:
    return _after(tf.group(_small(number), tf.no_op()), number) + 1


def _beside_a_cond(number: Any) -> Any:
    other = v1.cond(number > 1, lambda: 12 // number, lambda: number)
    return _after(_small(number), number) + 1 + 0 * other


def _within_a_cond(number: Any) -> Any:
    return v1.cond(number > 1, lambda: _after(_small(number), number) + 1, lambda: number + 1)


def _in_a_loop(number: Any) -> Any:
    looped = v1.while_loop(lambda n: n < 2, lambda n: _after(_small(number), n) + 1, [0])
    return _after(looped, number) + 1


@pytest.mark.parametrize("compute", [_plain, _grouped, _beside_a_cond, _within_a_cond, _in_a_loop])
@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])  # TensorFlow prunes them differently
def test_a_failing_one_ends_the_examples_where_it_fails(
    compute: Callable[[Any], Any], dtype: tf.DType
) -> None:
    def build() -> Any:
        number = train.input_producer(tf.range(6, dtype=dtype), num_epochs=1, shuffle=False)
        number = number.dequeue()
        return train.batch([compute(number)], 1)

    seen: list[int] = []
    with pytest.raises(tf.errors.InvalidArgumentError, match="too large"):
        for numbers in queueio.lift(build).to_dataset():
            seen += numbers.numpy().tolist()
    assert seen == [1, 2, 3]


def test_what_stands_in_a_branch_is_not_waited_for() -> None:
    with tf.Graph().as_default():
        number = v1.placeholder(tf.int32, [])
        v1.cond(number > 1, lambda: _after(_small(number), number), lambda: number)
        fragment = Fragment.between([number], [number + 1])
        every = tuple(op for op in number.graph.get_operations() if op is not number.op)
        fragment = Fragment(number.graph, (number,), fragment.outputs, (), every)
        with v1.Session() as session:
            (one,) = fragment.call(tf.constant(1))
            assert session.run(one) == 2
