"""Fills one queue from several producers at once.

Legacy:
    even = tf.train.input_producer(tf.constant([0, 2, 4]), num_epochs=1).dequeue()
    odd = tf.train.input_producer(tf.constant([1, 3, 5]), num_epochs=1).dequeue()
    batch = tf.train.batch_join([[even], [odd]], batch_size=2)

Modern:
    even = tf.data.Dataset.from_tensor_slices([0, 2, 4])
    odd = tf.data.Dataset.from_tensor_slices([1, 3, 5])
    both = tf.data.Dataset.choose_from_datasets(
        [even, odd], tf.data.Dataset.range(2).repeat(), stop_on_empty_dataset=False)
    dataset = both.batch(2, drop_remainder=True)

Emits:
    the dtypes of the examples, the shapes merged over the producers

Differs:
    Which producer's example comes next is a race here and a rule there. The queue ends when the
    last producer has ended; a failing producer ends them all.

Raises:
    TypeError: the producers disagree on dtypes. ValueError: on shapes or keys.

One thread runs each producer's enqueue op. Several readers that share one filename queue, joined,
read several files at once: that is `interleave`.

Source:
    tf.train.batch_join of TensorFlow 1.15
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any

import tensorflow as tf

from queueio.compile.kernels.budget import at_most, known_bytes, rows_within
from queueio.compile.kernels.rotation import in_rotation
from queueio.compile.kernels.side_by_side import WIDE_BYTES, in_turns, numbered
from queueio.compile.stream import Stream
from queueio.errors import message
from queueio.graph.origin import origin
from queueio.graph.refusal import refuse
from queueio.plan import Node, Role, Walk, lifts
from queueio.plan.node import Captures

if TYPE_CHECKING:
    from queueio.emit.writer import Writer


def joined_dtypes(tensor_lists: list[list[Any]]) -> list[Any]:
    """The dtype of each component; TypeError if the producers disagree."""
    dtypes = [tensor.dtype for tensor in tensor_lists[0]]
    for tensors in tensor_lists[1:]:
        other = [tensor.dtype for tensor in tensors]
        if other != dtypes:
            raise TypeError(
                "Expected types to be consistent:"
                f" {', '.join(d.name for d in dtypes)} vs. {', '.join(d.name for d in other)}."
            )
    return dtypes


def joined_shapes(tensor_lists: list[list[Any]], enqueue_many: bool) -> list[Any]:
    """The shape of each component; ValueError if the producers disagree or a rank is unknown.

    The first producer's shape stands, as in TF1, where another one is less precise.
    """
    shapes = []
    for tensors in zip(*tensor_lists, strict=True):
        for tensor in tensors:
            if tensor.shape.ndims is None:
                text = message(
                    f"Cannot infer Tensor's rank: {tensor}",
                    f"made at {origin(tensor.op)}; a queue must know how many dimensions each "
                    "example has",
                    "Say it with tensor.set_shape, such as [None, None, 3] for an image",
                )
                raise ValueError(text)
        rows = [tensor.shape for tensor in tensors]
        if enqueue_many:
            rows = [shape.with_rank_at_least(1)[1:] for shape in rows]
        for shape in rows[1:]:
            rows[0].merge_with(shape)
        shapes.append(tf.TensorShape(rows[0]).as_list())
    return shapes


_TURN_ROWS = 16
"""How many rows of one producer are taken at a time, where chunks are joined."""
_TURN_BYTES = 1 << 20
"""What they weigh, unless a single row weighs more."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Join(Node):
    """Several streams that fill one queue."""

    races = True

    streams: tuple[Node, ...]
    widths: tuple[int, ...]
    """How many producers each stream stands for: like ones that share their input count once."""

    def threads_of_inputs(self, threads: int) -> list[int]:
        """A share of them for each, by its width."""
        return [threads * width // sum(self.widths) for width in self.widths]

    @property
    def in_large_chunks(self) -> bool:
        """As its only stream, the same for all producers; several take turns, in small ones."""
        return len(self.streams) == 1 and self.streams[0].in_large_chunks

    def to_dataset(self, *inputs: Any, captures: Captures = None) -> Any:
        """The streams in turn, as many elements of each as it has producers, until all end."""
        if len(inputs) == 1:
            return inputs[0]
        return in_rotation(inputs, self.widths)

    def to_stream(self, *inputs: Any, captures: Captures = None) -> Any:
        """A row of each stream in turn; wide ones a small chunk at a time."""
        if len(inputs) == 1:
            return inputs[0]
        form = inputs[0].batch
        if form is None or not all(stream.batch == form for stream in inputs):
            return self._in_turns([stream.as_made().settled() for stream in inputs], captures)
        return replace(
            self._in_turns(inputs, captures), batch=form, pads=inputs[0].pads,
            packed=inputs[0].packed, last=inputs[0].last,
            unbatched=lambda: self.to_stream(*(s.settled() for s in inputs), captures=captures),
        )  # fmt: skip

    def _in_turns(self, streams: Sequence[Any], captures: Captures) -> Any:
        if not all(stream.chunked for stream in streams):
            return super().to_stream(*streams, captures=captures)
        row = known_bytes(self.elements)
        chunks = [_of_a_turn(stream, row) for stream in streams]
        slow = any(stream.slow for stream in streams)
        if slow or (row or 0) > WIDE_BYTES or any(map(_stays_together, streams)):
            made = self.to_dataset(*chunks)
        else:
            made = in_turns(self.to_dataset(*map(numbered, chunks, count())), sum(self.widths))
        return Stream(made, chunked=True, captures=captures, slow=slow)

    def to_source(self, writer: Writer, wanted: Any) -> str:
        """`choose_from_datasets`, by turns."""
        streams = [writer.upstream(stream, wanted) for stream in self.streams]
        if len(streams) == 1:
            return streams[0]
        turns = [i for i, width in enumerate(self.widths) for _ in range(width)]
        order = f"tf.data.Dataset.range({len(streams)})"
        if len(turns) != len(streams):
            order = f"tf.data.Dataset.from_tensor_slices(tf.constant({turns}, tf.int64))"
        notes = ["The producers take turns here; in the queue their examples met by chance."]
        return writer.joined(
            self, streams, "tf.data.Dataset.choose_from_datasets", f"{order}.repeat()",
            notes=notes, stop_on_empty_dataset="False",
        )  # fmt: skip


def _stays_together(stream: Stream) -> bool:
    """Whether rows of a turn are one enqueue's, or not rows of examples."""
    return stream.turn is not None or stream.packed or stream.batch is not None


def _of_a_turn(stream: Stream, row: int | None) -> Any:
    """The chunks of a stream, of the rows of one turn; each of `row` bytes, if that is known."""
    if stream.packed or stream.turn == 0:
        return stream.dataset
    if stream.turn is not None:
        return at_most(stream.dataset, stream.turn, _TURN_BYTES)
    if row is None:
        return at_most(stream.dataset, _TURN_ROWS, _TURN_BYTES)
    return stream.rebatched(rows_within(row, _TURN_ROWS, _TURN_BYTES))


@lifts(Role.JOIN)
def lift(walk: Walk, op: Any, streams: list[Node], widths: tuple[int, ...]) -> Node:
    """Distinct enqueue ops on one queue."""
    return Join(
        name=op.name,
        origin=origin(op),
        elements=_common_to_all(op, streams),
        streams=tuple(streams),
        widths=widths,
    )


def _common_to_all(op: Any, streams: list[Node]) -> tuple[Any, ...]:
    """The spec of each component, of whichever producer it comes.

    Raises:
      NotLifted: one producer puts in handles of sparse tensors where another has numbers, or
        handles of sparse tensors of another dtype.
    """
    elements = []
    for place, specs in enumerate(zip(*(stream.elements for stream in streams), strict=True)):
        common = specs[0].most_specific_common_supertype(specs[1:])
        if common is None:
            unlike = " and ".join(map(str, dict.fromkeys(specs)))
            raise refuse(op, f"its producers put {unlike} into its component {place}",
                         "Have all of them put in the same kind of tensor")  # fmt: skip
        elements.append(common)
    return tuple(elements)
