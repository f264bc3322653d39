"""train.shuffle_batch_join: several producers into one pool."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import train

v1 = tf.compat.v1


def test_no_producers_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        train.shuffle_batch_join([], 2, 10, 3)


def test_capacity_must_exceed_the_minimum() -> None:
    with pytest.raises(ValueError, match="capacity"):
        train.shuffle_batch_join([[tf.constant(1)]], 2, 3, 4)


def test_shapes_must_agree() -> None:
    with pytest.raises(ValueError, match=r"2.*3"):
        train.shuffle_batch_join([[tf.zeros([2])], [tf.zeros([3])]], 2, 10, 3)


def test_keys_must_agree() -> None:
    with pytest.raises(ValueError, match="keys"):
        train.shuffle_batch_join([{"a": tf.zeros([])}, {"b": tf.zeros([])}], 2, 10, 3)


def test_every_example_of_every_producer_comes_once(examples: Any, numbers: Any) -> None:
    lists = [[numbers(9)], [100 + numbers(5)]]
    got = examples(train.shuffle_batch_join(lists, 2, 10, 4))
    assert sorted(got) == [*range(9), *range(100, 105)]


def test_the_tail_is_kept_where_asked(values: Any, numbers: Any) -> None:
    lists = [[numbers(3)], [numbers(2)]]
    batch = train.shuffle_batch_join(lists, 2, 10, 4, allow_smaller_final_batch=True)
    assert sorted(len(step) for step in values(batch)) == [1, 2, 2]


def test_names_and_one_enqueue_op_per_producer(graph: Any) -> None:
    batch = train.shuffle_batch_join([[tf.constant(1)]] * 2, 2, 10, 4)
    assert batch.name == "shuffle_batch_join:0"
    (runner,) = graph.get_collection(v1.GraphKeys.QUEUE_RUNNERS)
    assert runner.name == "shuffle_batch_join/random_shuffle_queue"
    assert len({op.name for op in runner.enqueue_ops}) == 2
