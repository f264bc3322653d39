"""Hands out the numbers from 0 to limit - 1, epoch after epoch.

Legacy:
    queue = tf.train.range_input_producer(5, num_epochs=2, shuffle=False)
    index = queue.dequeue()

Modern:
    dataset = tf.data.Dataset.range(5, output_type=tf.int32).repeat(2)

Emits:
    int32, shape ()

Differs:
    `Dataset.range` counts in int64 unless told otherwise. With shuffle=True the numbers of one
    epoch are shuffled as a whole: `shuffle(limit)` before `repeat`.

Raises:
    OutOfRangeError: after the last number of the last epoch.

A range is the queue model's index: shuffle the numbers, then gather the rows they name.

Source:
    tf.train.range_input_producer of TensorFlow 1.15
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.eager import refuse_eager
from queueio.graph.summaries import fraction_full
from queueio.stages.filenames.input_producer import input_producer

v1 = tf.compat.v1


def range_input_producer(
    limit: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Outputs the integers from 0 to `limit - 1` to a queue.

    Args:
      limit: an int32 scalar.
      num_epochs: how often each integer is produced; None for ever. The count is a local variable.
      shuffle: whether the integers are shuffled within each epoch.
      seed: seed of that shuffle.
      capacity: how many integers the queue holds.
      shared_name: the queue's name across the sessions of a cluster.
      name: name of the scope (default "input_producer").

    Returns:
      A queue of int32 scalars; its `QueueRunner` is in the collection QUEUE_RUNNERS.

    Raises:
      RuntimeError: eager execution is on.
    """
    refuse_eager("range_input_producer")
    with v1.name_scope(name, "input_producer", [limit]) as scope:
        return input_producer(
            tf.range(limit),
            element_shape=[],
            num_epochs=num_epochs,
            shuffle=shuffle,
            seed=seed,
            capacity=capacity,
            shared_name=shared_name,
            summary_name=fraction_full(capacity),
            name=scope,
        )
