"""The ops with which the thread of a batch in the data engine puts batches into their queue.

A call of a session costs more than a small batch, and so does each call of the iterator. So one
step makes several batches: each by a call of the iterator, or all in one, where it gives them in
stacks. Either way they go into the queue one after the other and are counted as they arrive: a
step that is stopped half way has put in so many, and no others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import tensorflow as tf

from queueio.data_engine.position import Position


class Steps(NamedTuple):
    """What makes batches.

    Attributes:
      enqueue: an op that puts a batch into the queue.
      ops: the n-th makes n + 1 batches; one op only, where batches come in stacks.
      waiting: for each of them, how many batches are ready after it (int32 scalar).
      most: how many batches a step can make.
      made: how many batches a step made, where only the stack tells; else None.
    """

    enqueue: Any
    ops: list[Any]
    waiting: list[Any]
    most: int
    made: Any = None


def one_by_one(
    next_batch: Callable[[], list[Any]], ready: Any, place: Position, most: int
) -> Steps:
    """Steps of up to `most` batches, each of which `next_batch` makes from the iterator."""
    steps: list[Any] = []
    waiting: list[Any] = []
    for _ in range(most):
        with tf.control_dependencies(steps[-1:]):
            made = next_batch()
        with tf.control_dependencies(place.advance(made)):
            enqueue = ready.enqueue(made, name="enqueue_made")
        steps.append(place.arrives(enqueue))
        with tf.control_dependencies(steps[-1:]):
            waiting.append(ready.size())
    return Steps(enqueue, steps, waiting, most)


def in_stacks(made: list[Any], ready: Any, place: Position, most: int) -> Steps:
    """The step that takes a stack of up to `most` batches apart: `made`, each tensor [k, ...]."""
    count = tf.shape(made[0], tf.int64)[0]
    there = tf.cast(tf.range(most, dtype=tf.int64) < count, tf.int64)
    parts = [tf.split(tensor, there, num=most) for tensor in made]
    last, enqueues = place.advance_many(made, count), []
    for *part, number in zip(*parts, tf.unstack(there), strict=True):
        with tf.control_dependencies(last):
            enqueues.append(ready.enqueue_many(part, name="enqueue_made"))  # one, or none
        last = [place.arrives(enqueues[-1], number)]
    with tf.control_dependencies(last):
        waiting = ready.size()
    return Steps(enqueues[0], last, [waiting], most, count)
