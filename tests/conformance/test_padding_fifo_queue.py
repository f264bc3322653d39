"""io.PaddingFIFOQueue: pads the elements of a batch to the longest."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import io

v1 = tf.compat.v1


def test_shapes_are_required() -> None:
    with pytest.raises((TypeError, ValueError)):
        io.PaddingFIFOQueue(5, [tf.int32], None)
    with pytest.raises(ValueError, match="shapes"):
        io.PaddingFIFOQueue(5, [tf.int32], [[], []])


def test_another_rank_is_refused() -> None:
    with pytest.raises(ValueError):
        io.PaddingFIFOQueue(5, [tf.int32], [[None]]).enqueue([[[1]]])


def test_each_batch_is_padded_to_its_longest(session: Any) -> None:
    queue = io.PaddingFIFOQueue(5, [tf.int32, tf.string], [[None], [None]])
    for n in (1, 3, 2):
        session.run(queue.enqueue([[n] * n, ["x"] * n]))
    numbers, words = session.run(queue.dequeue_many(2))
    assert numbers.tolist() == [[1, 0, 0], [3, 3, 3]]
    assert words.tolist() == [[b"x", b"", b""], [b"x", b"x", b"x"]]
    session.run(queue.close())
    assert session.run(queue.dequeue_up_to(2))[0].tolist() == [[2, 2]]


def test_a_single_element_is_not_padded(session: Any) -> None:
    queue = io.PaddingFIFOQueue(5, [tf.int32], [[None]])
    session.run(queue.enqueue([[1]]))
    session.run(queue.enqueue([[1, 2]]))
    assert session.run(queue.dequeue()).tolist() == [1]


def test_its_name_and_type() -> None:
    queue = io.PaddingFIFOQueue(5, [tf.int32], [[None]], name="mine")
    assert isinstance(queue, v1.QueueBase)
    assert (queue.name, queue.queue_ref.op.type) == ("mine", "PaddingFIFOQueueV2")
