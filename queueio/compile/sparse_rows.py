"""Sparse tensors in the rows of a chunk: three cells for each row of one.

    lot of rows, sparse [N, …] ─▶ cells [N, 3] ─▶ batch [B, 3] ─▶ sparse [B, …]
    record ─▶ [the user's ops, for each row: sparse […] ─▶ cells [3]] ─▶ chunk of cells [C, 3]

A chunk needs tensors of one shape. TensorFlow takes the rows of a sparse tensor apart in one call,
each with its own places, values and shape, and makes one of those of a batch in another. They are
written down as strings: a pool knows what these weigh.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.compile.placement import must_pass_in_order
from queueio.compile.vectorise import PerExample, Piece, vectorise
from queueio.graph.fragment import Fragment
from queueio.plan.components import gathered, rows_of

ops = tf.raw_ops
_ELEMENTS = 2.0**63
"""So many no tensor has, and no sparse one says that it would have."""


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


@dataclass(frozen=True)
class SparseFragment(Fragment):
    """A fragment that gives cells in place of sparse tensors.

    Attributes:
      elements: the specs of what it gives.
    """

    elements: tuple[Any, ...] = ()

    def call(self, *values: Any, captures: Any = None) -> tuple[tf.Tensor, ...]:
        """The components of one example: strings [3] for a sparse one."""
        made = gathered(list(super().call(*values, captures=captures)), self.elements)
        return tuple(_own_cells(c) if isinstance(c, tf.SparseTensor) else c for c in made)


@dataclass(frozen=True)
class SparseCells(PerExample):
    """A piece that gives them."""

    fragment: SparseFragment

    @property
    def cells(self) -> list[tf.TensorSpec]:
        """What it gives for each row."""
        of_sparse = tf.TensorSpec([3], tf.string)
        return [
            of_sparse if isinstance(spec, tf.SparseTensorSpec) else spec
            for spec in self.fragment.elements
        ]

    @classmethod
    def pieces(cls, fragment: Fragment, elements: tuple[Any, ...]) -> Sequence[Piece] | None:
        """Those of a fragment that gives sparse tensors; None where it must not run in chunks."""
        if SparseRows.of(elements) is None or must_pass_in_order(fragment):
            return None
        made = vectorise(fragment)
        first = next((n for n, p in enumerate(made) if isinstance(p, PerExample)), len(made))
        before, rest = made[:first], made[first:]
        left = dict.fromkeys(op for p in rest for op in p.fragment.ops)
        own = SparseFragment(
            fragment.graph, rest[0].fragment.inputs if rest else fragment.outputs,
            fragment.outputs, fragment.captures, tuple(left), elements=elements,
        )  # fmt: skip
        piece = cls(own)
        return [*before, piece] if piece.quick else None


def _cells(sparse: tf.SparseTensor) -> tf.Tensor:
    cells = ops.SerializeManySparse(
        sparse_indices=sparse.indices, sparse_values=sparse.values,
        sparse_shape=sparse.dense_shape,
    )  # fmt: skip
    return tf.ensure_shape(cells, [None, 3])


def _own_cells(sparse: tf.SparseTensor) -> tf.Tensor:
    with tf.control_dependencies(_checks(sparse.dense_shape)):
        return ops.SerializeSparse(
            sparse_indices=sparse.indices, sparse_values=sparse.values,
            sparse_shape=sparse.dense_shape,
        )  # fmt: skip


def _checks(shape: tf.Tensor) -> list[tf.Operation]:
    """What fails where none can have this shape: an error in a queue, here it ends the process."""
    known = tf.get_static_value(shape)
    if known is not None and _may_be(known):
        return []
    least = tf.reduce_min(shape)  # the greatest number where there is no axis
    elements = tf.reduce_prod(tf.cast(tf.maximum(shape, 1), tf.float64))
    # Not `tf.debugging.Assert`, which calls a function for each row.
    return [
        ops.Assert(condition=least >= 0, data=["Dimension", least, "must be >= 0"]),
        ops.Assert(
            condition=elements < _ELEMENTS,
            data=["Shape", shape, "would have more than 2**63 - 1 elements"],
        ),
    ]


def _may_be(shape: np.ndarray) -> bool:
    return bool((shape >= 0).all() and np.maximum(shape, 1).prod(dtype=np.float64) < _ELEMENTS)
