"""Sparse tensors in the rows of a chunk: three cells for each row of one.

    lot of rows, sparse [N, …] ─▶ cells [N, 3] ─▶ batch [B, 3] ─▶ sparse [B, …]

A chunk needs tensors of one shape. TensorFlow takes the rows of a sparse tensor apart in one call,
each with its own places, values and shape, and makes one of those of a batch in another.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from queueio.plan.components import gathered, rows_of

ops = tf.raw_ops


@dataclass(frozen=True)
class SparseRows:
    """Examples that have sparse components beside such of one shape.

    Attributes:
      elements: the specs of the components of one.
    """

    elements: tuple[Any, ...]

    @classmethod
    @functools.lru_cache
    def of(cls, elements: tuple[Any, ...]) -> SparseRows | None:
        """The same for equal specs, so that joined producers can be seen to be alike; None where
        there is none that is sparse, or another one may be of any shape."""
        sparse = [spec for spec in elements if isinstance(spec, tf.SparseTensorSpec)]
        dense = [spec for spec in elements if isinstance(spec, tf.TensorSpec)]
        one_shape = all(spec.shape.is_fully_defined() for spec in dense)
        return cls(elements) if sparse and one_shape else None

    def rows(self, *lot: Any) -> tuple[tf.Tensor, ...]:
        """The rows of the components of several examples, [N, ...]; [N, 3] of a sparse one."""
        return tuple(_cells(c) if isinstance(c, tf.SparseTensor) else c for c in lot)

    def batch(self, *rows: tf.Tensor) -> tuple[Any, ...]:
        """The components of a batch of these rows."""
        flat: list[tf.Tensor] = []
        for spec, row in zip(self.elements, rows, strict=True):
            sparse = isinstance(spec, tf.SparseTensorSpec)
            flat += (
                ops.DeserializeSparse(serialized_sparse=row, dtype=spec.dtype) if sparse else [row]
            )
        return gathered(flat, [rows_of(spec, None) for spec in self.elements])


def _cells(sparse: tf.SparseTensor) -> tf.Tensor:
    cells = ops.SerializeManySparse(
        sparse_indices=sparse.indices, sparse_values=sparse.values,
        sparse_shape=sparse.dense_shape, out_type=tf.variant,
    )  # fmt: skip
    return tf.ensure_shape(cells, [None, 3])
