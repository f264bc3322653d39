"""Ops that only tell a shape which the graph knows: the same number for all examples."""

from __future__ import annotations

import tensorflow as tf

_SHAPES = frozenset({"Shape", "ShapeN", "Size", "Rank"})


def is_folded(op: tf.Operation) -> bool:
    """True for a shape that the graph knows: the same for all examples."""
    if op.type == "Rank":
        return op.inputs[0].shape.rank is not None
    return op.type in _SHAPES and all(t.shape.is_fully_defined() for t in op.inputs)


def folded(op: tf.Operation) -> dict[str, tf.Tensor]:
    """What such an op gives, by the names of its outputs, as constants of the graph around."""
    if op.type == "ShapeN":  # which TensorFlow does not tell the value of
        values = [t.shape.as_list() for t in op.inputs]
    else:
        values = [tf.get_static_value(t) for t in op.outputs]
    return {t.name: tf.constant(v, t.dtype) for t, v in zip(op.outputs, values, strict=True)}
