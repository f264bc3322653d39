"""Differences that chance makes: which examples a shuffled stream leaves out at its end.

Two sides that shuffle and drop the remainder, or are cut off at a limit, leave out other examples
each time they run. So before such examples are called missing, the side that lacks them runs
again: what it delivers then, it has. All differences must be explained so, or none is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from queueio.compare.difference import Difference
from queueio.compare.lockstep import Both
from queueio.compare.scan import Scan

Array = np.ndarray[Any, Any]
RUNS = 3


def made_by_chance(both: Both, difference: Difference) -> bool:
    """Whether all differences are examples that the other side delivers in another run."""
    if both.same_order or not difference.complete or not _possible(both, difference):
        return False
    wanted = difference.digests
    most = np.maximum(difference.old_counts, difference.new_counts)
    checked = False
    for scan, mine, chosen in (
        (both.new, difference.old_counts > difference.new_counts, 1),
        (both.old, difference.new_counts > difference.old_counts, 0),
    ):
        if not mine.any() or not scan.side.repeatable:
            continue
        checked = True
        needed = np.ones(int(mine.sum()), np.int64) if _cut(both) else most[mine]
        if not _delivers(scan, wanted[mine], needed, _select(both, chosen), 2 if _cut(both) else 1):
            return False
    return checked


def _cut(both: Both) -> bool:
    return both.old.end.kind == both.new.end.kind == "limit"


def _possible(both: Both, difference: Difference) -> bool:
    """Whether the ends allow it: cut off, or full batches only and fewer left out than one has."""
    if _cut(both):
        return True
    sizes = set(both.old.sizes) | set(both.new.sizes)
    if len(sizes) != 1 or both.old.end.kind != "clean" or both.new.end.kind != "clean":
        return False
    return difference.lacking == difference.extra < sizes.pop()


def _select(both: Both, side: int) -> list[int] | None:
    return None if both.select is None else both.select[side]


def _delivers(
    scan: Scan, wanted: Array, needed: Array, select: list[int] | None, further: int
) -> bool:
    """Whether runs of the side deliver each of the digests as often as needed, in one or other."""
    places = {digest.tobytes(): i for i, digest in enumerate(wanted)}
    open_: Array = np.ones(len(wanted), bool)
    for _ in range(RUNS):
        counts: Array = np.zeros(len(wanted), np.int64)
        for digests in scan.again(select, further * scan.examples):
            hits = np.isin(digests[:, 0], wanted[:, 0])
            for digest in digests[hits]:
                if (place := places.get(digest.tobytes())) is not None:
                    counts[place] += 1
        open_ &= counts < needed
        if not open_.any():
            return True
    return False
