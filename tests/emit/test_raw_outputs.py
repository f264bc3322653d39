"""Ops without a public name, whose outputs come in lists or one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import tensorflow as tf

import queueio

v1 = tf.compat.v1
raw = tf.raw_ops


def halves(number: Any) -> Any:
    row = tf.stack([number, number + 1])
    split = raw.SparseSplit(
        split_dim=tf.constant(0, tf.int64), indices=tf.constant([[0], [3]], tf.int64),
        values=row, shape=tf.constant([4], tf.int64), num_split=2,
    )  # fmt: skip
    # indices [0] and [1], each in its half
    return tf.stack([split.output_values[0][0] * 10, split.output_values[1][0]])


def whole(number: Any) -> Any:
    split = raw.SparseSplit(
        split_dim=tf.constant(0, tf.int64), indices=tf.constant([[0], [3]], tf.int64),
        values=tf.stack([number * 10, number + 1]), shape=tf.constant([4], tf.int64), num_split=1,
    )  # fmt: skip
    return tf.ensure_shape(split.output_values[0], [2])


def gathered(number: Any) -> Any:
    rows = tf.RaggedTensor.from_row_lengths(tf.stack([number + 1, number * 10]), [1, 1])
    return tf.ensure_shape(tf.gather(rows, [1, 0]).flat_values, [2])


def only_one(number: Any) -> Any:
    (same,) = raw.IdentityN(input=[tf.stack([number * 10, number + 1])])
    (shape,) = raw.ShapeN(input=[tf.stack([number])])
    return same * shape


def no_axis(number: Any) -> Any:
    none = tf.zeros([0], tf.int32)
    row = tf.stack([number * 10, number + 1])
    return raw.StridedSlice(input=row, begin=none, end=none, strides=none)


def second_shape(number: Any) -> Any:
    shapes = raw.ShapeN(input=[tf.stack([number]), tf.stack([number, number])])
    return tf.stack([number * 10, number + 1]) * shapes[1] // shapes[1]


@pytest.mark.parametrize("made", [halves, whole, gathered, only_one, no_axis, second_shape])
@pytest.mark.parametrize("way", ["plain", "fast", "dataset"])
def test_each_output_is_the_one_that_the_graph_had(made: Callable[[Any], Any], way: str) -> None:
    def build() -> Any:
        number = v1.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()
        return v1.train.batch([made(number)], 3)

    plan = queueio.lift(build)
    if way == "dataset":
        dataset: Any = plan.to_dataset()
    else:
        scope: dict[str, Any] = {"__name__": "written"}
        exec(str(plan.to_source(style=way)), scope)
        dataset = scope["input_fn"]()
    assert [batch.tolist() for batch in dataset.as_numpy_iterator()] == [[[0, 1], [10, 2], [20, 3]]]
