"""Sparse tensors in a queue: found behind the handles that travel in their place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from queueio.graph.bodies import bodies
from queueio.graph.traversal import is_dequeue, root

# What stands between a handle and the ops of the sparse map: changes of shape, and the cond that
# stores a tensor only if it will be kept.
_AROUND = frozenset({"Identity", "ExpandDims", "Reshape", "Squeeze", "Switch", "Merge"})


@dataclass(frozen=True, eq=False)
class Stored:
    """A sparse tensor on its way into a map: its three parts, as tensors of the outer graph."""

    op: Any
    parts: tuple[Any, ...]

    @property
    def spec(self) -> Any:
        """The spec of one element; of all the rows where the op stores many."""
        indices, values, shape = self.parts
        static = tf.get_static_value(shape)
        if static is not None:
            return tf.SparseTensorSpec([int(n) for n in static], values.dtype)
        rank = shape.shape.as_list()[0] if shape.shape.rank else None
        if rank is None and indices.shape.rank == 2:
            rank = indices.shape.as_list()[1]
        return tf.SparseTensorSpec(None if rank is None else [None] * rank, values.dtype)


def stored(handle: Any) -> Stored | None:
    """The sparse tensor that `handle` stands for, or None if it is no such handle."""
    if handle.dtype.base_dtype != tf.int64:
        return None
    seen, waiting = set(), [handle]
    while waiting:
        tensor = waiting.pop()
        op = tensor.op
        if op in seen:
            continue
        seen.add(op)
        if _stores(op):
            return Stored(op, tuple(map(_unswitched, op.inputs)))
        if op.type in ("If", "StatelessIf"):
            found = _stored_in_branch(op, tensor.value_index)
            if found is not None:
                return found
        elif op.type == "Merge":
            waiting += list(op.inputs)
        elif op.type in _AROUND:
            waiting.append(op.inputs[0])
    return None


def taken_from(take: Any) -> tuple[Any, int] | None:
    """The dequeue op, and which of its outputs, whose handles op `take` takes out of the map."""
    tensor = take.inputs[0]
    while tensor.op.type in _AROUND:
        tensor = tensor.op.inputs[0]
    if is_dequeue(tensor.op):
        return tensor.op, tensor.value_index
    return None


def _stores(op: Any) -> bool:
    return op.type in ("AddSparseToTensorsMap", "AddManySparseToTensorsMap")


def _unswitched(tensor: Any) -> Any:
    return root(tensor) if tensor.op.type == "Switch" else tensor


def _stored_in_branch(call: Any, index: int) -> Stored | None:
    for body in bodies(call):
        if body.attribute != "then_branch" or index >= len(body.graph.outputs):
            continue
        found = stored(body.graph.outputs[index])
        if found is not None:
            parts = tuple(body.outside(part) for part in found.parts)
            if all(part is not None for part in parts):
                return Stored(found.op, parts)
    return None
