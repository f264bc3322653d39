"""Examples that a filter tells apart: each side has others, or one has what the other never has."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from queueio.compare.findings.case import DIFFERENT, Case, Finding
from queueio.compare.findings.shown import show
from queueio.compare.reading.fetch import Example
from queueio.compare.reading.scan import Scan
from queueio.compare.reading.spool import BY_CHANCE, table
from queueio.words import times

OF_ONE = 4
"""Examples for each value, so that it is no chance that the other side never has it."""


def inverted_filter(case: Case) -> list[Finding]:
    """Nothing in common, and a component whose values exclude one another."""
    if case.common or not case.old.examples or not case.new.examples or _are_alike(case):
        return []
    if case.explained & {"missing", "extra"} or any(f.random for f in case.fetched):
        return []
    pairs = case.open_pairs()
    old, new = [*case.left[0], *(p.old for p in pairs)], [*case.left[1], *(p.new for p in pairs)]
    for index in _by_variety(case):
        component = case.old.schema.components[index]
        apart = _apart(*([e.values[index] for e in side] for side in (old, new)))
        if apart:
            case.claim(case.left[0] + case.left[1])
            case.claim(pairs)
            case.explained.update({"missing", "extra"})
            text = (
                "No example is common to both sides, as when a filter is inverted: "
                f"{component.title} {apart}."
            )
            return [
                Finding("filter-inverted", DIFFERENT, text, case.old.examples + case.new.examples)
            ]
    return []


def _are_alike(case: Case) -> bool:
    """Whether examples were paired by more than their places, or may have been: as many came."""
    pairs = case.open_pairs()
    return any(pair.score for pair in pairs) or bool(pairs and not any(case.left))


def _by_variety(case: Case) -> list[int]:
    """The components of one value an example, those with the fewest different values first."""
    if not all(e.values for left in case.left for e in left):
        return []  # digests only
    variety = {}
    for index in range(len(case.old.schema.components)):
        values = [e.values[index] for left in case.left for e in left]
        if all(v.size == 1 for v in values):
            variety[index] = len({v.item() for v in values})
    return sorted(variety, key=lambda i: variety[i])


def _apart(old: list[np.ndarray], new: list[np.ndarray]) -> str:
    if not old or not new or any(v.size != 1 for v in old + new):
        return ""
    a: set[Any] = {v.item() for v in old}
    b: set[Any] = {v.item() for v in new}
    if a & b:
        return ""
    if len(a) <= 12 and len(b) <= 12:
        return f"is one of {_set(a)} in the old side and one of {_set(b)} in the new one"
    if {old[0].dtype.kind, new[0].dtype.kind} & set("Oc"):
        return f"{_had(a, b)}, none of them common"
    low, high = sorted([(min(a), max(a), "old"), (min(b), max(b), "new")])
    if low[1] < high[0]:
        return (
            f"is at most {show(low[1])} in the {low[2]} side "
            f"and at least {show(high[0])} in the {high[2]} one"
        )
    if old[0].dtype.kind in "iu":
        for modulus in range(2, 11):
            left, right = ({v % modulus for v in side} for side in (a, b))
            if not left & right:
                said = f"{_set(left)} in the old side, {_set(right)} in the new one"
                return f"modulo {modulus} is {said}"
    return f"{_had(a, b)}, none of them common"


def _had(old: Any, new: Any) -> str:
    return f"has {times(len(old), 'value')} in the old side, {len(new):,} in the new one"


def _set(values: set) -> str:
    complex_ = any(isinstance(v, complex) for v in values)
    ordered = sorted(values, key=lambda v: (v.real, v.imag) if complex_ else v)
    return "{" + ", ".join(map(show, ordered)) + "}"


def only_theirs(case: Case, left: list[Example], is_old: bool) -> str:
    """What tells examples that one side lacks from all that it has; "" where no component does.

    Args:
      case: what was seen.
      left: the examples.
      is_old: whether the old side has them.
    """
    other = case.new if is_old else case.old
    if case.sampled or case.whole is not None or not other.examples:
        return ""
    for index in _by_variety(case):
        values: set[Any] = {example.values[index].item() for example in left}
        if OF_ONE * len(values) <= len(left) and _never(other, index, left):
            title = case.old.schema.components[index].title
            has = f"is {show(*values)}" if len(values) == 1 else f"is one of {_set(values)}"
            lacks = "new" if is_old else "old"
            never = f"never in the {lacks} side, as where a filter leaves them out"
            return f"{title} {has} in each, and {never}"
    return next(filter(None, (_beyond(case, i, left, is_old) for i in _by_variety(case))), "")


def _beyond(case: Case, index: int, left: list[Example], is_old: bool) -> str:
    """What is said of a number that is larger in each of them than in all that the other side has,
    or less, and not by chance."""
    other, side = (case.new, "new") if is_old else (case.old, "old")
    values = np.array([example.values[index].item() for example in left])
    if index not in other.spans or values.dtype.kind not in "iuf" or len(left) < OF_ONE:
        return ""
    low, high = other.spans[index]
    beyond = bool(((values < low) | (values > high)).all())
    if not beyond or not _tells(len(left), other.examples, len(other.spans)):
        return ""
    title = case.old.schema.components[index].title
    return (
        f"{title} is from {show(low.item())} to {show(high.item())} in all examples of the {side} "
        "side, and beyond that in these, as where a filter keeps a range"
    )


def _tells(many: int, others: int, components: int) -> bool:
    """Whether it is no chance that so many are the first or the last ones beside so many others, by
    some component."""
    ways = math.lgamma(many + others + 1) - math.lgamma(many + 1) - math.lgamma(others + 1)
    return ways > math.log((many + 1) * components / BY_CHANCE)


def _never(other: Scan, index: int, left: list[Example]) -> bool:
    """Whether a side had none of the values of a component that the examples have."""
    lanes = table({example.parts[index] for example in left})[:, 0]
    return other.seen[index].unseen(lanes) == (len(lanes), len(lanes))
