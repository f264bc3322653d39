"""io.FIFOQueue: first in, first out."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import io

v1 = tf.compat.v1


def test_as_many_shapes_as_dtypes() -> None:
    with pytest.raises(ValueError, match="shapes"):
        io.FIFOQueue(5, [tf.int32], [[], []])


def test_another_dtype_or_shape_is_refused() -> None:
    queue = io.FIFOQueue(5, [tf.int32], [[2]])
    with pytest.raises((TypeError, ValueError)):
        queue.enqueue([tf.constant([1.5, 2.5])])
    with pytest.raises(ValueError):
        queue.enqueue([[1, 2, 3]])


def test_names_must_be_those_of_the_components() -> None:
    queue = io.FIFOQueue(5, [tf.int32], [[]], names=["n"])
    with pytest.raises(ValueError):
        queue.enqueue({"m": 1})
    with pytest.raises(ValueError):
        queue.enqueue([1])


def test_a_shape_found_wrong_at_run_time_is_an_error(session: Any) -> None:
    value = v1.placeholder_with_default([1, 2, 3], None)
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(io.FIFOQueue(5, [tf.int32], [[2]]).enqueue([value]))


def test_a_closed_queue_takes_nothing_and_gives_what_it_has(session: Any) -> None:
    queue = io.FIFOQueue(5, tf.int32, [[]])
    session.run(queue.enqueue_many([[1, 2, 3]]))
    session.run(queue.close())
    assert session.run(queue.is_closed())
    with pytest.raises(tf.errors.CancelledError):
        session.run(queue.enqueue(4))
    assert session.run(queue.dequeue()) == 1
    with pytest.raises(tf.errors.OutOfRangeError, match="closed and has insufficient elements"):
        session.run(queue.dequeue_many(3))
    assert session.run(queue.dequeue_up_to(3)).tolist() == [2, 3]
    with pytest.raises(tf.errors.OutOfRangeError):
        session.run(queue.dequeue())


def test_elements_come_in_the_order_they_went_in(session: Any) -> None:
    queue = io.FIFOQueue(5, [tf.int32, tf.string], [[], []])
    session.run(queue.enqueue([0, "zero"]))
    session.run(queue.enqueue_many([[1, 2], ["one", "two"]]))
    assert session.run(queue.size()) == 3
    assert session.run(queue.dequeue()) == [0, b"zero"]
    numbers, words = session.run(queue.dequeue_many(2))
    assert (numbers.tolist(), words.tolist()) == ([1, 2], [b"one", b"two"])


def test_named_components_come_as_a_dict(session: Any) -> None:
    queue = io.FIFOQueue(5, [tf.int32, tf.float32], [[], []], names=["n", "x"])
    session.run(queue.enqueue({"n": 1, "x": 2.5}))
    assert session.run(queue.dequeue()) == {"n": 1, "x": 2.5}


def test_static_shapes() -> None:
    queue = io.FIFOQueue(5, tf.int32, [[3]])
    size = v1.placeholder(tf.int32, [])
    shapes = [queue.dequeue(), queue.dequeue_many(2), queue.dequeue_many(size)]
    assert [t.shape.as_list() for t in shapes] == [[3], [2, 3], [None, 3]]
    assert queue.dequeue_up_to(2).shape.as_list() == [None, 3]


def test_shared_queues_are_one_queue(session: Any) -> None:
    one, two = (io.FIFOQueue(5, tf.int32, [[]], shared_name="shared") for _ in range(2))
    session.run(one.enqueue(7))
    assert session.run(two.dequeue()) == 7


def test_one_of_a_list_is_chosen_at_run_time(session: Any) -> None:
    queues = [io.FIFOQueue(5, tf.int32, [[]]) for _ in range(2)]
    chosen = v1.QueueBase.from_list(v1.placeholder_with_default(1, []), queues)
    session.run(queues[1].enqueue(9))
    assert session.run(chosen.dequeue()) == 9


def test_eagerly_an_enqueue_past_capacity_is_refused_instead_of_waiting(eager: None) -> None:
    queue = io.FIFOQueue(2, [tf.int32], [[]])
    with pytest.raises(ValueError, match="capacity 2"):
        queue.enqueue_many([[1, 2, 3]])


def test_eagerly_a_dequeue_of_too_much_is_refused_instead_of_waiting(eager: None) -> None:
    queue = io.FIFOQueue(2, [tf.int32], [[]])
    queue.enqueue([1])
    with pytest.raises(ValueError, match="size 1"):
        queue.dequeue_many(2)
    assert int(queue.dequeue()) == 1


def test_its_name_and_type() -> None:
    queue = io.FIFOQueue(5, tf.int32, name="mine")
    assert isinstance(queue, v1.QueueBase)
    assert (queue.name, queue.queue_ref.op.type) == ("mine", "FIFOQueueV2")
    assert queue.dtypes == [tf.int32]
