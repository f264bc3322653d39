"""io.PriorityQueue: the element of the lowest number first."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import io

v1 = tf.compat.v1


def test_the_priority_is_a_component() -> None:
    with pytest.raises((TypeError, ValueError)):
        io.PriorityQueue(5, [tf.string], [[]]).enqueue([["no priority"]])


def test_priorities_are_int64() -> None:
    with pytest.raises((TypeError, ValueError)):
        io.PriorityQueue(5, [tf.string], [[]]).enqueue([tf.constant(1.5), "x"])


def test_the_lowest_number_comes_first(session: Any) -> None:
    queue = io.PriorityQueue(5, [tf.string], [[]], name="mine")
    priorities = tf.constant([3, 1, 2], tf.int64)
    session.run(queue.enqueue_many([priorities, ["three", "one", "two"]]))
    assert session.run(queue.dequeue()) == [1, b"one"]
    numbers, words = session.run(queue.dequeue_many(2))
    assert (numbers.tolist(), words.tolist()) == ([2, 3], [b"two", b"three"])


def test_equal_numbers_come_in_an_order_that_is_not_defined(session: Any) -> None:
    queue = io.PriorityQueue(20, [tf.int32], [[]])
    session.run(queue.enqueue_many([tf.zeros([9], tf.int64), list(range(9))]))
    assert sorted(session.run(queue.dequeue_many(9))[1]) == list(range(9))


def test_its_name_and_type() -> None:
    queue = io.PriorityQueue(5, [tf.string], [[]], name="mine")
    assert isinstance(queue, v1.QueueBase)
    assert (queue.name, queue.queue_ref.op.type) == ("mine", "PriorityQueueV2")
    assert queue.dtypes == [tf.int64, tf.string]
