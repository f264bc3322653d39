"""train.maybe_shuffle_batch_join: several producers, a pool and a condition."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import train

v1 = tf.compat.v1


def test_an_unknown_rank_is_refused() -> None:
    keep = v1.placeholder(tf.bool)
    with pytest.raises(ValueError, match="keep_input"):
        train.maybe_shuffle_batch_join([[tf.constant(1)]], 2, 10, 2, keep)


def test_capacity_must_exceed_the_minimum() -> None:
    with pytest.raises(ValueError, match="capacity"):
        train.maybe_shuffle_batch_join([[tf.constant(1)]], 2, 2, 2, True)


def test_a_true_scalar_keeps_all(examples: Any, numbers: Any) -> None:
    keep = v1.placeholder_with_default(True, [])
    lists = [[numbers(3)], [10 + numbers(3)]]
    got = examples(train.maybe_shuffle_batch_join(lists, 2, 10, 2, keep))
    assert sorted(got) == [0, 1, 2, 10, 11, 12]


def test_a_vector_keeps_the_same_rows_of_every_producer(examples: Any, numbers: Any) -> None:
    keep = v1.placeholder_with_default([True, False], [2])
    lists = [[tf.range(2) + 10 * numbers(2)], [tf.range(2) + 100 + 10 * numbers(2)]]
    batch = train.maybe_shuffle_batch_join(lists, 2, 10, 1, keep, enqueue_many=True)
    assert sorted(examples(batch)) == [0, 10, 100, 110]


def test_names_are_those_of_shuffle_batch_join() -> None:
    batch = train.maybe_shuffle_batch_join([[tf.constant(1)]], 2, 10, 2, True)
    assert batch.name == "shuffle_batch_join:0"
