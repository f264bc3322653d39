"""Holds examples of unequal shapes and pads them when they leave as a batch.

Legacy:
    queue = tf.PaddingFIFOQueue(10, dtypes=[tf.int32], shapes=[[None]])
    runner = tf.train.QueueRunner(queue, [queue.enqueue(tf.range(3)), queue.enqueue(tf.range(2))])
    tf.train.add_queue_runner(runner)
    values = queue.dequeue_many(4)

Modern:
    short = tf.data.Dataset.from_tensors(tf.range(2)).repeat()
    long = tf.data.Dataset.from_tensors(tf.range(3)).repeat()
    mixed = tf.data.Dataset.sample_from_datasets([short, long])
    dataset = mixed.padded_batch(4, padded_shapes=[None])

Emits:
    the dtypes of its elements; shapes padded to the longest of the batch

Differs:
    Padding is zero, or the empty string, in both forms. There is no shuffling queue that pads:
    in tf.data, `shuffle` and then `padded_batch`.

Raises:
    ValueError: the rank of a component is not known.

A padded batch is as long as its longest example, so its shape changes from batch to batch.

Source:
    tf.PaddingFIFOQueue of TensorFlow 1.15
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from queueio.plan import Node, Walk, lifts
from queueio.stages.queues.eager_safe import EagerSafe
from queueio.stages.queues.example_queue import ExampleQueue, common_fields


class PaddingFIFOQueue(EagerSafe, tf.queue.PaddingFIFOQueue):
    """First in, first out, padded in batches; see `tf.queue.PaddingFIFOQueue`."""

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ) -> None:
        """Makes the queue.

        Args:
          capacity: how many elements it holds.
          dtypes: the dtype of each component.
          shapes: the shape of each component, None where examples differ; ranks must be known.
          names: a name for each component, for elements that are dicts.
          shared_name: its name across the sessions of a cluster.
          name: name of the op.
        """
        super().__init__(capacity, dtypes, shapes, names, shared_name, name)
        self._capacity = capacity


@dataclass(frozen=True, kw_only=True, eq=False)
class PaddingQueue(ExampleQueue):
    """A queue whose batches are padded; see `Batch`."""

    padding = True
    blind = False


@lifts("PaddingFIFOQueue", "PaddingFIFOQueueV2")
def lift(op: Any, walk: Walk) -> Node:
    """A padding queue."""
    return PaddingQueue(**common_fields(op, walk))
