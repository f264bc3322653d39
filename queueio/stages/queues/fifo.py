"""Holds examples in the order in which they came.

Legacy:
    queue = tf.FIFOQueue(capacity=10, dtypes=[tf.int32], shapes=[[]])
    runner = tf.train.QueueRunner(queue, [queue.enqueue(tf.constant(7))])
    tf.train.add_queue_runner(runner)
    value = queue.dequeue()

Modern:
    dataset = tf.data.Dataset.from_tensors(tf.constant(7)).repeat().prefetch(10)

Emits:
    the dtypes and shapes of its elements

Differs:
    A queue decouples threads and holds up to `capacity` elements; so does `prefetch`, which has
    no name, no size to ask for, and one consumer. With several enqueueing threads the order
    between them is a matter of luck; `interleave` makes it a rule.

Raises:
    OutOfRangeError: the queue is closed and holds fewer elements than asked for.
    CancelledError: it was closed with `cancel_pending_enqueues`.
    ValueError: in eager mode, where a call would wait for ever.

With one enqueueing thread and no shuffling before it, the stream is the same in every run.

Source:
    tf.FIFOQueue of TensorFlow 1.15
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.plan import Node, Walk, lifts
from queueio.stages.queues.eager_safe import EagerSafe
from queueio.stages.queues.example_queue import ExampleQueue, common_fields


class FIFOQueue(EagerSafe, tf.queue.FIFOQueue):
    """First in, first out; see `tf.queue.FIFOQueue`, which it extends."""

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ) -> None:
        """Makes the queue.

        Args:
          capacity: how many elements it holds.
          dtypes: the dtype of each component.
          shapes: the shape of each component; without them only single elements are dequeued.
          names: a name for each component, for elements that are dicts.
          shared_name: its name across the sessions of a cluster.
          name: name of the op.
        """
        super().__init__(capacity, dtypes, shapes, names, shared_name, name)
        self._capacity = capacity


@lifts("FIFOQueue", "FIFOQueueV2")
def lift(op: Any, walk: Walk) -> Node:
    """A FIFO queue."""
    return ExampleQueue(**common_fields(op, walk))
