"""Ops that treat every value alone, on all values of the lists of a chunk.

What a list meets is a list of the same length, or one value that it meets all along: broadcasting
pairs that with each of its values. Functions that round by the place in a vector see lists of any
length at any place, so of floats they have no rule.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.compile.lists import Lists, alike
from queueio.compile.rules.elementwise import (
    EXACT_BINARY,
    EXACT_UNARY,
    ROUNDED_BINARY,
    STRINGS,
    exact_anywhere,
    fills_vectors,
)
from queueio.compile.rules.lists.operands import lists_at
from queueio.compile.rules.rule import RULES, ChunkSite, list_rule, with_rank
from queueio.graph.copying import again

_ALONE = tuple(op_type for op_type in (*EXACT_UNARY, *STRINGS) if op_type != "Bitcast")
_OF_FLOATS = ("DivNoNan", "MulNoNan")
_OF_WHOLE_NUMBERS = tuple(op_type for op_type in ROUNDED_BINARY if op_type not in _OF_FLOATS)
"""Those of the ops that round floats by their place which take other numbers too."""


@list_rule(*_ALONE, fits=lambda site: any(site.lists) and exact_anywhere(site))
def unary(site: ChunkSite, values: list[Lists]) -> list[Lists]:
    return _each(site, values[0], [values[0].values])


def _by_no_place(site: ChunkSite) -> bool:
    return any(site.lists) and RULES[site.op.type].fits(site)


@list_rule("Cast", "Relu", "Relu6", "Sign", fits=_by_no_place)
def rounded_unary(site: ChunkSite, values: list[Lists]) -> list[Lists]:
    return _each(site, values[0], [values[0].values])


def _with_scalars(site: ChunkSite) -> bool:
    at = site.lists.index(True) if any(site.lists) else 0
    others = [t for i, t in enumerate(site.op.inputs) if i != at and t.dtype != tf.resource]
    return lists_at(at)(site) and all(t.shape.rank == 0 for t in others)


@list_rule("RegexFullMatch", "RegexReplace", "LookupTableFindV2", "Substr", fits=_with_scalars)
@list_rule("ClipByValue", fits=lambda site: _with_scalars(site) and fills_vectors(site))
def with_shared_scalars(site: ChunkSite, values: list[Any]) -> list[Lists]:
    (lists,) = (v for v, own in zip(values, site.lists, strict=True) if own)
    return _each(site, lists, [v.values if v is lists else v for v in values])


def _each(site: ChunkSite, lists: Lists, values: list[Any]) -> list[Lists]:
    (made,) = again(site.op, values)
    return [Lists(made, lists.splits)]


def _rank(site: ChunkSite) -> int:
    return max(site.rank(i) or 0 for i in range(len(site.stacked)))


def broadcasts(site: ChunkSite) -> bool:
    """Whether each operand is a list, or one value for all values of a list."""
    rank = _rank(site)

    def fits(i: int) -> bool:
        own, shape = site.rank(i), site.shape(i)
        if own is None:
            return False
        return own == rank if site.lists[i] else own < rank or shape.as_list()[0] == 1

    return any(site.lists) and all(map(fits, range(len(site.stacked))))


def operands(site: ChunkSite, values: list[Any]) -> tuple[list[tf.Tensor], tf.Tensor]:
    """What each value of the lists meets, and the splits of the lists."""
    rank, lists = _rank(site), alike([v for v in values if isinstance(v, Lists)])
    waiting = iter(lists)
    found: list[tf.Tensor] = []
    for i, value in enumerate(values):
        own = site.rank(i) or 0
        if site.lists[i]:
            found.append(next(waiting).values)
        elif site.stacked[i]:
            row = value if own < rank else tf.squeeze(value, [1])
            row = with_rank(row, min(own, rank - 1), rank - 1)
            found.append(tf.gather(row, lists[0].examples))
        else:
            found.append(value if own < rank else tf.squeeze(value, [0]))
    return found, lists[0].splits


def _broadcasts_whole_numbers(site: ChunkSite) -> bool:
    return broadcasts(site) and fills_vectors(site)


def _compares(site: ChunkSite) -> bool:
    return broadcasts(site) and bool(site.attr("incompatible_shape_error"))


@list_rule("Equal", "NotEqual", fits=_compares)
@list_rule("Maximum", "Minimum", *_OF_WHOLE_NUMBERS, fits=_broadcasts_whole_numbers)
@list_rule("Div", "RealDiv", "SelectV2", *EXACT_BINARY,
           fits=lambda site: broadcasts(site) and exact_anywhere(site))  # fmt: skip
def broadcast(site: ChunkSite, values: list[Any]) -> list[Lists]:
    each, splits = operands(site, values)
    (made,) = again(site.op, each)
    return [Lists(made, splits)]


@list_rule("Select", fits=lambda site: all(site.lists))
def select(site: ChunkSite, values: list[Lists]) -> list[Lists]:
    # A vector of conditions chooses whole values, as many as there are.
    each = alike(values)
    condition, yes, no = (lists.values for lists in each)
    return [Lists(tf.raw_ops.Select(condition=condition, x=yes, y=no), each[0].splits)]


@list_rule("Assert", fits=lambda site: not site.lists[0] and site.rank(0) == 0)
def assert_(site: ChunkSite, values: list[Any]) -> list[Lists]:
    tf.raw_ops.Assert(condition=tf.reduce_all(values[0]), data=[site.op.name])
    return []
