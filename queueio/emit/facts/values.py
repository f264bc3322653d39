"""What is known of a tensor when the source is written: constants, static shapes, their sums."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.eager.context import eager_mode  # no public spelling

from queueio.compile.copying import copy_ops
from queueio.emit.spelling.literal import exact
from queueio.graph.traits import traits_of

_SHAPES = frozenset({"Shape", "Size", "Rank", "ShapeN"})
_MOST = 1 << 22  # bytes that one op may be folded into


class Known:
    """Values by tensor name; grows as ops are noted in their order."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    @classmethod
    def of(cls, ops: Iterable[Any]) -> Known:
        """What is known of ops that stand in their order."""
        known = cls()
        for op in ops:
            known.note(op)
        return known

    def note(self, op: Any) -> bool:
        """Works `op` out, if everything that it needs is known; says whether it did."""
        if op.type in _SHAPES:
            found = [_static(op, tensor, i) for i, tensor in enumerate(op.outputs)]
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

    def _can(self, op: Any) -> bool:
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

    def _evaluated(self, op: Any) -> list[Any]:
        try:
            with eager_mode():  # a TF1 script has switched eager execution off
                values = [tf.constant(self.values[t.name], t.dtype) for t in op.inputs]
                made = getattr(tf.raw_ops, op.type)(**arguments(op, values))
        except (tf.errors.OpError, AttributeError, ValueError):
            return []
        flat = tf.nest.flatten(made)
        arrays = [exact(t.numpy() if hasattr(t, "numpy") else t) for t in flat]
        return arrays if sum(a.nbytes for a in arrays) < _MOST else []


def _constant(tensor: Any) -> Any:
    if 0 in (tensor.shape.as_list() if tensor.shape.rank else ()):
        # Some empty constants carry a value that does not fit their shape.
        return np.zeros(tensor.shape.as_list(), tensor.dtype.as_numpy_dtype)
    return tf.get_static_value(tensor)


def _static(op: Any, tensor: Any, index: int) -> Any:
    shape = op.inputs[index if op.type == "ShapeN" else 0].shape
    if op.type == "Rank":
        return None if shape.rank is None else np.int32(shape.rank)
    if not shape.is_fully_defined():
        return None
    kind = tensor.dtype.as_numpy_dtype
    return kind(shape.num_elements()) if op.type == "Size" else np.array(shape.as_list(), kind)


def arguments(op: Any, values: Sequence[Any], *, defaults: bool = True) -> dict[str, Any]:
    """The arguments of `tf.raw_ops.<type>` for an op like `op`, with `values` as its inputs.

    Args:
      op: the op.
      values: one for each input, in order.
      defaults: whether to give attributes that have their default value.
    """
    rest, found, read_off = list(values), {}, set()
    for arg, name in zip(op.op_def.input_arg, _input_names(op.type, op.op_def), strict=True):
        read_off |= {arg.type_attr, arg.number_attr, arg.type_list_attr}
        if arg.number_attr:
            count = int(op.get_attr(arg.number_attr))
        elif arg.type_list_attr:
            count = len(op.get_attr(arg.type_list_attr))
        else:
            found[name] = rest.pop(0)
            continue
        found[name], rest = rest[:count], rest[count:]
    for attr in op.op_def.attr:
        if attr.name in read_off or attr.name not in op.node_def.attr:
            continue
        if defaults or op.node_def.attr[attr.name] != attr.default_value:
            found[attr.name] = op.get_attr(attr.name)
    return found


def _input_names(kind: str, definition: Any) -> list[str]:
    """What Python calls the inputs of an op: a few are called otherwise than in the graph."""
    names = [arg.name for arg in definition.input_arg]
    taken = set(inspect.signature(getattr(tf.raw_ops, kind)).parameters) - {"name"}
    spare = [n for n in taken - set(names) if n not in {a.name for a in definition.attr}]
    return [spare[0] if n not in taken and len(spare) == 1 else n for n in names]


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
