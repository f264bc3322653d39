"""Sparse tensors in the rows of a chunk: three cells for each row of one.

    lot of rows, sparse [N, …] ─▶ cells [N, 3] ─▶ batch [B, 3] ─▶ sparse [B, …]
    record ─▶ [the user's ops, for each row: sparse […] ─▶ cells [3]] ─▶ chunk of cells [C, 3]
    records ─▶ [the user's ops, for a chunk: lists of places and values] ─▶ chunk of cells [C, 3]

A chunk needs tensors of one shape. TensorFlow takes the rows of a sparse tensor apart in one call,
each with its own places, values and shape, and makes one of those of a batch in another. They are
written down as strings: a pool knows what these weigh.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.compile.lists import Lists
from queueio.compile.placement import lists_in, must_pass_in_order, stackable
from queueio.compile.vectorise import Chunked, PerExample, Piece, vectorise
from queueio.graph.fragment import Fragment
from queueio.plan.components import gathered, rows_of

Captures = Mapping[str, tf.Tensor] | None
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
        own = SparseFragment(
            fragment.graph, fragment.inputs, fragment.outputs, fragment.captures, fragment.ops,
            elements=elements,
        )  # fmt: skip
        made = vectorise(fragment)
        *several, last = made
        end = replace(own, inputs=last.fragment.inputs, ops=last.fragment.ops)
        in_chunks = isinstance(last, Chunked) and not any(piece.one_by_one for piece in several)
        if in_chunks and (lists := SparseLists.of(end)):
            return [*several, lists]
        first = next((n for n, p in enumerate(made) if isinstance(p, PerExample)), len(made))
        before, rest = made[:first], made[first:]
        left = dict.fromkeys(op for p in rest for op in p.fragment.ops)
        inputs = rest[0].fragment.inputs if rest else fragment.outputs
        piece = cls(replace(own, inputs=inputs, ops=tuple(left)))
        return [*before, piece] if piece.quick else None


@dataclass(frozen=True)
class SparseLists(SparseCells):
    """One whose ops all take chunks, with the places and values of a row as lists of any length."""

    @classmethod
    def of(cls, fragment: SparseFragment) -> SparseLists | None:
        """A fragment whose ops all take chunks in this form; None where a row is of one shape."""
        lists = lists_in(fragment)

        def fits(spec: Any, made: Any) -> bool:
            if not isinstance(spec, tf.SparseTensorSpec):
                return stackable(made)
            listed = made.indices.ref() in lists and made.values.ref() in lists
            return listed and stackable(made.dense_shape)

        made = gathered(list(fragment.outputs), fragment.elements)
        return cls(fragment) if all(map(fits, fragment.elements, made)) else None

    def call(self, *values: Any, captures: Captures = None) -> tuple[tf.Tensor, ...]:
        """Rows and cells of a chunk of what it takes."""
        made = iter(Chunked(self.fragment).call(*values, captures=captures))
        rows = [
            _Rows(*(next(made) for _ in range(3))) if isinstance(spec, tf.SparseTensorSpec)
            else next(made)
            for spec in self.fragment.elements
        ]  # fmt: skip
        plain = tf.stack([row.plain() for row in rows if isinstance(row, _Rows)])

        def together() -> tuple[tf.Tensor, ...]:
            return tuple(row.cells() if isinstance(row, _Rows) else row for row in rows)

        def each() -> tuple[tf.Tensor, ...]:
            one_by_one: tuple[tf.Tensor, ...] = PerExample.call(self, *values, captures=captures)
            return one_by_one

        cells: tuple[tf.Tensor, ...] = tf.cond(tf.reduce_all(plain), together, each)
        return cells


@dataclass(frozen=True)
class _Rows:
    """A sparse tensor for each row: lists of places, [n, rank], and values; shapes [C, rank]."""

    places: Lists
    values: Lists
    shapes: tf.Tensor

    @cached_property
    def whole(self) -> tf.SparseTensor:
        """All of them as one, [C, …], as wide as the widest, where they are `plain`."""
        places = tf.concat([self.places.examples[:, tf.newaxis], self.places.values], 1)
        widest = tf.maximum(tf.reduce_max(self.shapes, 0), 1)
        shape = tf.concat([tf.shape(self.shapes, tf.int64)[:1], widest], 0)
        return tf.SparseTensor(places, self.values.values, shape)

    def plain(self) -> tf.Tensor:
        """Whether all together are a sparse tensor, each place behind the one before it."""
        places = self.whole.indices
        before, after = places[:-1], places[1:]
        less, same = tf.constant(False), tf.constant(True)
        for axis in range(1 + self.shapes.shape[1]):
            less |= same & (before[:, axis] < after[:, axis])
            same &= tf.equal(before[:, axis], after[:, axis])
        own = tf.gather(self.shapes, places[:, 0])
        parts = [
            less,
            tf.equal(self.places.splits, self.values.splits),
            (self.places.values >= 0) & (self.places.values < own),
            self.shapes >= 0,
            tf.reduce_prod(tf.cast(self.whole.dense_shape, tf.float64)) < _ELEMENTS,
        ]
        return tf.reduce_all([tf.reduce_all(part) for part in parts])

    def cells(self) -> tf.Tensor:
        """Those of all rows, [C, 3], where they are `plain`."""
        # For a shape the op writes that of all. The numbers of each row's own are values.
        axes = tf.where(tf.ones_like(self.shapes, tf.bool))
        own = tf.SparseTensor(axes, tf.reshape(self.shapes, [-1]), tf.shape(self.shapes, tf.int64))
        return tf.concat([_cells(self.whole)[:, :2], _cells(own)[:, 1:2]], 1)


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
