"""Where streams of one order lack something: between which of the examples that both have.

One that is missing here and another that is extra there are not one example that changed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from queueio.compare.reading.difference import Difference
from queueio.compare.reading.fetch import Example
from queueio.compare.reading.lockstep import Both
from queueio.compare.reading.spool import Spool, member, tells_order

Array = np.ndarray[Any, Any]
LOOKED_AT = 200_000  # examples
Sides = tuple[list[Example], list[Example]]


def in_one_gap(both: Both, difference: Difference, sides: Sides) -> Sides:
    """The examples that have one of the other side at their place; all, where orders differ."""
    if max(both.old.examples, both.new.examples) > LOOKED_AT:
        return sides
    common, gaps = zip(*(_gaps(s.spool, difference) for s in (both.old, both.new)), strict=True)
    if not tells_order(common[0]) or not np.array_equal(*common):
        return sides
    shared = set(gaps[0].values()) & set(gaps[1].values())
    kept = [[e for e in side if mine.get(_lane(e)) in shared]
            for side, mine in zip(sides, gaps, strict=True)]  # fmt: skip
    return kept[0], kept[1]


def may_be_the_end(both: Both, difference: Difference) -> bool:
    """Whether what differs is the end of a side: no, if one order shows it to be elsewhere."""
    if max(both.old.examples, both.new.examples) > LOOKED_AT:
        return True
    if both.agree and _whole_epochs(both):
        return True  # the other one ends in the midst of the last epoch
    common, gaps = zip(*(_gaps(s.spool, difference) for s in (both.old, both.new)), strict=True)
    if not tells_order(common[0]) or not np.array_equal(*common):
        return True
    return all(place == len(common[0]) for mine in gaps for place in mine.values())


def _whole_epochs(both: Both) -> bool:
    """Whether the longer side has each of its examples equally often."""
    longer = max((both.old, both.new), key=lambda scan: scan.examples)
    often = np.unique(longer.spool.read(0, LOOKED_AT)[:, 0], return_counts=True)[1]
    return len(often) > 0 and bool(often.min() == often.max())


def _gaps(spool: Spool, difference: Difference) -> tuple[Array, dict[int, int]]:
    """The order of what both sides have, and how many of these come before each that differs."""
    order = spool.read(0, LOOKED_AT)[:, 0]
    differs = member(order, np.sort(difference.digests[:, 0]))
    before = np.cumsum(~differs)
    lanes, places = order[differs].tolist(), before[differs].tolist()
    return order[~differs], dict(zip(lanes, places, strict=True))


def _lane(example: Example) -> int:
    return int(np.frombuffer(example.digest, np.uint64)[0])
