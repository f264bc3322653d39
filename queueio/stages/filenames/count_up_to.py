"""Hands out the numbers that a variable counts through, up to a limit.

Legacy:
    counter = tf.Variable(tf.constant(0, tf.int64)).count_up_to(5)
    number = tf.train.batch([counter], batch_size=1)

Modern:
    dataset = tf.data.Dataset.range(5).batch(1)

Emits:
    the variable's dtype (int32 or int64), shape ()

Differs:
    The count lives in a variable that the program can read, set and save; a dataset counts by
    itself, from what the variable held when the iterator was made, and leaves the variable alone.

Raises:
    OutOfRangeError: at the evaluation after `limit - 1`. FailedPreconditionError when the variable
    was not initialised.

TensorFlow's own tests of queues count so; scripts use it to number examples, and to stop after as
many. A count whose number nobody uses is a limit and nothing else: see `limit_epochs`.

Source:
    tf.Variable.count_up_to of TensorFlow 1.15
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import tensorflow as tf

from queueio.compile.stream import CHUNK_ROWS, Stream
from queueio.graph.fragment import Fragment
from queueio.graph.origin import origin
from queueio.plan import Node, Walk, lifts
from queueio.plan.node import Captures

if TYPE_CHECKING:
    from queueio.emit.writer import Writer


@dataclass(frozen=True, kw_only=True, eq=False)
class CountUpTo(Node):
    """The numbers from what a variable holds to `limit - 1`."""

    limit: int
    fragment: Any
    """Nothing but the variable: its handle, or the reference to it."""

    hidden = Node.hidden | {"fragment"}

    @property
    def variable(self) -> Any:
        """The op of the variable."""
        return self.fragment.outputs[0].op

    @property
    def in_large_chunks(self) -> bool:
        """Always."""
        return True

    def to_dataset(self, *inputs: Any, captures: Captures = None) -> Any:
        """A range."""
        return self._numbers(captures).map(lambda number: (number,))

    def to_stream(self, *inputs: Any, captures: Captures = None) -> Any:
        """A range, many numbers at a time."""
        numbers = self._numbers(captures).batch(CHUNK_ROWS).map(lambda chunk: (chunk,))
        return Stream(numbers, chunked=True, captures=captures)

    def _numbers(self, captures: Captures) -> Any:
        (spec,) = self.elements
        (first,) = self.fragment.call(captures=captures)
        if first.dtype == tf.resource:
            first = tf.raw_ops.ReadVariableOp(resource=first, dtype=spec.dtype)
        return tf.data.Dataset.range(tf.cast(first, tf.int64), self.limit, output_type=spec.dtype)

    def to_source(self, writer: Writer, wanted: Any) -> str:
        """`range`."""
        return writer.counted(self, wanted)


@lifts("CountUpTo", "ResourceCountUpTo")
def lift(op: Any, walk: Walk) -> Node:
    """A count whose numbers are used."""
    return CountUpTo(
        name=op.name,
        origin=origin(op),
        elements=(tf.TensorSpec([], op.outputs[0].dtype.base_dtype),),
        limit=int(op.get_attr("limit")),
        fragment=Fragment.between([], [op.inputs[0]]),
    )
