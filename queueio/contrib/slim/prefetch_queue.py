"""Keeps whole batches ready in a queue.

Legacy:
    value = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
    batch = tf.train.batch([value], batch_size=2)
    queue = tf.contrib.slim.prefetch_queue.prefetch_queue([batch])
    values = queue.dequeue()

Modern:
    dataset = tf.data.Dataset.range(4, output_type=tf.int32).batch(2).prefetch(8)

Emits:
    the tensors' dtypes and shapes

Differs:
    The queue itself is what is returned: several towers may each dequeue from it. Of a dict of
    tensors the dequeue is a dict. With several threads the order is a matter of luck.

Raises:
    ValueError: "All shapes must be fully defined" without dynamic_pad.
    OutOfRangeError: at the dequeue after the last batch.

With dynamic_pad the queue is a padding FIFO, which takes tensors of unequal sizes; single elements
are dequeued as they are, so nothing is padded unless `dequeue_many` is called.

Source:
    tf.contrib.slim.prefetch_queue of TensorFlow 1.15
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.graph.summaries import fraction_full, per_place
from queueio.runtime.threads.queue_runner import QueueRunner
from queueio.runtime.threads.start import add_queue_runner
from queueio.stages.queues.fifo import FIFOQueue
from queueio.stages.queues.padding_fifo import PaddingFIFOQueue

v1 = tf.compat.v1


def prefetch_queue(
    tensors: Any,
    capacity: int = 8,
    num_threads: int = 1,
    dynamic_pad: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Keeps tensors ready in a queue, most often the batches of `tf.train.batch`.

    Args:
      tensors: a list or dict of dense tensors.
      capacity: how many of them the queue holds.
      num_threads: how many threads enqueue. With more than one the order is not defined.
      dynamic_pad: whether the tensors may differ in size from one time to the next.
      shared_name: the queue's name across the sessions of a cluster.
      name: name of the scope (default "prefetch_queue").

    Returns:
      The queue. Its `dequeue` gives what `tensors` is: a list (for a list of one, that tensor) or
      a dict. Its runner is in QUEUE_RUNNERS.

    Raises:
      ValueError: a tensor's shape is not known, and `dynamic_pad` is not set.
    """
    keys = sorted(tensors) if isinstance(tensors, dict) else None
    listed = tensors if keys is None else [tensors[key] for key in keys]
    with v1.name_scope(name, "prefetch_queue", listed):
        queue = (PaddingFIFOQueue if dynamic_pad else FIFOQueue)(
            capacity=capacity,
            dtypes=[tensor.dtype for tensor in listed],
            shapes=[tensor.shape for tensor in listed],
            names=keys,
            shared_name=shared_name,
        )
        add_queue_runner(QueueRunner(queue, [queue.enqueue(tensors)] * num_threads))
        fraction = tf.cast(queue.size(), tf.float32) * per_place(capacity)
        v1.summary.scalar(fraction_full(capacity), fraction)
        return queue
