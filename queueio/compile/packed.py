"""Tensors of any length in the rows of a chunk: each is packed into one cell.

    record ─▶ [the user's ops, for each row: tokens [n] ─▶ one variant] ─▶ chunk of variants
           ─▶ batch ─▶ [unpacked and padded: tokens [B, longest]]

A chunk needs tensors of one shape, and a dataset of single examples costs a call for each of them.
One op runs the user's ops for each row of a chunk, at a third of that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import tensorflow as tf

from queueio.compile.placement import must_pass_in_order
from queueio.compile.sequences import Lists, Sequences
from queueio.compile.vectorise import Chunked, PerExample, vectorise
from queueio.graph.fragment import Fragment

Captures = Mapping[str, tf.Tensor] | None
ops = tf.raw_ops
_LENGTHS = ("Shape", "Size")


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


@dataclass(frozen=True, kw_only=True)
class PackedLists(Packed):
    """Lists that are parsed for a whole chunk in one call, beside what is made of other features.

    Attributes:
      sequences: what is parsed.
      rest: makes the outputs of one shape of the features that have one.
      lengths: tensors that tell how long a list is, with the list's own.
    """

    sequences: Sequences
    rest: Fragment
    lengths: tuple[tuple[tf.Tensor, tf.Tensor], ...]

    @classmethod
    def behind(cls, piece: Packed) -> PackedLists | None:
        """The same piece in this form; None where a list goes through further ops."""
        fragment = piece.fragment
        found = [made for op in fragment.ops if (made := Sequences.of(op))]
        if len(found) != 1 or not any(found[0].record is t for t in fragment.inputs):
            return None
        (sequences,) = found
        lists = [t for t in sequences.op.outputs if t.dtype != tf.variant and not _is_cell(t)]
        lengths = tuple(
            (op.outputs[0], t) for t in lists for op in t.consumers()
            if op.type in _LENGTHS and op in fragment.ops
        )  # fmt: skip
        rows = tuple(t for t in fragment.outputs if _is_cell(t))
        given = (*fragment.inputs, *sequences.op.outputs, *(told for told, _ in lengths))
        apart = {sequences.op, *(told.op for told, _ in lengths)}
        inner = tuple(op for op in fragment.ops if op not in apart)
        rest = Fragment(fragment.graph, given, rows, fragment.captures, inner).narrowed()
        used = {t.ref() for op in rest.ops for t in op.inputs} | {t.ref() for t in rows}
        whole = {t.ref() for t in fragment.outputs if not _is_cell(t)} <= {t.ref() for t in lists}
        if not whole or any(t.ref() in used for t in lists):
            return None
        if not all(isinstance(each, Chunked) for each in vectorise(rest)):
            return None
        return cls(fragment, sequences=sequences, rest=rest, lengths=lengths)

    def call(self, *values: Any, captures: Captures = None) -> tuple[tf.Tensor, ...]:
        """Rows and cells of a chunk of records."""
        known: dict[str, Any] = {
            t.name: value for t, value in zip(self.fragment.inputs, values, strict=True)
        }
        parsed = self.sequences.parse(known[self.sequences.record.name], self._defaults(captures))
        known.update(parsed)
        for told, tensor in self.lengths:
            lists = known[tensor.name]
            count = lists.splits[1:] - lists.splits[:-1]
            sizes = tf.cast(count, told.dtype) * (tensor.shape[1:].num_elements() or 1)
            known[told.name] = _as_told(told, tensor, sizes, count)
        made = iter(self._rows(known, captures))
        return tuple(
            next(made) if _is_cell(t) else _cells(known[t.name]) for t in self.fragment.outputs
        )

    def _rows(self, known: dict[str, Any], captures: Captures) -> tuple[tf.Tensor, ...]:
        if not self.rest.outputs:
            return ()
        given = (known[t.name] for t in self.rest.inputs)
        rows: tuple[tf.Tensor, ...] = Chunked(self.rest).call(*given, captures=captures)
        return rows

    def _defaults(self, captures: Captures) -> tuple[tf.Tensor, ...]:
        outputs = self.sequences.defaults
        made = replace(self.rest, inputs=(), outputs=outputs, ops=self.fragment.ops)
        return made.narrowed().call(captures=captures) if outputs else ()


def _as_told(told: tf.Tensor, of: tf.Tensor, sizes: tf.Tensor, count: tf.Tensor) -> tf.Tensor:
    """The size of each list, or its shape, as an op tells it of one."""
    if told.op.type == "Size":
        return sizes
    inner = tf.constant(of.shape[1:].as_list(), told.dtype, [of.shape.rank - 1])
    first = tf.cast(count, told.dtype)[:, tf.newaxis]
    return tf.concat([first, tf.tile(inner[tf.newaxis], [tf.shape(first)[0], 1])], 1)


def _cells(lists: Lists) -> tf.Tensor:
    cells = ops.RaggedTensorToVariant(
        rt_nested_splits=[lists.splits], rt_dense_values=lists.values, batched_input=True
    )
    cells.set_shape([None])
    return cells


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
    splits, values = ops.RaggedTensorFromVariant(
        encoded_ragged=cells, input_ragged_rank=0, output_ragged_rank=1, Tvalues=of.dtype,
        Tsplits=tf.int64,
    )  # fmt: skip
    values.set_shape(of.shape)
    rows = tf.RaggedTensor.from_row_splits(values, splits[0], validate=False)
    return rows.to_tensor()
