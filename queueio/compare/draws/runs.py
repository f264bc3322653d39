"""What varies from run to run of a side of few examples, all of which is kept of several runs.

Of few examples a further run easily brings by chance the very values of the first one, so that a
component looks fixed on one side and drawn on the other. And where each run leaves some out, what
varies need not be drawn: it is so where more different values come than there can be examples, or
where other components come in one order, or stay the same.
"""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from queueio.compare.reading.again import Again
from queueio.compare.reading.scan import Scan
from queueio.compare.reading.spool import tells_order

Array = np.ndarray[Any, Any]
FEW, FEWER = 512, 64  # examples of a side that is looked at so; one of fewer is run more often
RUNS, MORE_RUNS = 8, 16
PATIENCE = 20.0  # seconds for these runs of a side; one that takes longer is run once
LITTLE = 1 / 16  # the share of the examples that may be left out where variety tells
# Where a filter draws what it keeps: how many examples of all runs tell more, and the share of
# values that come in one run only; of 16 runs that keep a tenth, 0.2 of what is not drawn does, of
# those that keep a twentieth, 0.65.
LEAST, NEVER_AGAIN, SELDOM_AGAIN = 8, 0.9, 0.15


@dataclass(frozen=True)
class Varied:
    """The components (by place) that are surely `drawn`, and those of which it is not known that
    they are fixed; `anew`: all components are, but not beside one another; `filtered`: not all runs
    have the same number of examples, which a random filter makes; `alone`: the share of the values
    of each component that come in one run only."""

    drawn: frozenset[int]
    unsure: frozenset[int]
    anew: bool = False
    filtered: bool = False
    alone: tuple[float, ...] = ()


def both_varied(again: tuple[Again, Again]) -> list[Varied | None]:
    """What varies on each side, by one rule for both where a filter draws what one of them keeps:
    of two that are alike, it is chance which has as many examples in all its runs."""
    found = [varied(run) for run in again]
    if not any(each and each.filtered for each in found):
        return found
    if any(run.possible and not each for run, each in zip(again, found, strict=True)):
        return [None, None]
    return [each and _as_filtered(each) for each in found]


def _as_filtered(found: Varied) -> Varied:
    """What is drawn by the rule for sides that a filter tells apart."""
    kept = frozenset(i for i, share in enumerate(found.alone) if share > SELDOM_AGAIN)
    return found if found.filtered else replace(found, drawn=found.drawn & kept, anew=False)


def varied(again: Again) -> Varied | None:
    """What varies; None where nobody can tell: of many examples, of a side that was stopped, cannot
    run again, or takes long."""
    scan, until = again.scan, time.monotonic() + PATIENCE
    ended = scan.end.kind == "clean"
    if not (again.possible and ended and scan.examples <= FEW):
        return None
    runs: list[Array] = []
    while len(runs) < (MORE_RUNS if scan.examples <= FEWER else RUNS):
        runs.append(_run_of(again))
        if time.monotonic() > until:
            return None
    if any(len(run) != scan.examples for run in runs):
        return _filtered(runs, len(scan.seen))
    if not scan.examples:
        return None
    width = len(scan.seen)
    columns = [np.stack([run[:, index] for run in runs]) for index in range(width)]
    varies = {i for i, column in enumerate(columns) if _varies(column)}
    return Varied(
        frozenset(_drawn(scan, columns, varies)),
        frozenset(i for i in varies if not _is_fixed(scan, columns[i])),
        width > 1 and not varies and _varies(np.stack([run[:, width] for run in runs])),
        alone=tuple(_alone([run[:, index] for run in runs]) for index in range(width)),
    )


def _filtered(runs: list[Array], width: int) -> Varied:
    """What a side draws of which each run keeps others: values that come in no other run."""
    alone = [_alone([run[:, index] for run in runs if len(run)]) for index in range(width)]
    few = sum(map(len, runs)) < LEAST
    drawn = frozenset(i for i, share in enumerate(alone) if share > NEVER_AGAIN and not few)
    unsure = frozenset(i for i, share in enumerate(alone) if share > SELDOM_AGAIN or few)
    return Varied(drawn, unsure, filtered=True, alone=tuple(alone))


def _alone(column: list[Array]) -> float:
    """The share of the values of single runs that no other run has."""
    values = [np.unique(run) for run in column]
    times = np.unique(np.concatenate(values), return_counts=True)[1] if values else np.zeros(0)
    return float((times == 1).sum() / max(1, times.sum()))


def _run_of(again: Again) -> Array:
    """The first lanes of each component's digests, and of the whole examples', of one run."""
    lanes = _Lanes()
    with closing(Again(again.scan, again.select)) as run:
        run.run(again.scan.examples + 1, lanes)
    width = len(again.scan.seen) + 1
    return np.concatenate(lanes.parts) if lanes.parts else np.zeros((0, width), np.uint64)


class _Lanes:
    """Watches a run."""

    done = False

    def __init__(self) -> None:
        self.parts: list[Array] = []

    def add(self, position: int, values: list[Any], parts: Array, digests: Array) -> None:
        self.parts.append(np.concatenate([parts[:, :, 0], digests[:, :1]], axis=1))


def _varies(column: Array) -> bool:
    """Whether not all runs (runs, examples) have the same values equally often."""
    ordered = np.sort(column, axis=1)
    return bool((ordered != ordered[0]).any())


def _drawn(scan: Scan, columns: list[Array], varies: set[int]) -> set[int]:
    most = left_out(scan)
    drawn = {i for i in varies if not _comes_and_goes(columns[i])}
    found = {i for i in drawn if _beyond_one(columns[i]) > most}
    if any((c == c[0]).all() and tells_order(c[0]) for c in columns):
        return drawn  # nothing is shuffled, so that no run leaves out others
    stay = [len(np.unique(c[0])) for i, c in enumerate(columns) if i not in varies]
    other = [len(np.unique(columns[i][0])) for i in varies - found]
    telling = max(stay + other, default=0)
    return drawn if stay and (not most or 2 * max(stay) > telling) else found


def _comes_and_goes(column: Array) -> bool:
    """Whether the runs have all but a few of the same values, and leave out now these and now
    those, as by a `skip` behind a shuffle; of what is drawn, some values come in few runs only."""
    counts = _counts(column)
    most = counts.max(axis=0)
    if most.sum() > (1 + LITTLE) * column.shape[1]:
        return False
    seldom = ((counts == most).sum(axis=0) <= len(column) / 4) & (most > 0)
    return not seldom.any()


def _counts(column: Array) -> Array:
    """How often each value came in each run: (runs, values)."""
    every, place = np.unique(column, return_inverse=True)
    return np.stack([np.bincount(run, minlength=len(every)) for run in place.reshape(column.shape)])


def _beyond_one(column: Array) -> int:
    """How many examples more than one run has there must be, if each came in all runs that did not
    leave it out: each value as often as in the run that has most of it."""
    return int(_counts(column).max(axis=0).sum()) - int(column.shape[1])


def _is_fixed(scan: Scan, column: Array) -> bool:
    """Whether values are so many different ones that draws would bring more, and they do not."""
    most, examples = left_out(scan), scan.examples
    various = 2 * len(np.unique(column[0])) > examples
    return various and most <= LITTLE * examples and _beyond_one(column) <= most


def left_out(scan: Scan) -> int:
    """The most examples that a run may have left out, as a last batch that is not full."""
    sizes = set(scan.sizes)
    return sizes.pop() - 1 if len(sizes) == 1 else 0
