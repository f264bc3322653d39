"""Sorts examples into buckets and makes each batch from one bucket alone, of like lengths say.

Legacy:
    length = tf.train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
    lengths, [words] = tf.contrib.training.bucket_by_sequence_length(
        length, [tf.fill([length], length)], batch_size=2, bucket_boundaries=[3, 6],
        dynamic_pad=True, allow_smaller_final_batch=True)

Modern:
    lengths = tf.data.Dataset.range(8, output_type=tf.int32)
    sentences = lengths.map(lambda length: (length, tf.fill([length], length)))
    dataset = sentences.bucket_by_sequence_length(
        lambda length, words: length, bucket_boundaries=[3, 6], bucket_batch_sizes=[2, 2, 2],
        drop_remainder=False)

Emits:
    per tensor its dtype and its shape with batch_size in front; of `bucket` first the number of
    the bucket, int32

Differs:
    Examples of one bucket keep their order in both forms. In which order the buckets' batches
    come is a race between threads here; there, a batch comes when its bucket is full. The size
    summary of a bucket tells how many examples it holds: in TensorFlow 1.15 it told how many
    batches waited, under the bucket's name. `batch_size` may be a tuple, and a list stays as it
    is: TensorFlow 1.15 wrote into the one and failed on the other.

Raises:
    ValueError: not one batch_size or capacity for each bucket; boundaries that do not increase, or
    none; "All shapes must be fully defined" without dynamic_pad. TypeError: boundaries that are no
    integers.
    OutOfRangeError: when no bucket has a batch left.

Each bucket is a queue, `<scope>/bucket_queue_<i>`; full batches wait in `<scope>/top_queue`, whose
capacity counts batches. That one pads, whatever the buckets do, as a batch's size may be unknown.
Two queue runners fill them, each under the name of a queue that the other one fills. An example
whose bucket does not exist is dropped.

Source:
    tf.contrib.training.bucket and bucket_by_sequence_length of TensorFlow 1.15
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import tensorflow as tf

from queueio.compile.kernels.buckets import Sorting, cut_buckets
from queueio.compile.kernels.budget import calls
from queueio.compile.stream import Stream
from queueio.graph.origin import origin
from queueio.plan import Node, Role, Walk, lifts
from queueio.plan.components import rows_of
from queueio.plan.node import Captures
from queueio.stages.batching.dequeue import padded
from queueio.stages.queues.example_queue import shaped

if TYPE_CHECKING:
    from queueio.emit.writer import Writer


@dataclass(frozen=True, eq=False)
class Batches:
    """What the batches of each bucket are.

    Attributes:
      sizes: how many examples each has, by bucket.
      examples: the specs of an example's components.
      pads: whether the examples of a batch are padded to the longest.
      smaller: whether what is left at the end becomes a smaller batch.
      gives: for each component of the result its place in the batch, or an array with a value for
        each bucket, of the dtype that the result has.
    """

    sizes: tuple[int, ...]
    examples: tuple[Any, ...]
    pads: bool
    smaller: bool
    gives: tuple[Any, ...]

    @property
    def size(self) -> int | None:
        """How many examples every batch has, if that is one number."""
        same = len(set(self.sizes)) == 1 and not self.smaller
        return self.sizes[0] if same else None

    @property
    def elements(self) -> tuple[Any, ...]:
        """The specs of the result."""
        return tuple(
            rows_of(self.examples[which], self.size)
            if isinstance(which, int)
            else tf.TensorSpec([], tf.as_dtype(which.dtype))
            for which in self.gives
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Buckets(Node):
    """Batches of elements whose last component, an integer, is the same one of `keys`."""

    input: Node
    keys: tuple[int, ...]
    batch_sizes: tuple[int, ...]
    allow_smaller_final_batch: bool
    capacities: tuple[int, ...]
    num_threads: int
    batches: Batches

    hidden = Node.hidden | {"batches"}

    @property
    def rows(self) -> int:
        """The most of `batch_sizes`."""
        return max(self.batch_sizes)

    def threads_of_inputs(self, threads: int) -> list[int]:
        """Its own runner's."""
        return [self.num_threads]

    def to_dataset(self, *inputs: Any, captures: Captures = None) -> Any:
        """`group_by_window`, with the windows of a bucket as long as its batches."""
        sizes = tf.constant(self.batch_sizes, tf.int64)
        return self._sorted(inputs[0]).group_by_window(
            key_func=lambda number, *_: number,
            reduce_func=self._batched,
            window_size_func=lambda number: tf.gather(sizes, number),
        )

    def to_stream(self, *inputs: Any, captures: Captures = None) -> Any:
        """All rows of a chunk sorted at once, where what a batch is made of stands in rows."""
        stream, made = inputs[0], self.batches
        shapes = [spec.shape for spec in self.input.elements[:-1]]
        unlike = shapes != [spec.shape for spec in made.examples]
        unlike |= self.input.elements[-1].shape.rank is None
        if stream.batch is None or stream.pads > made.pads or unlike:
            stream = stream.as_made().settled()
        if not stream.chunked or unlike:
            return super().to_stream(stream, captures=captures)
        how = Sorting(self.keys, self.batch_sizes, made.smaller)

        def finished(number: Any, *rows: Any) -> tuple[Any, ...]:
            batch = stream.batch(*rows) if stream.batch else rows
            return self._given(number, *batch[:-1])

        batches = cut_buckets(stream.dataset, how, stream.last).map(
            finished, calls(), deterministic=True
        )
        return Stream(batches, captures=captures)

    def _sorted(self, elements: Any) -> Any:
        """Elements with the number of their bucket in front; those of no bucket left out."""
        keys = self.keys

        def numbered(*parts: Any) -> tuple[Any, ...]:
            key = tf.ensure_shape(parts[-1], [])
            fits = tf.equal(tf.constant(keys, key.dtype), key)
            number = tf.where(tf.reduce_any(fits), tf.argmax(tf.cast(fits, tf.int32)), -1)
            return (number, *parts[:-1])

        return elements.map(numbered).filter(lambda number, *_: number >= 0)

    def _batched(self, number: Any, window: Any) -> Any:
        made = self.batches
        same = len(set(made.sizes)) == 1
        size = made.sizes[0] if same else tf.gather(tf.constant(made.sizes, tf.int64), number)
        examples = window.map(lambda _, *parts: parts)
        if made.pads:
            batches = padded(examples, made.examples, size, not made.smaller)
        else:
            batches = examples.batch(size, drop_remainder=not made.smaller)
        return batches.map(lambda *batch: self._given(number, *batch))

    def _given(self, number: Any, *batch: Any) -> tuple[Any, ...]:
        """The components of the result, of those of a batch and the number of its bucket."""
        return tuple(
            batch[which] if isinstance(which, int) else tf.gather(tf.constant(which), number)
            for which in self.batches.gives
        )

    def to_source(self, writer: Writer, wanted: Any) -> str:
        """`group_by_window`."""
        given = [self.batches.gives[i] for i in dict.fromkeys(tf.nest.flatten(wanted))]
        taken = [which for which in given if isinstance(which, int)]
        return writer.buckets(self, taken or [0], wanted)


@lifts(Role.BUCKETS)
def lift(
    walk: Walk, op: Any, stream: Node, buckets: Sequence[tuple[Any, Any]], keys: tuple[int, ...],
    gives: tuple[Any, ...],
) -> Node:  # fmt: skip
    """The queues that one op sorts its elements over, each emptied by batches into one queue."""
    queues = [queue for queue, _ in buckets]
    for queue, take in buckets:
        _check(walk, queue, take, buckets[0])
    sizes = tuple(int(walk.constant(take.inputs[1], "the batch size")) for _, take in buckets)
    shapes = [tf.TensorShape(shape) for shape in queues[0].get_attr("shapes")]
    made = Batches(
        sizes,
        tuple(shaped(stream.elements[:-1], shapes)),
        queues[0].type.startswith("Padding"),
        "UpTo" in buckets[0][1].type,
        gives,
    )
    return Buckets(
        name=queues[0].name,
        origin=origin(queues[0]),
        elements=made.elements,
        input=stream,
        keys=keys,
        batch_sizes=sizes,
        allow_smaller_final_batch=made.smaller,
        capacities=tuple(int(queue.get_attr("capacity")) for queue in queues),
        num_threads=walk.threads(queues[0]),
        batches=made,
    )


def _check(walk: Walk, queue: Any, take: Any, first: tuple[Any, Any]) -> None:
    """Refuses buckets of which one is not like the others, or no plain queue."""
    if not queue.type.startswith(("FIFOQueue", "PaddingFIFOQueue")):
        raise walk.refuse(queue, "it is one of several buckets, and gives its elements in an order"
                          " of its own", "Use a FIFOQueue or PaddingFIFOQueue")  # fmt: skip
    if not take.type.startswith(("QueueDequeueMany", "QueueDequeueUpTo")):
        raise walk.refuse(take, "it takes single elements out of a bucket",
                          "Take a batch with dequeue_many or dequeue_up_to")  # fmt: skip
    if (queue.type, take.type) != (first[0].type, first[1].type):
        raise walk.refuse(take, "this bucket is emptied, or made, in another way than the first",
                          "Treat all buckets alike")  # fmt: skip
