"""Puts the rows of tensors into a queue, each as an element of its own.

Legacy:
    rows = tf.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue() * [1, 10]
    batch = tf.train.batch([rows], batch_size=3, enqueue_many=True)

Modern:
    rows = tf.data.Dataset.range(3, output_type=tf.int32).map(lambda n: n * [1, 10])
    dataset = rows.unbatch().batch(3, drop_remainder=True)

Emits:
    the dtypes, and the shapes without their first dimension

Differs:
    What is delivered is the same. `unbatch` works row by row; where the rows are batched again at
    once, a map over whole batches is faster. TensorFlow 2.21 dies of `unbatch` where a row of
    numbers is empty (an image without boxes): take `flat_map` with from_tensor_slices there.

Raises:
    ValueError: the tensors' shapes say that they differ in their number of rows.
    InvalidArgumentError: they turn out to, at the call.

Source:
    tf.QueueBase.enqueue_many of TensorFlow 1.15
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import tensorflow as tf

from queueio.compile.kernels.empty_rows import may_be_empty
from queueio.compile.slow import is_slow
from queueio.compile.sparse_rows import SparseRows
from queueio.compile.stream import Stream, is_dense
from queueio.graph.origin import origin
from queueio.plan import Node, Role, Walk, lifts
from queueio.plan.components import row_of, shaped
from queueio.plan.node import Captures, Checked, Slower

if TYPE_CHECKING:
    from queueio.emit.writer import Writer


@dataclass(frozen=True, kw_only=True, eq=False)
class EnqueueMany(Node):
    """The rows of a stream's elements."""

    input: Node

    @property
    def slower_than_queues(self) -> Slower | None:
        """Sparse rows that are quickly made: a batch is many tensors to pass on, whoever does."""
        sparse = any(isinstance(spec, tf.SparseTensorSpec) for spec in self.elements)
        slow = any(is_slow(op) for part in self.input.fragments for op in part.ops)
        return Slower("takes sparse rows out of lots") if sparse and not slow else None

    def with_shapes(self, shapes: Any, checked: Checked) -> Node:
        """What is looked for in rows is looked for in the tensors that have them."""
        lots = [tf.TensorShape([None]).concatenate(shape) for shape in shapes]
        rows = shaped(self.elements, shapes)
        return replace(self, input=checked(self.input, lots), elements=rows)

    def to_dataset(self, *inputs: Any, captures: Captures = None) -> Any:
        """The rows, one after the other."""
        if not may_be_empty(self.elements):
            return inputs[0].unbatch()
        return inputs[0].flat_map(lambda *rows: tf.data.Dataset.from_tensor_slices(rows))

    def to_stream(self, *inputs: Any, captures: Captures = None) -> Any:
        """An element's rows are a chunk as they come."""
        stream = inputs[0].settled()
        if not is_dense(self.elements):
            return self._unlike(stream, captures)
        if stream.rows is not None:
            return stream.rows()
        rows = stream.dataset.map(_flat if stream.chunked else _checked)
        return Stream(rows, chunked=True, captures=captures, slow=stream.slow)

    def _unlike(self, stream: Any, captures: Captures) -> Any:
        """Rows of which a batch makes sparse tensors again; single ones of what is of any shape."""

        def singly() -> Any:
            return super(EnqueueMany, self).to_stream(stream, captures=captures)

        form = None if stream.chunked else SparseRows.of(self.elements)
        if form is None:
            return singly()
        rows = stream.dataset.map(lambda *lot: _checked(*form.rows(*lot)))
        return Stream(
            rows, chunked=True, captures=captures, slow=stream.slow, batch=form.batch, turn=0,
            unbatched=singly,
        )  # fmt: skip

    def to_source(self, writer: Writer, wanted: Any) -> str:
        """`unbatch`."""
        return writer.unbatched(self, writer.upstream(self.input, wanted), wanted)


def _checked(*components: Any) -> tuple[Any, ...]:
    """The rows of one element."""
    return _with_as_many_rows(components, axis=0)


def _flat(*components: Any) -> tuple[Any, ...]:
    """The rows of all elements of a chunk."""
    return tuple(
        tf.reshape(c, tf.concat([[-1], tf.shape(c)[2:]], 0))
        for c in _with_as_many_rows(components, axis=1)
    )


def _with_as_many_rows(components: tuple[Any, ...], axis: int) -> tuple[Any, ...]:
    """`components`, which must, as in TF1, have the same number of rows."""
    rows = tf.shape(components[0])[axis]
    same = [
        tf.debugging.assert_equal(tf.shape(c)[axis], rows, f"Shape mismatch in tuple component {i}")
        for i, c in enumerate(components[1:], 1)
    ]
    with tf.control_dependencies([check for check in same if check is not None]):
        return tuple(tf.identity(component) for component in components)


@lifts(Role.ENQUEUE_MANY)
def lift(walk: Walk, op: Any, stream: Node) -> Node:
    """QueueEnqueueMany of tensors that depend on a stream."""
    elements = tuple(map(row_of, stream.elements))
    return EnqueueMany(name=op.name, origin=origin(op), elements=elements, input=stream)
