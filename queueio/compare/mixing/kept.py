"""Sides that deliver their examples by chance, as a random filter does: others in each run, of the
same ones."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import numpy as np

from queueio.compare.reading.again import Again
from queueio.compare.reading.difference import Difference, differ
from queueio.compare.reading.lockstep import Both

Array = np.ndarray[Any, Any]
LONGEST = 200_000  # examples of sides that are run to their ends again and again
# Further runs, of which the next one brings less that is not known than this, as a filter that
# keeps a third does.
FURTHER, SATURATED = 7, 0.15
SAME = 4  # further runs of as many examples, which no random filter makes: of 100, one in 12 is so
NUMBERED = 9  # further runs of each side; of equal ones, all bring more in one case of 24,000


def counts_by_chance(both: Both, difference: Difference) -> bool:
    """Whether the old side itself delivers its examples a different number of times in each run,
    by more than a batch that it drops, or another number of them, as a random filter does."""
    if not (_whole(both) and difference.complete):
        return False
    run = _to_its_end(both.again[0])
    varied = differ(both.old.spool, run.spool)
    first, *others = (s.read(0, LONGEST)[:, 0] for s in (both.old.spool, run.spool, both.new.spool))
    known = all(len(o) and (~np.isin(o, first)).mean() < SATURATED for o in others)
    if not known or varied.empty:
        return False
    beyond = max(varied.lacking, varied.extra) > max(both.old.sizes) - 1
    return beyond or not _as_many_again(run)


def keeps_by_chance(both: Both) -> bool:
    """Whether both sides deliver in each run others, and not as many, of the same examples.

    What is drawn for each example is never seen again; of a random filter, further runs bring less
    and less that was not there, and the other side's runs have seen it too.
    """
    if not _whole(both):
        return False
    if _as_many_again(both.again[0]):
        return False
    seen = [_seen(again) for again in both.again]
    last = [_run_of(again) for again in both.again]
    news = [float((~np.isin(last[i], seen[j])).mean()) if len(last[i]) else 1.0
            for i, j in ((0, 0), (0, 1), (1, 0), (1, 1))]  # fmt: skip
    return max(news) < SATURATED


def _as_many_again(run: Again) -> bool:
    """Whether a side delivers as many examples in each further run, which no random filter does."""
    count = run.scan.examples
    if _to_its_end(run).spool.count != count:
        return False
    return all(len(_run_of(run)) == min(count, LONGEST) for _ in range(SAME))


def numbers_apart(both: Both) -> bool:
    """Whether each run of one side brings more examples than any of the other's, so often that it
    is no chance; of two sides whose first runs did. Of so many that it takes long, each is."""
    if max(both.old.examples, both.new.examples) > LONGEST:
        return True
    numbers: tuple[set[int], set[int]] = (set(), set())
    for turn in range(NUMBERED):
        for i, again in enumerate(both.again):
            if again.possible or not turn:
                numbers[i].add(len(_run_of(again)) if again.possible else again.scan.examples)
        old, new = numbers
        if min(old) <= max(new) and min(new) <= max(old):
            return False
        if turn >= SAME and len(old) == len(new) == 1:
            return True
    return True


def _whole(both: Both) -> bool:
    """Whether both sides came to their ends, and may be run so again, in other orders."""
    ends = {scan.end.kind for scan in (both.old, both.new)}
    least, most = sorted([both.old.examples, both.new.examples])
    short = least > 0 and most <= LONGEST
    return ends == {"clean"} and short and not both.aligned and all(a.possible for a in both.again)


def _to_its_end(run: Again) -> Again:
    run.run(2 * run.scan.examples + 1000)
    return run


def _run_of(again: Again) -> Array:
    with closing(Again(again.scan, again.select, same=True)) as run:
        return _to_its_end(run).spool.read(0, LONGEST)[:, 0]


def _seen(again: Again) -> Array:
    """The lanes of all examples that the first run and some further ones brought."""
    runs = [_run_of(again) for _ in range(FURTHER)]
    return np.unique(np.concatenate([again.scan.spool.read(0, LONGEST)[:, 0], *runs]))
