"""Examples of the new side that are within the tolerance of the old side's."""

from __future__ import annotations

from typing import Any

import numpy as np

from queueio.compare.match.change import SAME, Tolerance
from queueio.compare.match.match import Pair, match
from queueio.compare.reading.difference import count
from queueio.compare.reading.fetch import Example
from queueio.compare.reading.given_as import GivenAs
from queueio.compare.reading.lockstep import Both
from queueio.compare.reading.spool import table

Array = np.ndarray[Any, Any]
SURE = ("key", "component")  # how a pair is known that differs in more than the tolerance


def within(
    pairs: list[Pair], old: list[Example], left: list[Example], tolerance: Tolerance
) -> list[Pair]:
    """The pairs that have a component within the tolerance of one another.

    Args:
      pairs: of which each example is in one at most.
      old: all examples that came more often on the old side.
      left: the new side's that are in no pair: computed at another place of its batch, say, one
        example may be rounded in two ways. Of one without values nothing is known.
      tolerance: how far floats may differ.
    """
    if tolerance == Tolerance():
        return []
    near = [p for p in pairs if _is_near(p)]
    whole = [e for e in left if e.values]
    if old and whole:
        near += [p for p in match(old, whole, tolerance) if _is_near(p)]
    return near


def _is_near(pair: Pair) -> bool:
    kinds = {c.kind for c in pair.changes if c is not SAME}
    return "tolerance" in kinds and (kinds == {"tolerance"} or pair.how in SURE)


def present(both: Both, near: list[Pair]) -> list[Pair]:
    """Those of the pairs that both sides deliver in this run: by chance it leaves out others."""
    digests = table(p.old.digest for p in near)
    old, new = (count(scan.spool, digests) > 0 for scan in (both.old, both.new))
    return [p for p, a, b in zip(near, old, new, strict=True) if a and (b or not p.rounded)]


def given_as_old(both: Both, near: list[Pair]) -> GivenAs:
    """The new side, its examples given as those of the old side that they are near to."""
    known = {
        pair.new.digest: {
            index: pair.old.values[index]
            for index, change in enumerate(pair.changes)
            if change.kind == "tolerance"
        }
        for pair in near
        if all(_is_dense(both, i) for i, c in enumerate(pair.changes) if c.kind == "tolerance")
    }
    select = None if both.select is None else both.select[1]
    return GivenAs(both.new.side, select, both.new.dtypes, known)


def _is_dense(both: Both, index: int) -> bool:
    return all(scan.schema.components[index].kind == "dense" for scan in (both.old, both.new))
