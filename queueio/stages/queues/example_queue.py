"""Where examples wait: the plan node that all kinds of queue share.

A queue in TF1 is a buffer between threads. In a stream without threads what remains of it is
what it does to the order (random_shuffle.py, priority.py) and to a batch (padding_fifo.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import tensorflow as tf

from queueio.graph.fragment import Fragment
from queueio.graph.origin import origin
from queueio.plan import Node, Walk
from queueio.plan.components import shaped, width
from queueio.plan.node import Captures
from queueio.stages.decoders.user_ops import Transform

if TYPE_CHECKING:
    from queueio.emit.writer import Writer


@dataclass(frozen=True, kw_only=True, eq=False)
class ExampleQueue(Node):
    """A queue of examples; as such it keeps their order."""

    input: Node
    capacity: int
    num_threads: int
    """How many threads fill it; with one, and no shuffling, the order is defined."""
    dequeued: int = 1
    """How many elements are taken at a time."""

    hidden = Node.hidden | {"dequeued"}

    blind = True
    work = "pool"

    @property
    def room(self) -> int:
        """Its capacity."""
        return self.capacity

    @property
    def in_large_chunks(self) -> bool:
        """As they come in."""
        return self.input.in_large_chunks

    def threads_of_inputs(self, threads: int) -> list[int]:
        """Its own runner's."""
        return [self.num_threads]

    def taken_by(self, size: int) -> Node:
        """It remembers: what a batch takes leaves a shuffled queue in one step."""
        return replace(self, dequeued=size)

    def to_dataset(self, *inputs: Any, captures: Captures = None) -> Any:
        """Nothing: an iterator waits for no threads."""
        return inputs[0]

    def to_stream(self, *inputs: Any, captures: Captures = None) -> Any:
        """Nothing for a queue that keeps the order; single elements for another kind."""
        if type(self).to_dataset is ExampleQueue.to_dataset:
            stream, shapes = inputs[0], [spec.shape for spec in self.elements]
            unlike = shapes != [spec.shape for spec in self.input.elements]
            return stream.settled() if stream.pads and unlike else stream
        return super().to_stream(*inputs, captures=captures)

    def to_source(self, writer: Writer, wanted: Any) -> str:
        """Nothing: what a queue decouples, the last `prefetch` does."""
        return writer.upstream(self.input, wanted)


def common_fields(op: Any, walk: Walk) -> dict[str, Any]:
    """The fields of an ExampleQueue, from the queue's op and what fills it."""
    shapes = [tf.TensorShape(shape) for shape in op.get_attr("shapes")]
    if op.type.startswith("PriorityQueue"):
        shapes = [tf.TensorShape([]), *shapes] if shapes else []
    source = walk.feeds(op)
    if shapes:
        source = _checked(source, shapes, op)
    return {
        "name": op.name,
        "origin": origin(op),
        "elements": shaped(source.elements, shapes) if shapes else source.elements,
        "input": source,
        "capacity": int(op.get_attr("capacity")),
        "num_threads": walk.threads(op),
    }


def _checked(source: Node, shapes: Sequence[Any], op: Any) -> Node:
    """What comes in, with the shapes that the queue looks for and its elements do not promise."""
    wanted = [
        spec.shape.merge_with(shape)
        if isinstance(spec, tf.TensorSpec) and spec.shape.is_compatible_with(shape)
        else spec.shape
        for spec, shape in zip(source.elements, shapes, strict=True)
    ]
    if all(str(s.shape) == str(shape) for s, shape in zip(source.elements, wanted, strict=True)):
        return source
    upstream = source.with_shapes(wanted, lambda stream, shapes: _checked(stream, shapes, op))
    return _looking(source, wanted, op) if upstream is None else upstream


def _looking(source: Node, wanted: list[Any], op: Any) -> Node:
    """The stream, each of whose elements is looked at."""
    parts = [part for spec in source.elements for part in _parts(spec)]
    names = ["component"] * len(parts)
    if isinstance(source, Transform):
        names = [tensor.op.name.rpartition("/")[2] for tensor in source.fragment.outputs]
    with tf.Graph().as_default():
        taken = [
            tf.compat.v1.placeholder(dtype, shape, name)
            for (dtype, shape), name in zip(parts, names, strict=True)
        ]
        given = [tf.identity(tensor) for tensor in taken]
        dense = iter(given)
        for spec, shape in zip(source.elements, wanted, strict=True):
            (first, *_) = [next(dense) for _ in range(width(spec))]
            if isinstance(spec, tf.TensorSpec):
                first.set_shape(shape)
    return Transform(
        name=op.name,
        origin=origin(op),
        elements=shaped(source.elements, wanted),
        input=source,
        fragment=Fragment.between(taken, given),
        takes=tuple(range(len(taken))),
    )


def _parts(spec: Any) -> list[tuple[tf.DType, Any]]:
    """Dtypes and shapes of the dense tensors of a component."""
    if isinstance(spec, tf.TensorSpec):
        return [(spec.dtype, spec.shape)]
    rank = spec.shape.rank
    return [(tf.int64, [None, rank]), (spec.dtype, [None]), (tf.int64, [rank])]
