"""What differs although chance left it out of the first runs.

Two sides that shuffle and drop an incomplete last batch leave out other examples in each run. One
that only one side has, or has twice, may not have come of it in the first. So short sides, of which
a run leaves out much, run again until all that they have has come together.
"""

from __future__ import annotations

from contextlib import closing
from typing import Any

import numpy as np

from queueio.compare.mixing.chance import full_batches, runs_until
from queueio.compare.reading.again import Again
from queueio.compare.reading.difference import Difference, count, of_counts
from queueio.compare.reading.lockstep import Both

Array = np.ndarray[Any, Any]
Gathered = tuple[Array, Array]  # digests, and how often each came at most in a run
Side = tuple[Array, Array, float]  # and the chance that one comes whole of which it is least
MOST_RUNS = 40
UNSEEN, UNREACHED = 1e-3, 1e-4  # chances that any example never came, that one did not as often
SHORT = 5_000  # examples: of a longer side a run leaves out next to nothing


def in_rests(both: Both, difference: Difference) -> Difference | None:
    """What surely differs, by further runs of both sides; None where these tell no more."""
    size, examples = full_batches(both), both.old.examples
    if not 0 < size <= examples < SHORT or both.old.examples != both.new.examples:
        return None
    if both.aligned or not difference.complete or difference.lacking >= size:
        return None
    if not all(again.possible for again in both.again):
        return None
    gathered = [side for again in both.again if (side := _gathered(again, size)) is not None]
    return _sure(both, *gathered) if len(gathered) == 2 else None


def _gathered(again: Again, size: int) -> Side | None:
    """None of a side that leaves out nothing, or the same each time, or has others in each run, or
    more copies of an example than come together in so many runs."""
    examples, news = again.scan.examples, 0
    runs = [_counted(again.scan.spool.read(0, examples))]
    known, share = runs[0], examples / (examples + size)
    while len(runs) <= (enough := runs_until(UNSEEN / examples, share, known[1].max())):
        if enough > MOST_RUNS:
            return None
        with closing(Again(again.scan, again.select)) as run:
            run.run(examples + 1)
            if run.in_order or run.spool.count != examples:
                return None
            runs.append(_counted(run.spool.read(0, run.spool.count)))
        before = known[1].sum()
        known = _joined(known, *runs[-1])
        news = int(known[1].sum() - before)
        if len(runs) == 2 and not news:
            return None
    return None if news else (*known, _least_chance(runs, *known))


def _counted(digests: Array) -> Gathered:
    found, times = np.unique(digests, axis=0, return_counts=True)
    return found, times


def _least_chance(runs: list[Gathered], every: Array, most: Array) -> float:
    """How often the example came whole that was left out most: of a small pool those at the end
    are left out far more often than others."""
    short = sum((_counts(run, every) < most).astype(int) for run in runs)
    return 1 - float(np.max(short)) / len(runs)


def _joined(known: Gathered, mine: Array, times: Array) -> Gathered:
    both = np.concatenate([known[0], mine])
    every, place = np.unique(both, axis=0, return_inverse=True)
    most: Array = np.zeros(len(every), np.int64)
    np.maximum.at(most, place.reshape(-1), np.concatenate([known[1], times]))
    return every, most


def _sure(both: Both, old: Side, new: Side) -> Difference | None:
    """What came more often of one side than it ever does of the other."""
    every = np.unique(np.concatenate([old[0], new[0]]), axis=0)
    mine, theirs = (_counts(side[:2], every) for side in (old, new))
    apart: Array = np.zeros(len(every), bool)
    for again, few, many, whole in (
        (both.again[1], theirs, mine, new),
        (both.again[0], mine, theirs, old),
    ):
        places = np.nonzero(many > few)[0]
        apart[places[_never(again, every[places], many[places], whole[2])]] = True
    return of_counts(every[apart], mine[apart], theirs[apart]) if apart.any() else None


def _counts(side: Gathered, every: Array) -> Array:
    known = {digest.tobytes(): int(most) for digest, most in zip(*side, strict=True)}
    return np.array([known.get(digest.tobytes(), 0) for digest in every], np.int64)


def _never(again: Again, wanted: Array, needed: Array, share: float) -> Array:
    """Which of the digests no run brings as often as needed, in so many that one that the side has
    would have come; False of those that would take too many."""
    if not len(wanted):
        return np.zeros(0, bool)
    runs = runs_until(UNREACHED, share, needed)
    never: Array = runs <= MOST_RUNS
    for _ in range(int(runs[never].max(initial=0))):
        with closing(Again(again.scan, again.select)) as run:
            run.run(again.scan.examples)
            never &= count(run.spool, wanted) < needed
        if not never.any():
            break
    return never
