"""Collects examples into batches, in the order of their arrival.

Legacy:
    value = tf.train.range_input_producer(5, num_epochs=1, shuffle=False).dequeue()
    batch = tf.train.batch([value], batch_size=2, allow_smaller_final_batch=True)

Modern:
    dataset = tf.data.Dataset.range(5, output_type=tf.int32).batch(2)

Emits:
    per tensor its dtype and its shape with batch_size in front

Differs:
    The tail of fewer than batch_size examples is dropped here unless allow_smaller_final_batch
    is set, kept there unless `drop_remainder=True` is. Batches run across the borders of epochs:
    `repeat` before `batch`. With num_threads over 1 the order is a matter of luck; `map` with
    num_parallel_calls keeps it.

Raises:
    ValueError: "All shapes must be fully defined" without dynamic_pad; empty input; eager mode.
    OutOfRangeError: when fewer than batch_size examples are left.

The queue is `<scope>/fifo_queue` or `<scope>/padding_fifo_queue`, the batch `<scope>:0`, …; the
summary `fraction_of_<capacity>_full` is the queue's size over its capacity.

Source:
    tf.train.batch of TensorFlow 1.15, and maybe_batch, batch_join, maybe_batch_join
"""

from __future__ import annotations

from typing import Any, NamedTuple

import tensorflow as tf

from queueio.graph.summaries import fraction_full, per_place
from queueio.stages.batching.pipeline import Batching, build

v1 = tf.compat.v1


class Ordered(NamedTuple):
    """A queue that keeps the order, and pads where asked."""

    capacity: int
    dynamic_pad: bool

    def make(self, dtypes: list[Any], shapes: list[Any], shared_name: str | None) -> Any:
        """The FIFO or padding queue."""
        kind = tf.queue.PaddingFIFOQueue if self.dynamic_pad else tf.queue.FIFOQueue
        return kind(self.capacity, dtypes, shapes, shared_name=shared_name)

    def summarize(self, queue: Any) -> None:
        """The queue's size as a fraction of its capacity."""
        fraction = tf.cast(queue.size(), tf.float32) * per_place(self.capacity)
        v1.summary.scalar(fraction_full(self.capacity), fraction)


def batch(
    tensors: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Collects examples into batches, in the order of their arrival.

    Args:
      tensors: a list or dict of tensors (dense or sparse): one example, or with
        `enqueue_many` a number of them as rows.
      batch_size: how many examples make a batch; an integer or an int32 scalar.
      num_threads: how many threads enqueue. With more than one the order is not defined.
      capacity: how many examples the queue holds.
      enqueue_many: whether the tensors' first dimension counts examples.
      shapes: the shape of each tensor of one example, where it is not known.
      dynamic_pad: whether unequal examples are padded to the longest of their batch.
      allow_smaller_final_batch: whether the examples left over at the end become a last,
        smaller batch; else they are dropped. With it the batch dimension is unknown.
      shared_name: the queue's name across the sessions of a cluster.
      name: name of the scope and of the dequeue op (default "batch").

    Returns:
      The batch: a list or dict like `tensors`, each with a leading dimension `batch_size`;
      for a list of one, that tensor. The queue's runner is in QUEUE_RUNNERS.

    Raises:
      ValueError: shapes are not fully defined; eager execution is on; the inputs are empty or
        disagree.
      OutOfRangeError: at run time, when fewer than `batch_size` examples are left.
    """
    return build(
        "batch",
        [tensors],
        Batching(batch_size, enqueue_many, shapes, allow_smaller_final_batch, shared_name, name),
        Ordered(capacity, dynamic_pad),
        num_threads=num_threads,
    )


def maybe_batch(
    tensors: Any,
    keep_input: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Collects those examples into batches that `keep_input` lets in.

    Args:
      keep_input: bool scalar: whether to enqueue; with `enqueue_many` also a vector: which
        rows to enqueue.
      Everything else as for `batch`.

    Returns:
      The batch: a list or dict like `tensors`, each with a leading dimension `batch_size`;
      for a list of one, that tensor. The queue's runner is in QUEUE_RUNNERS.

    Raises:
      As `batch`.
    """
    return build(
        "batch",
        [tensors],
        Batching(batch_size, enqueue_many, shapes, allow_smaller_final_batch, shared_name, name),
        Ordered(capacity, dynamic_pad),
        keep_input=keep_input,
        num_threads=num_threads,
    )


def batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Collects the examples of several producers into batches.

    Args:
      tensors_list: a list of lists or dicts of tensors, one for each producer; each has a thread of
        its own. They must agree in dtypes, shapes and keys.
      Everything else as for `batch`, without its threads.

    Returns:
      The batch: a list or dict like one of `tensors_list`, each with a leading dimension
      `batch_size`; for lists of one, that tensor. The queue's runner is in QUEUE_RUNNERS.

    Raises:
      As `batch`, and TypeError or ValueError where the producers disagree.
    """
    return build(
        "batch_join",
        tensors_list,
        Batching(batch_size, enqueue_many, shapes, allow_smaller_final_batch, shared_name, name),
        Ordered(capacity, dynamic_pad),
    )


def maybe_batch_join(
    tensors_list: Any,
    keep_input: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Collects those examples of several producers that `keep_input` lets in.

    Args:
      tensors_list: a list of lists or dicts of tensors, one for each producer; each has a thread of
        its own. They must agree in dtypes, shapes and keys.
      keep_input: bool scalar: whether to enqueue; with `enqueue_many` also a vector: which
        rows to enqueue.
      Everything else as for `batch`, without its threads.

    Returns:
      The batch: a list or dict like one of `tensors_list`, each with a leading dimension
      `batch_size`; for lists of one, that tensor. The queue's runner is in QUEUE_RUNNERS.

    Raises:
      As `batch`, and TypeError or ValueError where the producers disagree.
    """
    return build(
        "batch_join",
        tensors_list,
        Batching(batch_size, enqueue_many, shapes, allow_smaller_final_batch, shared_name, name),
        Ordered(capacity, dynamic_pad),
        keep_input=keep_input,
    )
