"""Division by a constant, and adding nothing, as a session computes them.

A session's optimiser turns `x / 255.` into `x * (1 / 255.)`, whose last bit may differ, and so
did TF 1.15.5, in queues as elsewhere. A function of tf.data is not optimised that way. To give
the model the numbers that the queue gave, the written code says the same product. Nor does a
session add or subtract a constant of zeros, which would make 0.0 of -0.0.
"""

from __future__ import annotations

import numpy as np
import tensorflow as tf


def reciprocal(op: tf.Operation) -> np.ndarray | None:
    """1 / the divisor if `op` divides floats by a constant, else None."""
    if op.type not in ("RealDiv", "Div", "Xdivy") or not op.inputs[1].dtype.is_floating:
        return None
    if op.inputs[1].op.type != "Const":
        return None  # computed divisors are left alone there too
    divisor = tf.get_static_value(op.inputs[1])
    with np.errstate(divide="ignore", over="ignore"):
        return np.asarray(np.ones_like(divisor) / divisor)


def unchanged(op: tf.Operation) -> tf.Tensor | None:
    """The input that `op` gives back because all that it adds to it is zeros, else None."""
    if op.type not in ("Add", "AddV2", "Sub") or not op.outputs[0].dtype.is_floating:
        return None
    pairs = [tuple(op.inputs), tuple(op.inputs)[::-1]]
    for value, other in pairs[:1] if op.type == "Sub" else pairs:
        constant = other.op.type == "Const" and _keeps_shape(value.shape, other.shape)
        if constant and not np.any(tf.get_static_value(other)):
            return value
    return None


def _keeps_shape(shape: tf.TensorShape, other: tf.TensorShape) -> bool:
    """Whether an operand of shape `other` is broadcast to `shape`, whatever is unknown of that."""
    if shape.rank is None or other.rank > shape.rank:
        return False
    pairs = zip(reversed(shape), reversed(other), strict=False)
    return all(beside == 1 or size == beside for size, beside in pairs)
