"""Which changes are changes of padding.

A list that is a number shorter, or whose last numbers are others, looks as if it had been padded in
another way. What is padded is dense, and is filled with one value in all examples.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from queueio.compare.findings.case import Case
from queueio.compare.match.change import Change
from queueio.compare.match.match import Pair


def as_padding(case: Case, pairs: list[Pair]) -> set[tuple[int, str]]:
    """The components whose padding has changed, with the kind of change."""
    found = {(i, c.kind) for p in pairs for i, c in enumerate(p.changes)}
    return {
        (index, kind)
        for index, kind in found
        if (kind == "padding-value" and _has_other_value(case, index, pairs))
        or (kind == "padding-length" and _has_other_length(case, index, pairs))
    }


def _has_other_value(case: Case, index: int, pairs: list[Pair]) -> bool:
    """Not where its padding is known, and alike, nor where it would never be more than one number,
    which may be any that has changed."""
    if any(p.component == index and p.alike for p in case.padded if case.whole is None):
        return False
    changes = _of(pairs, index, "padding-value")
    several = any(c.differing > 1 or isinstance(c.amount[0], bytes) for _, c in changes)
    return several and _is_dense(case, index)


def _has_other_length(case: Case, index: int, pairs: list[Pair]) -> bool:
    """Whether all that is longer ends in one value, and nothing in several; so ends what is padded
    on, where what a cut list has lost, or what was put behind one, are other numbers."""
    ends = {_last(pair, index) for pair, _ in _of(pairs, index, "padding-length")}
    cut = any(isinstance(c.amount, tuple) and c.amount[0] == "shape"
              for _, c in _of(pairs, index, "values"))  # fmt: skip
    padded = len(ends) == 1 and not cut and _is_dense(case, index)
    return padded and not are_one_hot(pairs, index)


def are_one_hot(pairs: list[Pair], index: int) -> bool:
    """Whether a component is a label as one_hot spells it: a single 1, at places that differ.

    Of a label beyond its depth one_hot makes zeros alone.
    """
    values = [side.values[index] for pair in pairs for side in (pair.old, pair.new)]
    if any(v.ndim != 1 or v.dtype.kind not in "biuf" for v in values):
        return False
    places = [np.flatnonzero(v) for v in values]
    single = all(len(at) < 2 and (v[at] == 1).all() for v, at in zip(values, places, strict=True))
    return single and len({int(at[0]) for at in places if len(at)}) > 1


def on_the_other_side(values: list[tuple[Any, Any]]) -> str:
    """`, as when …` of lists that are filled up at the other end; "" where they are not.

    Their numbers are the same, and stand at one end on one side, at the other end on the other.
    """
    if any(a.ndim != 1 or len(a) < 2 for a, _ in values):
        return ""
    turned = [(b, a) for a, b in values]
    for sides, new, old in ((values, "before", "behind"), (turned, "behind", "before")):
        fill = {a[-1].item() for a, _ in sides} & {b[0].item() for _, b in sides}
        if any(all(_stands_last(a, b, f) for a, b in sides) for f in fill):
            return f", as when lists are filled up {new} their numbers, not {old} them"
    return ""


def _stands_last(first: Any, last: Any, fill: Any) -> bool:
    """Whether a list that is filled up behind its numbers is so before them in the other."""
    count = len(first) - int(np.argmax(first[::-1] != fill)) if (first != fill).any() else 0
    rest = len(last) - count
    return bool((last[:rest] == fill).all() and (last[rest:] == first[:count]).all())


def _of(pairs: list[Pair], index: int, kind: str) -> list[tuple[Pair, Change]]:
    return [(p, p.changes[index]) for p in pairs if p.changes[index].kind == kind]


def _last(pair: Pair, index: int) -> Any:
    longer = max(pair.old.values[index], pair.new.values[index], key=lambda value: value.size)
    return longer.reshape(-1)[-1].item() if longer.dtype != object else longer.reshape(-1)[-1]


def _is_dense(case: Case, index: int) -> bool:
    sides = case.old.schema, case.new.schema
    return all(schema.components[index].kind == "dense" for schema in sides)
