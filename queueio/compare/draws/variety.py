"""Whether one side has fewer different examples than the other, though both draw: what it draws it
draws once, or more rarely, or from fewer values.

How many different ones come is chance as well: of draws that whole batches have in common there are
few, and of these some are the same. So each further run of the side must have fewer than any of the
other, so many that chance alone would hardly part the sides' runs like that, whatever the draws
have in common.
"""

from __future__ import annotations

import time
from contextlib import closing
from typing import Any

import numpy as np

from queueio.compare.reading.again import Again
from queueio.compare.reading.lockstep import Both

Array = np.ndarray[Any, Any]
LOOKED_AT = 200_000  # examples
LEAST, FROZEN = 30, 0.8
"""Different examples at least, and their share of the other side's, that are no chance."""
RUNS, ALONE = 8, 24  # further runs of each side; of one whose other side is a recording
PATIENCE = 20.0  # seconds for these runs; then those that have come must do


def less_various(both: Both) -> int | None:
    """The side (0 old, 1 new) that has fewer different examples, in each of its runs; else None."""
    if both.old.examples != both.new.examples:
        return None
    many = [_different(scan.spool.read(0, LOOKED_AT)[:, 0]) for scan in (both.old, both.new)]
    side = int(many[1] < many[0])
    less, more = many[side], many[1 - side]
    if less < LEAST or less > FROZEN * more:
        return None
    until = time.monotonic() + PATIENCE
    less, more = 0, both.old.examples + 1
    for _ in range(RUNS if all(run.possible for run in both.again) else ALONE):
        counts = [_of_another(run, of) for run, of in zip(both.again, many, strict=True)]
        less, more = max(less, counts[side]), min(more, counts[1 - side])
        if less >= more:
            return None
        if time.monotonic() > until:
            break
    return side


def _of_another(again: Again, first: int) -> int:
    """How many different examples another run has; of a recording, its only one."""
    if not again.possible:
        return first
    with closing(Again(again.scan, again.select)) as run:
        return _different(run.lanes(min(again.scan.examples, LOOKED_AT)))


def _different(lanes: Array) -> int:
    return len(np.unique(lanes))
