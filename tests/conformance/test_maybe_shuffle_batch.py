"""train.maybe_shuffle_batch: a pool and a condition."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import train

v1 = tf.compat.v1


def test_a_vector_needs_enqueue_many() -> None:
    with pytest.raises(ValueError, match="enqueue_many"):
        train.maybe_shuffle_batch([tf.constant(1)], 2, 10, 2, [True])


def test_capacity_must_exceed_the_minimum() -> None:
    with pytest.raises(ValueError, match="capacity"):
        train.maybe_shuffle_batch([tf.constant(1)], 2, 2, 2, True)


def test_keep_input_is_the_fifth_parameter(examples: Any, numbers: Any) -> None:
    n = numbers(12)
    got = examples(train.maybe_shuffle_batch([n], 2, 10, 2, tf.equal(n % 3, 0)))
    assert sorted(got) == [0, 3, 6, 9]


def test_a_vector_decides_row_by_row(examples: Any, numbers: Any) -> None:
    rows = tf.range(4) + 10 * numbers(3)
    batch = train.maybe_shuffle_batch([rows], 2, 20, 2, rows % 10 < 2, 2, enqueue_many=True)
    assert sorted(examples(batch)) == [0, 1, 10, 11, 20, 21]


def test_sparse_tensors_under_a_scalar(drain: Any, numbers: Any) -> None:
    n = numbers(6)
    row = tf.SparseTensor(tf.zeros([1, 1], tf.int64), tf.reshape(n, [1]), [1])
    steps = drain(train.maybe_shuffle_batch([row], 2, 10, 1, n > 1))
    assert sorted(value for step in steps for value in step.values) == [2, 3, 4, 5]


def test_names_are_those_of_shuffle_batch() -> None:
    keep = v1.placeholder(tf.bool, [])
    assert train.maybe_shuffle_batch([tf.constant(1)], 2, 10, 2, keep).name == "shuffle_batch:0"
