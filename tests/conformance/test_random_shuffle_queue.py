"""io.RandomShuffleQueue: any element, but never the last min_after_dequeue."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import io

v1 = tf.compat.v1


def test_the_minimum_must_be_below_the_capacity(session: Any) -> None:
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        session.run(io.RandomShuffleQueue(3, 3, [tf.int32], [[]]).size())


def test_another_dtype_is_refused() -> None:
    with pytest.raises((TypeError, ValueError)):
        io.RandomShuffleQueue(3, 1, [tf.int32], [[]]).enqueue([1.5])


def test_while_open_it_keeps_the_minimum(graph: Any) -> None:
    queue = io.RandomShuffleQueue(9, 3, [tf.int32], [[]])
    fill, two = queue.enqueue_many([[1, 2, 3, 4]]), queue.dequeue_many(2)
    with v1.Session(config=v1.ConfigProto(operation_timeout_in_ms=300)) as session:
        session.run(fill)
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(two)


def test_once_closed_it_gives_all(session: Any) -> None:
    queue = io.RandomShuffleQueue(9, 3, [tf.int32], [[]])
    session.run(queue.enqueue_many([[1, 2, 3, 4]]))
    session.run(queue.close())
    assert sorted(session.run(queue.dequeue_many(4))) == [1, 2, 3, 4]
    with pytest.raises(tf.errors.OutOfRangeError, match="insufficient elements"):
        session.run(queue.dequeue())


def test_elements_are_mixed(session: Any) -> None:
    queue = io.RandomShuffleQueue(100, 0, [tf.int32], [[]], seed=1)
    session.run(queue.enqueue_many([list(range(50))]))
    got = session.run(queue.dequeue_many(50)).tolist()
    assert sorted(got) == list(range(50)) and got != list(range(50))


def test_components_stay_together(session: Any) -> None:
    queue = io.RandomShuffleQueue(100, 0, [tf.int32, tf.int32], [[], []])
    session.run(queue.enqueue_many([list(range(20)), [n * n for n in range(20)]]))
    numbers, squares = session.run(queue.dequeue_many(20))
    assert squares.tolist() == (numbers**2).tolist()


def test_eagerly_a_dequeue_below_the_minimum_is_refused_instead_of_waiting(eager: None) -> None:
    queue = io.RandomShuffleQueue(9, 3, [tf.int32], [[]])
    queue.enqueue_many([[1, 2, 3]])
    with pytest.raises(ValueError, match="size 3"):
        queue.dequeue()


def test_its_name_type_and_attributes() -> None:
    queue = io.RandomShuffleQueue(9, 3, [tf.int32], [[]], None, 5, "shared", "mine")
    op = queue.queue_ref.op
    assert isinstance(queue, v1.QueueBase)
    assert (queue.name, op.type) == ("mine", "RandomShuffleQueueV2")
    names = ("capacity", "min_after_dequeue", "seed2", "shared_name")
    assert [op.get_attr(name) for name in names] == [9, 3, 5, b"shared"]
