"""The queues that bucketing.py builds, what fills and empties them, and their two queue runners."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import tensorflow as tf

from queueio.graph.summaries import fraction_full, per_place
from queueio.runtime.threads.queue_runner import QueueRunner
from queueio.runtime.threads.start import add_queue_runner
from queueio.stages.batching.pipeline import _listed
from queueio.stages.queues.keep_if import only_if

v1 = tf.compat.v1
_ENDS = (tf.errors.OutOfRangeError, tf.errors.CancelledError)


class Queues(NamedTuple):
    """The queue of each bucket, and that of the batches."""

    buckets: list[Any]
    top: Any

    @classmethod
    def make(
        cls, dtypes: list[Any], shapes: list[Any], size: int | None, capacity: int,
        capacities: Sequence[int], dynamic_pad: bool, shared_name: str | None,
    ) -> Queues:  # fmt: skip
        """The queues, in the current scope; `size` is that of every batch, if it is known."""
        kind = tf.queue.PaddingFIFOQueue if dynamic_pad else tf.queue.FIFOQueue
        buckets = []
        for i, room in enumerate(capacities):
            shared = None if shared_name is None else f"{shared_name}_{i}"
            named = {"shared_name": shared, "name": f"bucket_queue_{i}"}
            buckets.append(kind(room, dtypes, shapes, **named))
        batched = [tf.TensorShape([size]).concatenate(shape) for shape in buckets[0].shapes]
        top = tf.queue.PaddingFIFOQueue(
            capacity, [tf.int32, *dtypes], [tf.TensorShape([]), *batched],
            shared_name=shared_name, name="top_queue",
        )  # fmt: skip
        return cls(buckets, top)

    def fill(self, tensors: list[Any], which_bucket: Any, keep_input: Any) -> Any:
        """The op that puts an example into its bucket."""

        def into_one() -> Any:
            enqueues = [
                v1.cond(tf.equal(which_bucket, i), partial(queue.enqueue, tensors), tf.no_op)
                for i, queue in enumerate(self.buckets)
            ]
            return tf.group(*enqueues, name="group_enqueues")

        return only_if(keep_input, into_one, tf.no_op)

    def empty(self, sizes: list[Any], allow_smaller: bool) -> list[Any]:
        """For each bucket the op that takes a batch out of it and puts it into the top queue."""
        found = []
        for i, (queue, size) in enumerate(zip(self.buckets, sizes, strict=True)):
            take = queue.dequeue_up_to if allow_smaller else queue.dequeue_many
            number = tf.constant(i)
            batch = _listed(take(size, name=f"read_bucket_{i}"))
            found.append(self.top.enqueue([number, *batch], name=f"enqueue_from_bucket_{i}"))
        return found

    def add_runners(self, fill: list[Any], empty: list[Any]) -> None:
        """The two runners, under the names that they had in TF1: each the other one's."""
        add_queue_runner(
            QueueRunner(
                self.buckets[0],
                empty,
                close_op=self.top.close(),
                cancel_op=self.top.close(cancel_pending_enqueues=True),
                queue_closed_exception_types=_ENDS,
            )
        )
        add_queue_runner(
            QueueRunner(
                self.top,
                fill,
                close_op=tf.group(*[q.close() for q in self.buckets]),
                cancel_op=tf.group(*[q.close(cancel_pending_enqueues=True) for q in self.buckets]),
                queue_closed_exception_types=_ENDS,
            )
        )

    def summarize(self, capacity: int) -> None:
        """How many examples each bucket holds, and how full the top queue is."""
        for queue in self.buckets:
            # The op has the name that it had when it told the size of the top queue.
            size = tf.cast(queue.size(name="top_queue_Size"), tf.float32)
            v1.summary.scalar(f"bucket/{queue.name}/size", size)
        fraction = tf.cast(self.top.size(), tf.float32) * per_place(capacity)
        v1.summary.scalar(f"bucket/{self.top.name}/{fraction_full(capacity)}", fraction)
