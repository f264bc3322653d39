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
from queueio.compare.spool import member

Array = np.ndarray[Any, Any]
MOST_RUNS = 40
# How many runs in a row may bring nothing new before what is missing is called so, for sides of
# fewer examples than this: the larger, the rarer is it left out by chance.
PATIENCE = {5_000: 8, 200_000: 4}
LEAST_PATIENCE = 2


def made_by_chance(both: Both, difference: Difference) -> bool:
    """Whether all differences are examples that the other side delivers in another run."""
    if both.aligned or not difference.complete or not _possible(both, difference):
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
    missing: Array = np.ones(len(wanted), bool)
    fewer = (runs for size, runs in PATIENCE.items() if scan.examples < size)
    patience = next(fewer, LEAST_PATIENCE)
    idle = 0
    for _ in range(MOST_RUNS):
        before = int(missing.sum())
        missing &= _counted(scan, places, select, further) < needed
        if not missing.any():
            return True
        idle = idle + 1 if int(missing.sum()) == before else 0
        if idle == patience:  # an example that is there is left out so often by a rare chance only
            return False
    return False


def _counted(scan: Scan, places: dict[bytes, int], select: list[int] | None, further: int) -> Array:
    """How often one more run delivers each of the digests."""
    counts: Array = np.zeros(len(places), np.int64)
    lanes = np.sort(np.frombuffer(b"".join(places), np.uint64).reshape(-1, 2)[:, 0])
    for digests in scan.again(select, further * scan.examples):
        for digest in digests[member(digests[:, 0], lanes)]:
            if (place := places.get(digest.tobytes())) is not None:
                counts[place] += 1
    return counts
