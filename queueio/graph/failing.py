"""Which ops succeed whatever an example holds.

What cannot fail may run at another place than where the program put it: behind the shuffle, on
both sides of a cond. Mostly the op's type and the shapes tell. A random crop cannot leave its
image either, but for that its offsets must be followed to where they are drawn:

    Slice(image, begin=FloorMod(RandomUniformInt, 33 - 24), size=24)      begin is 0 to 8
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import numpy as np
import tensorflow as tf

from queueio.graph.traits import row_of

Bounds = tuple[np.ndarray, np.ndarray]
"""The least and the largest value of each element of an integer tensor."""
Inputs = Sequence[Callable[[], Bounds | None]]
"""What gives those of each input of an op, where somebody asks."""
_FAR = 12
"""Steps back to where a number is drawn, beyond which nobody looks."""


def cannot_fail(op: tf.Operation) -> bool:
    """Whether an op succeeds whatever its inputs hold: its shapes are known, and what matters."""
    by = row_of(op.type).fails_by
    if by is None or not all(t.shape.is_fully_defined() for t in (*op.inputs, *op.outputs)):
        return False
    if op.type in ("FloorDiv", "FloorMod"):
        return _never_zero(op.inputs[1])
    known = all(tf.get_static_value(op.inputs[i]) is not None for i in by)
    return known or (op.type == "Slice" and _stays_within(op))


def draws_freely(op: tf.Operation) -> bool:
    """Whether an op draws random numbers, of any seed, between bounds that are known and hold."""
    given = [tf.get_static_value(t) for t in op.inputs]
    if not row_of(op.type).seeded or any(value is None for value in given):
        return False
    return op.type != "RandomUniformInt" or bool(given[1] < given[2])


def _never_zero(divisor: tf.Tensor) -> bool:
    if not divisor.dtype.is_integer:
        return True
    bounds = _bounds(divisor)
    return bounds is not None and bool(np.all((bounds[0] > 0) | (bounds[1] < 0)))


def _stays_within(op: tf.Operation) -> bool:
    """Whether a Slice of a known size cannot reach beyond its tensor."""
    whole, size = op.inputs[0].shape.as_list(), tf.get_static_value(op.inputs[2])
    begin = _bounds(op.inputs[1])
    if size is None or begin is None or np.any(size < 0):
        return False
    least, largest = begin
    return bool(np.all(least >= 0) and np.all(largest.astype(np.int64) + size <= whole))


def _bounds(tensor: tf.Tensor, steps: int = _FAR) -> Bounds | None:
    """Between what the elements of an integer tensor are; None where nothing is known."""
    value = tf.get_static_value(tensor)
    if value is not None:
        return np.asarray(value), np.asarray(value)
    op, rule = tensor.op, _BOUNDS.get(tensor.op.type)
    if rule is None or not steps or not tensor.dtype.is_integer:
        return None
    return rule(op, [functools.partial(_bounds, t, steps - 1) for t in op.inputs])


def _of_remainder(op: tf.Operation, inputs: Inputs) -> Bounds | None:
    divisor = inputs[1]()
    if divisor is None or np.any(divisor[0] <= 0):
        return None
    largest = np.broadcast_to(divisor[1] - 1, op.outputs[0].shape)
    return np.zeros_like(largest), largest


def _of_sum(op: tf.Operation, inputs: Inputs) -> Bounds | None:
    one, other = (bounds() for bounds in inputs)
    if one is None or other is None:
        return None
    if op.type == "Sub":
        other = -other[1].astype(object), -other[0].astype(object)
    return _held(op, one[0].astype(object) + other[0], one[1].astype(object) + other[1])


def _held(op: tf.Operation, least: np.ndarray, largest: np.ndarray) -> Bounds | None:
    """The bounds as numbers of the op's dtype, if they are: beyond these it starts anew."""
    kind = op.outputs[0].dtype
    if np.any(least < kind.min) or np.any(largest > kind.max):
        return None
    return least.astype(kind.as_numpy_dtype), largest.astype(kind.as_numpy_dtype)


def _of_draw(op: tf.Operation, inputs: Inputs) -> Bounds | None:
    least, limit = (tf.get_static_value(t) for t in op.inputs[-2:])
    if least is None or limit is None:
        return None
    shape = op.outputs[0].shape
    return np.broadcast_to(least, shape), np.broadcast_to(limit - 1, shape)


def _of_stack(op: tf.Operation, inputs: Inputs) -> Bounds | None:
    parts = [part for bounds in inputs if (part := bounds()) is not None]
    if len(parts) < len(inputs):
        return None
    axis = op.get_attr("axis")
    return np.stack([a for a, _ in parts], axis), np.stack([b for _, b in parts], axis)


def _of_same(op: tf.Operation, inputs: Inputs) -> Bounds | None:
    found = inputs[0]() if op.inputs[0].dtype.is_integer else None
    if found is None or not op.outputs[0].shape.is_fully_defined():
        return None
    return _held(op, *(np.reshape(bound, op.outputs[0].shape) for bound in found))


_BOUNDS: dict[str, Callable[[tf.Operation, Inputs], Bounds | None]] = {
    "FloorMod": _of_remainder,
    **dict.fromkeys(("Add", "AddV2", "Sub"), _of_sum),
    "RandomUniformInt": _of_draw,
    "StatelessRandomUniformIntV2": _of_draw,
    "Pack": _of_stack,
    **dict.fromkeys(("Cast", "ExpandDims", "Identity", "Reshape", "Squeeze"), _of_same),
}
