"""Tensors of any length in the rows of a chunk: each is packed into one cell.

    record ─▶ [the user's ops, for each row: tokens [n] ─▶ one variant] ─▶ chunk of variants
           ─▶ batch ─▶ [unpacked and padded: tokens [B, longest]]

A chunk needs tensors of one shape, and a dataset of single examples costs a call for each of them.
Where all ops have rules, the lists of a chunk are made in one go and then packed. Else one op runs
the user's ops for each row of a chunk, at a third of what single examples cost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from queueio.compile.lists import Lists
from queueio.compile.placement import lists_in, must_pass_in_order
from queueio.compile.vectorise import Chunked, PerExample, vectorise
from queueio.graph.fragment import Fragment

Captures = Mapping[str, tf.Tensor] | None
ops = tf.raw_ops
_MANY_VALUES = 1 << 18
"""In a batch: above this it is padded without a table of their places."""


@dataclass(frozen=True)
class PackedFragment(Fragment):
    """A fragment that gives tensors of any length as scalars."""

    def call(self, *values: Any, captures: Captures = None) -> tuple[tf.Tensor, ...]:
        """The outputs: scalar variants for those of any length."""
        made = super().call(*values, captures=captures)
        return tuple(
            t if _is_cell(own) else _packed(t) for t, own in zip(made, self.outputs, strict=True)
        )


@dataclass(frozen=True)
class Packed(PerExample):
    """A fragment that gives tensors of any length, perhaps beside such of one shape."""

    pads = True
    last = -1
    """Where in a row the last component stands."""

    @classmethod
    def of(cls, fragment: Fragment, elements: tuple[Any, ...]) -> Packed | None:
        """The fragment as such a piece; None if another form is better or the only one."""
        if must_pass_in_order(fragment) or not all(map(_fits, elements)):
            return None
        packed = PackedFragment(
            fragment.graph, fragment.inputs, fragment.outputs, fragment.captures, fragment.ops
        )
        piece = cls(packed)
        return (PackedLists.behind(piece) or piece) if piece.quick else None

    @property
    def cells(self) -> list[tf.TensorSpec]:
        """What it gives for each row."""
        return [
            tf.TensorSpec(t.shape, t.dtype) if _is_cell(t) else tf.TensorSpec([], tf.variant)
            for t in self.fragment.outputs
        ]

    def batch(self, *rows: tf.Tensor) -> tuple[tf.Tensor, ...]:
        """The components of a batch: those of any length padded to its longest example."""
        return tuple(
            row if _is_cell(own) else _padded(row, own)
            for row, own in zip(rows, self.fragment.outputs, strict=True)
        )


@dataclass(frozen=True)
class PackedLists(Packed):
    """One whose ops all take chunks, with lists of any length in them (rules/lists/)."""

    @classmethod
    def behind(cls, piece: Packed) -> PackedLists | None:
        """The same piece in this form; None where an op takes no chunk."""
        pieces = vectorise(piece.fragment)
        lists = lists_in(piece.fragment)
        whole = all(_is_cell(t) or t.ref() in lists for t in piece.fragment.outputs)
        one = len(pieces) == 1 and isinstance(pieces[0], Chunked)
        return cls(piece.fragment) if whole and one else None

    def call(self, *values: Any, captures: Captures = None) -> tuple[tf.Tensor, ...]:
        """Rows and cells of a chunk of records."""
        made = Chunked(self.fragment).call(*values, captures=captures)
        return tuple(each.cells() if isinstance(each, Lists) else each for each in made)


def _fits(spec: Any) -> bool:
    """Whether a component has one shape, but for how many rows it may have."""
    if not isinstance(spec, tf.TensorSpec) or spec.shape.rank is None:
        return False
    return spec.dtype not in (tf.variant, tf.resource) and spec.shape[1:].is_fully_defined()


def _is_cell(tensor: tf.Tensor) -> bool:
    return bool(tensor.shape.is_fully_defined())


def _packed(tensor: tf.Tensor) -> tf.Tensor:
    packed = ops.RaggedTensorToVariant(
        rt_nested_splits=[], rt_dense_values=tensor, batched_input=False
    )
    packed.set_shape([])
    return packed


def _padded(cells: tf.Tensor, of: tf.Tensor) -> tf.Tensor:
    """[B, longest, ...] of B cells, each a tensor like `of`."""
    splits, values = _values_of(cells, of)
    lengths = splits[1:] - splits[:-1]
    longest = tf.reduce_max(lengths)

    def whole() -> tf.Tensor:
        shape = tf.concat(
            [[tf.size(lengths, tf.int64), longest], tf.shape(values, tf.int64)[1:]], 0
        )
        return tf.reshape(values, shape)

    def together() -> tf.Tensor:
        return tf.RaggedTensor.from_row_splits(values, splits, validate=False).to_tensor()

    def one_by_one() -> tf.Tensor:
        return _padded_one_by_one(cells, of, longest)

    def large() -> tf.Tensor:
        return tf.cond(tf.reduce_all(tf.equal(lengths, longest)), whole, one_by_one)

    # `to_tensor` notes for each value where it goes, in eight bytes. What does without is a
    # function of its own: the ops of a side that is not taken would cost a third of the padding.
    apart = tf.function(large, autograph=False, experimental_attributes={"_noinline": True})
    made = tf.cond(tf.shape(values)[0] > _MANY_VALUES, apart, together)
    made.set_shape([None, None, *of.shape[1:]])
    return made


def _padded_one_by_one(cells: tf.Tensor, of: tf.Tensor, longest: tf.Tensor) -> tf.Tensor:
    """The same with a row on its way at a time."""
    inner = [[0, 0]] * (of.shape.rank - 1)

    def row(number: tf.Tensor, made: tf.TensorArray) -> tuple[tf.Tensor, tf.TensorArray]:
        _, values = _values_of(cells[number : number + 1], of)
        missing = tf.cast(longest, tf.int32) - tf.shape(values)[0]
        return number + 1, made.write(number, tf.pad(values, [[0, missing], *inner]))

    count = tf.size(cells)
    rows = tf.TensorArray(of.dtype, count, element_shape=[None, *of.shape[1:]])
    loop = tf.while_loop(lambda number, _: number < count, row, (0, rows), parallel_iterations=1)
    return loop[1].stack()


def _values_of(cells: tf.Tensor, of: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Where the values of each cell begin and end, and all values."""
    splits, values = ops.RaggedTensorFromVariant(
        encoded_ragged=cells, input_ragged_rank=0, output_ragged_rank=1, Tvalues=of.dtype,
        Tsplits=tf.int64,
    )  # fmt: skip
    values.set_shape(of.shape)
    return splits[0], values
