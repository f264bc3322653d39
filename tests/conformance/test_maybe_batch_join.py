"""train.maybe_batch_join: several producers and a condition."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import train

v1 = tf.compat.v1


def test_a_vector_needs_enqueue_many() -> None:
    with pytest.raises(ValueError, match="enqueue_many"):
        train.maybe_batch_join([[tf.constant(1)]], [True], 2)


def test_an_unknown_rank_is_refused() -> None:
    with pytest.raises(ValueError, match="keep_input"):
        train.maybe_batch_join([[tf.constant(1)]], v1.placeholder(tf.bool), 2)


def test_dtypes_must_agree() -> None:
    with pytest.raises(TypeError, match=r"int32.*float32"):
        train.maybe_batch_join([[tf.constant(1)], [tf.constant(1.0)]], True, 2)


def test_a_true_scalar_keeps_all(examples: Any, numbers: Any) -> None:
    keep = v1.placeholder_with_default(True, [])
    got = examples(train.maybe_batch_join([[numbers(3)], [10 + numbers(3)]], keep, 2))
    assert sorted(got) == [0, 1, 2, 10, 11, 12]


def test_a_vector_keeps_the_same_rows_of_every_producer(examples: Any, numbers: Any) -> None:
    keep = v1.placeholder_with_default([True, False], [2])
    lists = [[tf.range(2) + 10 * numbers(2)], [tf.range(2) + 100 + 10 * numbers(2)]]
    got = examples(train.maybe_batch_join(lists, keep, 2, enqueue_many=True))
    assert sorted(got) == [0, 10, 100, 110]


def test_sparse_tensors_under_a_scalar(drain: Any, numbers: Any) -> None:
    def row(n: Any) -> Any:
        return tf.SparseTensor(tf.zeros([1, 1], tf.int64), tf.reshape(n, [1]), [1])

    keep = v1.placeholder_with_default(True, [])
    batch = train.maybe_batch_join([[row(numbers(2))], [row(10 + numbers(2))]], keep, 2)
    got = sorted(value for step in drain(batch) for value in step.values.tolist())
    assert got == [0, 1, 10, 11]


def test_names_are_those_of_batch_join() -> None:
    keep = v1.placeholder(tf.bool, [])
    assert train.maybe_batch_join([[tf.constant(1)]], keep, 2).name == "batch_join:0"
