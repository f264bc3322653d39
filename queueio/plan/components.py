"""An element's components as dense tensors: a sparse one counts as its three parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import tensorflow as tf


def width(spec: Any) -> int:
    """How many dense tensors a component is made of."""
    return 3 if isinstance(spec, tf.SparseTensorSpec) else 1


def spread(values: Iterable[Any]) -> list[Any]:
    """The dense tensors of an element."""
    flat: list[Any] = []
    for value in values:
        if isinstance(value, tf.SparseTensor):
            flat += [value.indices, value.values, value.dense_shape]
        else:
            flat.append(value)
    return flat


def shapes_of(elements: Iterable[Any]) -> list[tf.TensorShape]:
    """The shapes of the dense tensors of an element; those of a sparse one's parts are not told."""
    return [
        tf.TensorShape(None if isinstance(spec, tf.SparseTensorSpec) else spec.shape)
        for spec in elements
        for _ in range(width(spec))
    ]


def gathered(flat: Sequence[Any], elements: Sequence[Any]) -> tuple[Any, ...]:
    """The element whose dense tensors are `flat`, with the static shapes of its specs.

    Args:
      flat: dense tensors, as `spread` gives them.
      elements: the specs of the components.
    """
    rest, values = list(flat), []
    for spec in elements:
        parts = [rest.pop(0) for _ in range(width(spec))]
        if isinstance(spec, tf.SparseTensorSpec):
            indices, dense, shape = parts
            dense.set_shape([None])
            if spec.shape.rank is not None:
                indices.set_shape([None, spec.shape.rank])
                shape.set_shape([spec.shape.rank])
            values.append(tf.SparseTensor(indices, dense, shape))
        else:
            values.append(parts[0])
    return tuple(values)


def row_of(spec: Any) -> Any:
    """The spec of one row of a component."""
    shape = spec.shape[1:] if spec.shape.rank else spec.shape
    return type(spec)(shape, spec.dtype)


def rows_of(spec: Any, size: int | None) -> Any:
    """The spec of `size` elements together."""
    shape = tf.TensorShape([size]).concatenate(spec.shape)
    return type(spec)(shape, spec.dtype)


def shaped(elements: Iterable[Any], shapes: Iterable[Any]) -> tuple[Any, ...]:
    """The specs with these shapes; sparse ones as they are."""
    return tuple(
        spec if isinstance(spec, tf.SparseTensorSpec) else tf.TensorSpec(shape, spec.dtype)
        for spec, shape in zip(elements, shapes, strict=True)
    )
