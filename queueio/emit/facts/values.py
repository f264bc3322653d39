"""What is known of a tensor when the source is written: constants, static shapes, their sums."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.eager.context import eager_mode  # no public spelling

from queueio.emit.spelling.literal import exact
from queueio.graph.copying import again, copy_ops
from queueio.graph.traits import traits_of

_SHAPES = frozenset({"Shape", "Size", "Rank", "ShapeN"})
_MOST = 1 << 22  # bytes that one op may be folded into

_ASKS_VARIABLE = ("IsVariableInitialized", "VarIsInitializedOp")


class Known:
    """Values by tensor name; grows as ops are noted in their order."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    @classmethod
    def of(cls, ops: Iterable[tf.Operation]) -> Known:
        """What is known of ops that stand in their order."""
        known = cls()
        for op in ops:
            known.note(op)
        return known

    def note(self, op: tf.Operation) -> bool:
        """Works `op` out, if everything that it needs is known; says whether it did."""
        if op.type in _SHAPES:
            found = [_static(op, tensor, i) for i, tensor in enumerate(op.outputs)]
        elif op.type in _ASKS_VARIABLE:  # it is an argument of the source, which has a value
            found = [np.True_]
        elif op.type == "Const":
            found = [_constant(op.outputs[0])]
        elif self._can(op):
            found = self._evaluated(op)
        else:
            return False
        if not found or any(value is None for value in found):
            return False
        for tensor, value in zip(op.outputs, found, strict=True):
            self.values[tensor.name] = exact(value)
        return True

    def _can(self, op: tf.Operation) -> bool:
        if not op.inputs or op.op_def is None or op.op_def.is_stateful or op.control_inputs:
            return False
        if op.type == "PlaceholderWithDefault":
            return False  # a caller may want another value
        if not traits_of(op).pure:  # what it reads of the world may be different tomorrow
            return False
        kinds = [t.dtype for t in (*op.inputs, *op.outputs)]
        if any(k._is_ref_dtype or k in (tf.resource, tf.variant) for k in kinds):
            return False
        if any(attr.HasField("func") for attr in op.node_def.attr.values()):
            return False
        return all(t.name in self.values for t in op.inputs)

    def _evaluated(self, op: tf.Operation) -> list[Any]:
        try:
            with eager_mode():  # a TF1 script has switched eager execution off
                values = [tf.constant(self.values[t.name], t.dtype) for t in op.inputs]
                made = again(op, values)
        except (tf.errors.OpError, AttributeError, ValueError):
            return []
        arrays = [exact(t.numpy() if hasattr(t, "numpy") else t) for t in made]
        return arrays if sum(a.nbytes for a in arrays) < _MOST else []


def _constant(tensor: tf.Tensor) -> Any:
    if 0 in (tensor.shape.as_list() if tensor.shape.rank else ()):
        # Some empty constants carry a value that does not fit their shape.
        return np.zeros(tensor.shape.as_list(), tensor.dtype.as_numpy_dtype)
    return tf.get_static_value(tensor)


def _static(op: tf.Operation, tensor: tf.Tensor, index: int) -> Any:
    shape = op.inputs[index if op.type == "ShapeN" else 0].shape
    if op.type == "Rank":
        return None if shape.rank is None else np.int32(shape.rank)
    if not shape.is_fully_defined():
        return None
    kind = tensor.dtype.as_numpy_dtype
    return kind(shape.num_elements()) if op.type == "Size" else np.array(shape.as_list(), kind)


def says(shape: Any, wanted: Any) -> bool:
    """Whether static shape `shape` says all that `wanted` says."""
    if wanted.rank is None:
        return True
    if shape.rank is None:
        return False
    return all(b is None or a == b for a, b in zip(shape.as_list(), wanted.as_list(), strict=True))


def natural_shapes(
    fragment: Any, tensors: Sequence[Any], calls: Mapping[Any, Any]
) -> dict[str, Any]:
    """The shapes of `tensors` without any set_shape, by name; empty where nobody can say.

    Args:
      fragment: the fragment that they are of.
      tensors: some of its tensors.
      calls: the ops at which a public function ends, which says the shape of its result itself.
    """
    names = [t.name for t in tensors]
    given = [(t, t.shape) for t in (*fragment.inputs, *fragment.captures)]
    if any(t.dtype in (tf.resource, tf.variant) for t, _ in given):
        return {}
    given += [(op.outputs[0], call.shape) for op, call in calls.items()]
    with tf.Graph().as_default():
        known = {t.name: tf.compat.v1.placeholder(t.dtype.base_dtype, shape) for t, shape in given}
        try:
            copies = copy_ops(fragment.graph, fragment.ops, known, names)
        except ValueError:
            return {}
        return {name: copy.shape for name, copy in zip(names, copies, strict=True)}
