"""Collects examples into batches, drawn at random from a pool.

Legacy:
    value = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    batch = tf.train.shuffle_batch([value], batch_size=2, capacity=10, min_after_dequeue=3)

Modern:
    numbers = tf.data.Dataset.range(6, output_type=tf.int32)
    dataset = numbers.shuffle(3 + 1).batch(2, drop_remainder=True)

Emits:
    per tensor its dtype and its shape with batch_size in front

Differs:
    The pool holds at least min_after_dequeue + batch_size examples when a batch is drawn, so
    `shuffle(min_after_dequeue + 1)` is the smallest buffer that mixes no worse. Examples of
    different epochs mix: `repeat` before `shuffle`. A seed does not make the order reproducible
    here; there it does.

Raises:
    ValueError: capacity does not exceed min_after_dequeue; "All shapes must be fully defined";
    empty input; eager mode.
    OutOfRangeError: when fewer than batch_size examples are left.

The queue is `<scope>/random_shuffle_queue`, the batch `<scope>:0`, …; the summary
`fraction_over_<min>_of_<capacity - min>_full` tells how much of the room above min_after_dequeue is
filled: at 0 the training step waits for the input.

Source:
    tf.train.shuffle_batch of TensorFlow 1.15, and its three sisters
"""

from __future__ import annotations

from typing import Any, NamedTuple

import tensorflow as tf

from queueio.errors import message
from queueio.graph.summaries import fraction_over
from queueio.stages.batching.pipeline import Batching, build

v1 = tf.compat.v1


class Shuffled(NamedTuple):
    """A queue that draws at random from what it holds."""

    capacity: int
    min_after_dequeue: int
    seed: int | None

    def make(self, dtypes: list[Any], shapes: list[Any], shared_name: str | None) -> Any:
        """The random shuffle queue; ValueError if nothing could ever leave it."""
        if self.capacity <= self.min_after_dequeue:
            raise ValueError(
                message(
                    f"capacity {self.capacity} must be bigger than"
                    f" min_after_dequeue {self.min_after_dequeue}",
                    "a full queue could never be read; min_after_dequeue must be < capacity",
                    f"Use capacity={self.min_after_dequeue + 1} or more",
                )
            )
        return tf.queue.RandomShuffleQueue(
            self.capacity,
            self.min_after_dequeue,
            dtypes,
            shapes,
            seed=self.seed,
            shared_name=shared_name,
        )

    def summarize(self, queue: Any) -> None:
        """How much of the room above min_after_dequeue is filled, as a fraction."""
        room = self.capacity - self.min_after_dequeue
        over = tf.maximum(0, queue.size() - self.min_after_dequeue)
        fraction = tf.cast(over, tf.float32) * (1.0 / room)
        v1.summary.scalar(fraction_over(self.min_after_dequeue, self.capacity), fraction)


def shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Collects examples into batches, drawn at random from a pool.

    Args:
      tensors: a list or dict of tensors (dense or sparse): one example, or with
        `enqueue_many` a number of them as rows.
      batch_size: how many examples make a batch; an integer or an int32 scalar.
      capacity: how many examples the queue holds.
      min_after_dequeue: how many examples stay in the queue after a batch was taken, so that
        the next draw is a mixed one.
      num_threads: how many threads enqueue. With more than one the order is not defined.
      seed: seed of the draws from the queue.
      enqueue_many: whether the tensors' first dimension counts examples.
      shapes: the shape of each tensor of one example, where it is not known.
      allow_smaller_final_batch: whether the examples left over at the end become a last,
        smaller batch; else they are dropped. With it the batch dimension is unknown.
      shared_name: the queue's name across the sessions of a cluster.
      name: name of the scope and of the dequeue op (default "shuffle_batch").

    Returns:
      The batch: a list or dict like `tensors`, each with a leading dimension `batch_size`;
      for a list of one, that tensor. The queue's runner is in QUEUE_RUNNERS.

    Raises:
      ValueError: `capacity` does not exceed `min_after_dequeue`; shapes are not fully defined;
        eager execution is on; the inputs are empty or disagree.
      OutOfRangeError: at run time, when fewer than `batch_size` examples are left.
    """
    return build(
        "shuffle_batch",
        [tensors],
        Batching(batch_size, enqueue_many, shapes, allow_smaller_final_batch, shared_name, name),
        Shuffled(capacity, min_after_dequeue, seed),
        num_threads=num_threads,
    )


def maybe_shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Collects at random those examples that `keep_input` lets in.

    Args:
      keep_input: bool scalar: whether to enqueue; with `enqueue_many` also a vector: which
        rows to enqueue.
      Everything else as for `shuffle_batch`.

    Returns:
      The batch: a list or dict like `tensors`, each with a leading dimension `batch_size`;
      for a list of one, that tensor. The queue's runner is in QUEUE_RUNNERS.

    Raises:
      As `shuffle_batch`.
    """
    return build(
        "shuffle_batch",
        [tensors],
        Batching(batch_size, enqueue_many, shapes, allow_smaller_final_batch, shared_name, name),
        Shuffled(capacity, min_after_dequeue, seed),
        keep_input=keep_input,
        num_threads=num_threads,
    )


def shuffle_batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Collects the examples of several producers at random into batches.

    Args:
      tensors_list: a list of lists or dicts of tensors, one for each producer; each has a thread of
        its own. They must agree in dtypes, shapes and keys.
      Everything else as for `shuffle_batch`, without its threads.

    Returns:
      The batch: a list or dict like one of `tensors_list`, each with a leading dimension
      `batch_size`; for lists of one, that tensor. The queue's runner is in QUEUE_RUNNERS.

    Raises:
      As `shuffle_batch`, and TypeError or ValueError where the producers disagree.
    """
    return build(
        "shuffle_batch_join",
        tensors_list,
        Batching(batch_size, enqueue_many, shapes, allow_smaller_final_batch, shared_name, name),
        Shuffled(capacity, min_after_dequeue, seed),
    )


def maybe_shuffle_batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Collects at random those examples of several producers that `keep_input` lets in.

    Args:
      tensors_list: a list of lists or dicts of tensors, one for each producer; each has a thread of
        its own. They must agree in dtypes, shapes and keys.
      keep_input: bool scalar: whether to enqueue; with `enqueue_many` also a vector: which
        rows to enqueue.
      Everything else as for `shuffle_batch`, without its threads.

    Returns:
      The batch: a list or dict like one of `tensors_list`, each with a leading dimension
      `batch_size`; for lists of one, that tensor. The queue's runner is in QUEUE_RUNNERS.

    Raises:
      As `shuffle_batch`, and TypeError or ValueError where the producers disagree.
    """
    return build(
        "shuffle_batch_join",
        tensors_list,
        Batching(batch_size, enqueue_many, shapes, allow_smaller_final_batch, shared_name, name),
        Shuffled(capacity, min_after_dequeue, seed),
        keep_input=keep_input,
    )
