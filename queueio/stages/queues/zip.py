"""Takes from two queues in lock step: one element of each makes one example.

Legacy:
    left = tf.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()
    right = tf.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()
    batch = tf.train.batch([left, right], batch_size=3)

Modern:
    left, right = (tf.data.Dataset.range(3, output_type=tf.int32) for _ in range(2))
    dataset = tf.data.Dataset.zip((left, right)).batch(3, drop_remainder=True)

Emits:
    the components of both

Differs:
    With num_threads over 1 the two sides drift apart in TF1, because each thread takes from one
    queue and then from the other; `zip` keeps them in step. When the shorter side ends, what was
    already taken from the other one is lost in both forms.

Raises:
    OutOfRangeError when either queue is closed and empty.

Source:
    tf.QueueBase.dequeue of TensorFlow 1.15
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import tensorflow as tf

from queueio.compile.kernels.budget import known_bytes, rows_within
from queueio.compile.stream import CHUNK_ROWS, Stream
from queueio.graph.origin import origin
from queueio.plan import Node, Role, Walk, lifts
from queueio.plan.node import Captures

if TYPE_CHECKING:
    from queueio.emit.writer import Writer


@dataclass(frozen=True, kw_only=True, eq=False)
class Zip(Node):
    """One element of each stream, as one element."""

    streams: tuple[Node, ...]

    def to_dataset(self, *inputs: Any, captures: Captures = None) -> Any:
        """The streams in lock step, until one of them ends."""
        pairs = tf.data.Dataset.zip(tuple(inputs))
        return pairs.map(lambda *elements: tuple(part for one in elements for part in one))

    def to_stream(self, *inputs: Any, captures: Captures = None) -> Any:
        """Chunks of equal size in lock step; the shorter one's end is the end of both."""
        streams = [stream.settled() for stream in inputs]
        row = known_bytes(self.elements)
        if row is None or not all(stream.chunked for stream in streams):
            return super().to_stream(*inputs, captures=captures)
        rows = rows_within(row, CHUNK_ROWS)
        chunks = self.to_dataset(*(stream.rebatched(rows) for stream in streams))

        def as_long(*parts: Any) -> tuple[Any, ...]:
            rows = tf.reduce_min([tf.shape(part)[0] for part in parts])
            return tuple(part[:rows] for part in parts)

        return Stream(chunks.map(as_long), chunked=True, captures=captures)

    def to_source(self, writer: Writer, wanted: Any) -> str:
        """`zip`."""
        used, streams, found, first = set(tf.nest.flatten(wanted)), [], {}, 0
        for number, stream in enumerate(self.streams):
            mine = [i for i in range(len(stream.elements)) if first + i in used] or [0]
            streams.append(writer.upstream(stream, mine[0] if len(mine) == 1 else tuple(mine)))
            for place, i in enumerate(mine):
                part = f"[{place}]" if len(mine) > 1 else ""
                found[first + i] = f"stream_{number}{part}"
            first += len(stream.elements)
        zipped = writer.joined(self, streams, "tf.data.Dataset.zip", tuples=True)
        return writer.arranged(
            zipped, [f"stream_{i}" for i in range(len(streams))], wanted, found.get
        )


@lifts(Role.ZIP)
def lift(walk: Walk, op: Any, streams: list[Node]) -> Node:
    """Several stream points under one op."""
    elements = tuple(spec for stream in streams for spec in stream.elements)
    return Zip(name=op.name, origin=origin(op), elements=elements, streams=tuple(streams))
