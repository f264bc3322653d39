"""Takes examples out of a queue, one or a batch at a time.

Legacy:
    queue = tf.train.range_input_producer(5, num_epochs=1, shuffle=False)
    batch = queue.dequeue_up_to(2)

Modern:
    dataset = tf.data.Dataset.range(5, output_type=tf.int32).batch(2)

Emits:
    the queue's dtypes; for a batch, shapes with the number of examples in front

Differs:
    `dequeue_many(n)` gives n examples or none, `batch(n, drop_remainder=True)` likewise;
    `dequeue_up_to(n)` gives what is left at the end, as `batch(n)` does. A placeholder can say n
    anew at each call here, never there.

Raises:
    OutOfRangeError: the queue is closed and holds fewer examples than asked for.

A batch of a padding queue is padded to its longest example; of sparse tensors, it has the largest
of their shapes.

Source:
    tf.QueueBase.dequeue_many and dequeue_up_to of TensorFlow 1.15
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import tensorflow as tf

from queueio.compile.deferred_ops import deferred_batches, only_strings
from queueio.compile.kernels.batches import cut_batches, cut_stacks
from queueio.compile.kernels.budget import HEAVY_BYTES, bytes_of_row, calls, known_bytes
from queueio.compile.stream import Stream
from queueio.graph.origin import origin
from queueio.graph.refusal import refuse
from queueio.plan import Node, Walk, lifts
from queueio.plan.components import rows_of
from queueio.plan.node import Captures

if TYPE_CHECKING:
    from queueio.emit.writer import Writer


@dataclass(frozen=True, kw_only=True, eq=False)
class Batch(Node):
    """`batch_size` elements at a time."""

    input: Node
    batch_size: int
    allow_smaller_final_batch: bool
    pads: bool

    work = "batch"

    @property
    def rows(self) -> int:
        """`batch_size`."""
        return self.batch_size

    @property
    def _unequal(self) -> bool:
        """Whether elements may differ in shape: what has one shape needs no padding."""
        dense = [s for s in self.input.elements if isinstance(s, tf.TensorSpec)]
        return self.pads and not all(spec.shape.is_fully_defined() for spec in dense)

    def to_dataset(self, *inputs: Any, captures: Captures = None) -> Any:
        """Batches, padded where the queue pads."""
        drop = not self.allow_smaller_final_batch
        if not self._unequal:
            return inputs[0].batch(self.batch_size, drop_remainder=drop)
        return padded(inputs[0], self.input.elements, self.batch_size, drop)

    def to_stream(self, *inputs: Any, captures: Captures = None) -> Any:
        """Batches cut out of chunks, and then what was put off until now."""
        stream = inputs[0]
        by_itself = stream.batch is None or stream.pads > self._unequal
        if by_itself and (self._unequal or stream.pads or not stream.chunked):
            return super().to_stream(stream, captures=captures)
        drop = not self.allow_smaller_final_batch
        whole = stream.multiple % self.batch_size == 0
        size = self.batch_size
        if stream.later is not None and not whole and only_strings(stream.later):
            stream = stream.settled()
        if stream.singly is not None:
            # Nobody waits for more than a batch, nor loses one for an example that fails later.
            return Stream(stream.singly().batch(size, drop_remainder=drop), captures=captures)
        row = bytes_of_row(stream.dataset)
        light = row is not None and row * size <= HEAVY_BYTES
        buffered = stream.later is not None or (whole and light)

        def batches(most: int = 1) -> tf.data.Dataset:
            # Put off where no stack would hold more than a batch, they took a call for each.
            given = stream.settled() if most > 1 and not whole else stream
            if given.later is not None:
                return deferred_batches(
                    given.dataset, given.later, size, drop, whole, captures, most
                )
            chunks = given.dataset.prefetch(1) if buffered else given.dataset
            if most > 1:
                return cut_stacks(chunks, size, most, drop, whole)
            return cut_batches(chunks, size, drop, whole)

        if stream.batch is not None:
            if light and known_bytes(self.elements) is not None:
                made = batches().map(stream.batch, calls(), deterministic=True)
                return Stream(made, captures=captures, buffered=True)
            # One after the other: only the data tell what waits beside the batch that is made.
            return Stream(batches().map(stream.batch), captures=captures, buffered=buffered)
        stacks = None if stream.slow else batches
        return Stream(batches, captures=captures, buffered=buffered, stacks=stacks)

    def to_source(self, writer: Writer, wanted: Any) -> str:
        """`batch` or `padded_batch`."""
        # Asked for before what is upstream, so that `batch_size` is the one that arrives.
        which = "a batch on the way" if "batch_size" in writer.arguments else "a batch"
        size: Any = self.batch_size
        if size not in writer.padded_to:  # else another one would not fit, or be padded to this one
            size = writer.argument(
                "batch_size", size, "int", f"examples in {which}.", origin=self.origin
            )
        if self.pads:
            writer.pads(self.input.elements)
        stream = writer.upstream(self.input, wanted)
        drop = None if self.allow_smaller_final_batch else "True"
        notes = ["The last batch may be smaller." if drop is None else
                 "A last batch that is not full is left out, as before."]  # fmt: skip
        if not self.pads:
            return writer.step(self, stream, "batch", size, drop_remainder=drop, notes=notes)
        shapes = writer.shapes(self.input.elements, wanted)
        return writer.step(
            self, stream, "padded_batch", size, padded_shapes=shapes, drop_remainder=drop,
            notes=notes,
        )  # fmt: skip


@lifts("QueueDequeueMany", "QueueDequeueManyV2", "QueueDequeueUpTo", "QueueDequeueUpToV2")
def lift(op: Any, walk: Walk) -> Node:
    """A dequeue of several elements."""
    size = int(walk.constant(op.inputs[1], "the batch size"))
    check_size(op, size)
    queue: Any = walk.queue(op.inputs[0], op).taken_by(size)
    if not queue.gives_rest and 0 <= queue.capacity < size:
        raise refuse(op, f"it waits for ever: it takes {size} elements at once, of a queue that"
                     f" holds {queue.capacity} at most",
                     f"Give the queue a capacity of {size} or more")  # fmt: skip
    up_to = "UpTo" in op.type
    return Batch(
        name=op.name,
        origin=origin(op),
        elements=tuple(rows_of(spec, None if up_to else size) for spec in queue.elements),
        input=queue,
        batch_size=size,
        allow_smaller_final_batch=up_to and queue.gives_rest,
        pads=queue.padding,
    )


@lifts("QueueDequeue", "QueueDequeueV2")
def lift_single(op: Any, walk: Walk) -> Node:
    """A dequeue of one element: the queue's own stream."""
    return walk.queue(op.inputs[0], op)


def check_size(op: Any, size: int) -> None:
    """Refuses what is taken of a queue where that is nothing: TF1 gives such batches for ever."""
    if size < 1:
        raise refuse(op, f"batches of {size} are taken of it, without end",
                     "Give a batch size of 1 or more")  # fmt: skip


def padded(elements: Any, specs: tuple[Any, ...], size: Any, drop: bool) -> Any:
    """A dataset of batches, each padded to its longest element.

    Args:
      elements: a dataset of tuples of components, dense or sparse.
      specs: those of the components.
      size: how many elements make a batch.
      drop: whether a last batch that is not full is left out.
    """
    stored = elements.map(lambda *parts: tuple(map(_stored, parts)))
    shapes = tuple([3] if isinstance(spec, tf.SparseTensorSpec) else spec.shape for spec in specs)
    batches = stored.padded_batch(size, padded_shapes=shapes, drop_remainder=drop)
    batched = [rows_of(spec, None) for spec in specs]
    return batches.map(lambda *parts: tuple(map(_restored, parts, batched)))


def _stored(part: Any) -> Any:
    """A sparse tensor as a vector of three strings, which padding leaves alone."""
    return tf.io.serialize_sparse(part) if isinstance(part, tf.SparseTensor) else part


def _restored(part: Any, spec: Any) -> Any:
    if not isinstance(spec, tf.SparseTensorSpec):
        return part
    return tf.io.deserialize_many_sparse(part, spec.dtype, spec.shape.rank)
