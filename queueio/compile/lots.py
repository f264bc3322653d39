"""Lots of records, many lots at a time, where the ops of a lot work on each of its records alone.

    read_up_to(64) ─▶ lot [64] ─▶ [ParseExample] ─▶ rows        a call for 64 records
                   ─▶ lots [4032] ─▶ [ParseExample] ─▶ rows     one for as many as were read at once

A call costs as much as the work on a hundred records. What is made of a lot is put into the queue
row by row, so nobody can see how many lots a call had, but where it fails: then it is each lot's
turn alone, as in the queues.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from queueio.compile.kernels.budget import known_bytes, rows_within
from queueio.compile.rules import RULES, ChunkSite
from queueio.compile.rules.elementwise import (
    EXACT_BINARY,
    EXACT_UNARY,
    ROUNDED_BINARY,
    ROUNDED_UNARY,
    STRINGS,
)
from queueio.compile.vectorise import Piece
from queueio.graph.fragment import Fragment
from queueio.graph.traits import traits_of

_MOST_ROWS = 4096
_MOST_BYTES = 2 << 20
"""Of the widest tensor that is made of the lots of one call, where more than one lot is in it."""


class Lots(NamedTuple):
    """Lots of a reader's records.

    Attributes:
      chunks: makes the dataset of their records, whole lots in each chunk, [C, ...].
      size: how many records a lot has; fewer at the end of a file.
    """

    chunks: Callable[[], tf.data.Dataset]
    size: int


@dataclass(frozen=True)
class Whole(Piece):
    """Runs once for many lots, as it would run for one."""

    def call(self, *values: Any, captures: Any = None) -> tuple[tf.Tensor, ...]:
        """The fragment's outputs for the rows of all lots."""
        made: tuple[tf.Tensor, ...] = self.fragment.call(*values, captures=captures)
        return made

    def most(self, lot: int) -> int:
        """How many rows a call has: of whole lots."""
        made = [t for op in self.fragment.ops for t in op.outputs if t.shape.rank]
        rows = [tf.TensorSpec(t.shape[1:], t.dtype) for t in made]
        widest = max((known_bytes([row]) or 0 for row in rows), default=0)
        return max(rows_within(widest, _MOST_ROWS, _MOST_BYTES) // lot * lot, lot)


def of_rows_alone(fragment: Fragment) -> bool:
    """Whether row i of all that a fragment gives is made of row i of what it takes, bit for bit.

    It takes tensors of one axis or more, of which the first is the rows'; how many these are, the
    graph must leave open.
    """
    rows = {t.ref() for t in fragment.inputs}
    if not all(map(_open, fragment.inputs)):
        return False
    for op in fragment.ops:
        given = tuple(t.ref() in rows for t in op.inputs)
        traits = traits_of(op)
        if any(given):
            alone = _ALONE.get(op.type)
            if alone is None or not all(map(_open, op.outputs)):
                return False
            if not alone(ChunkSite(op, given)):
                return False
            rows.update(t.ref() for t in op.outputs)
        elif not (traits.pure or traits.steady) or traits.checks:
            return False
    return all(t.ref() in rows for t in fragment.outputs)


def _open(tensor: tf.Tensor) -> bool:
    """Whether a tensor may have any number of rows."""
    return bool(tensor.shape.rank) and tensor.shape.as_list()[0] is None


def _elementwise(site: ChunkSite) -> bool:
    """Whether the first axis of what has rows meets that of the result, and no other tensor's."""
    rank = site.op.outputs[0].shape.rank
    for i, of_rows in enumerate(site.stacked):
        own = site.rank(i)
        if own is None or (own != rank if of_rows else own >= rank):
            return False
    return RULES[site.op.type].fits(site)


def _first(site: ChunkSite) -> bool:
    return site.stacked[0] and not any(site.stacked[1:])


def _parsed(site: ChunkSite) -> bool:
    """Dense features of known shapes: others are as long as the longest of the lot."""
    sparse = {"ParseExample": "Nsparse", "ParseExampleV2": "num_sparse"}[site.op.type]
    ragged = site.op.type == "ParseExampleV2" and site.attr("ragged_value_types")
    shapes = map(tf.TensorShape, site.attr("dense_shapes"))
    known = all(shape.is_fully_defined() for shape in shapes)
    return _first(site) and site.rank(0) == 1 and not site.attr(sparse) and not ragged and known


def _axis(number: int, rank: int | None) -> int | None:
    """An axis counted from the front; None where that is not known."""
    return number if number >= 0 else None if rank is None else number + rank


def _not_first(number: Any, rank: int | None) -> bool:
    """Whether all of some axes are known, and none is the first."""
    axes = None if number is None else [_axis(int(n), rank) for n in np.ravel(number)]
    return axes is not None and all(axes)


def _reshape(site: ChunkSite) -> bool:
    wanted, shape = site.constant(1), site.shape(0)
    if not _first(site) or wanted is None or not shape.rank or not len(wanted):
        return False
    size = shape[1:].num_elements()
    return bool(size) and wanted[0] == -1 and int(np.prod(wanted[1:])) == size


def _all_given(start: int, end: int | None) -> Callable[[ChunkSite], bool]:
    """Whether all of some inputs have rows, of one rank."""

    def check(site: ChunkSite) -> bool:
        ranks = {t.shape.rank for t in site.op.inputs[start:end]}
        return all(site.stacked[start:end]) and len(ranks) == 1

    return check


def _pack(site: ChunkSite) -> bool:
    return _all_given(0, None)(site) and _not_first(site.attr("axis"), _rank_out(site))


def _rank_out(site: ChunkSite) -> int | None:
    rank: int | None = site.op.outputs[0].shape.rank
    return rank


def _concat(site: ChunkSite) -> bool:
    last = len(site.stacked) - 1
    return (
        _all_given(0, -1)(site)
        and not site.stacked[last]
        and _not_first(site.constant(last), site.rank(0))
    )


def _strided_slice(site: ChunkSite) -> bool:
    """Of the first axis all is taken, as by `x[:, …]` or `x[..., …]`."""
    begin, strides = site.constant(1), site.constant(3)
    if not _first(site) or begin is None or strides is None or not len(begin):
        return False
    new = site.attr("new_axis_mask")
    if (new | site.attr("shrink_axis_mask")) & 1:
        return False
    if site.attr("ellipsis_mask") & 1:
        named = len(begin) - 1 - new.bit_count()
        return bool(named < (site.rank(0) or 0))
    all_of_it = site.attr("begin_mask") & 1 and site.attr("end_mask") & 1
    return bool(all_of_it) and strides[0] == 1


def _transpose(site: ChunkSite) -> bool:
    order = site.constant(1)
    return _first(site) and order is not None and order[0] == 0


def _slice(site: ChunkSite) -> bool:
    begin, size = site.constant(1), site.constant(2)
    if not _first(site) or begin is None or size is None:
        return False
    return bool(begin[0] == 0 and size[0] == -1)


def _gather(site: ChunkSite) -> bool:
    axis = site.constant(2)
    if axis is None or site.attr("batch_dims") or site.stacked[2]:
        return False
    if site.stacked == (False, True, False):  # rows of a table
        return int(axis) == 0
    return _first(site) and _not_first(axis, site.rank(0))


def _reduced(site: ChunkSite) -> bool:
    return RULES[site.op.type].fits(site) and _not_first(site.constant(1), site.rank(0))


def _padded(site: ChunkSite) -> bool:
    paddings = site.constant(1)
    return _first(site) and paddings is not None and not paddings[0].any()


_ALONE: dict[str, Callable[[ChunkSite], bool]] = {
    **dict.fromkeys((*EXACT_UNARY, *EXACT_BINARY, *STRINGS), _elementwise),
    **dict.fromkeys((*ROUNDED_UNARY, *ROUNDED_BINARY), _elementwise),  # of whole numbers
    **dict.fromkeys(("Cast", "Div", "RealDiv", "Equal", "NotEqual", "SelectV2"), _elementwise),
    **dict.fromkeys(("StringJoin", "RegexFullMatch", "RegexReplace", "Substr"), _elementwise),
    **dict.fromkeys(("DecodeCSV", "DecodeRaw", "DecodePaddedRaw", "DecodeCompressed"), _first),
    **dict.fromkeys(("ParseExample", "ParseExampleV2"), _parsed),
    **dict.fromkeys(("Sum", "Prod", "Max", "Min", "Any", "All"), _reduced),
    **dict.fromkeys(("Pad", "PadV2"), _padded),
    "LookupTableFindV2": _elementwise,
    "OneHot": lambda site: _first(site) and site.attr("axis") != 0,
    "Reshape": _reshape,
    "ExpandDims": lambda s: _first(s) and _not_first(s.constant(1), _rank_out(s)),
    "Squeeze": lambda s: (
        bool(s.attr("squeeze_dims")) and _not_first(s.attr("squeeze_dims"), s.rank(0))
    ),
    "Pack": _pack,
    "ConcatV2": _concat,
    "Unpack": lambda site: _not_first(site.attr("axis"), site.rank(0)),
    "Split": lambda s: s.stacked == (False, True) and _not_first(s.constant(0), s.rank(1)),
    "SplitV": lambda s: _first(s) and _not_first(s.constant(2), s.rank(0)),
    "Transpose": _transpose,
    "StridedSlice": _strided_slice,
    "Slice": _slice,
    "GatherV2": _gather,
}
"""Whether an op, some of whose inputs have rows, works on each of them alone."""
