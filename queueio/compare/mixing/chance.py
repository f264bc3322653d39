"""Differences that chance makes: which examples a shuffled stream leaves out at its end.

Two sides that shuffle and drop the remainder, or are cut off at a limit, leave out other examples
each time they run. So before such examples are called missing, the side that lacks them runs
again: what it delivers then, it has. All differences must be explained so, or none is. Nor is it
chance where both sides have the example, changed in a part of it.

Of sides that were cut off, what is left over is no more than unknown, but for what one side has
delivered in all of its runs and the other in none.
"""

from __future__ import annotations

import math
from contextlib import closing, nullcontext
from typing import Any

import numpy as np

from queueio.compare.match.match import Pair
from queueio.compare.reading.again import Again
from queueio.compare.reading.difference import Difference, count
from queueio.compare.reading.exact import differs
from queueio.compare.reading.fetch import Example
from queueio.compare.reading.lockstep import Both

Array = np.ndarray[Any, Any]
MOST_RUNS = 40
# How many runs in a row may bring nothing new before what is missing is called so, for sides of
# fewer examples than this: the larger, the rarer is it left out by chance.
PATIENCE = {5_000: 8, 200_000: 4}
LEAST_PATIENCE = 2
UNSEEN = 1e-4  # the chance that all copies of an example never came together
LOOKED_AT_MOST = 200_000  # examples of a side that is run again to see which others it leaves out
LEAST_SAMPLE, LOOKED_AT = 100, 8  # examples that a changed one is held against; pairs so judged


def made_by_chance(both: Both, difference: Difference) -> bool | None:
    """Whether all differences are examples that the other side delivers in another run.

    None where nothing speaks against it but that some do not come so often in a run, as copies of
    one do not where a run leaves out much: more runs than these would be needed to see them.
    """
    wanted = difference.digests
    most = np.maximum(difference.old_counts, difference.new_counts)
    least = np.minimum(difference.old_counts, difference.new_counts)
    checked, untold = False, False
    for run, mine in (
        (both.again[1], difference.old_counts > difference.new_counts),
        (both.again[0], difference.new_counts > difference.old_counts),
    ):
        if not mine.any() or not run.possible:
            continue
        checked = True
        needed = np.ones(int(mine.sum()), np.int64) if cut(both) else most[mine]
        examples = run.scan.examples
        runs = runs_until(UNSEEN, examples / (examples + full_batches(both)), needed)
        enough = np.maximum(runs, patience(examples))
        lacking = lacks(run, wanted[mine], needed, 2 if cut(both) else 1, enough)
        if not lacking.any():
            continue
        # One that keeps its order leaves out the same each time: but of one epoch only.
        if run.in_order and least[mine].all():
            continue
        if run.in_order or (enough[lacking] <= MOST_RUNS).any():
            return False
        untold = True
    return None if untold else checked


def copies_by_chance(both: Both, difference: Difference) -> bool:
    """Whether all that differs comes so often, as a label does, that each run leaves some of it
    out: none then shows how often the side has it, but how often it comes in many runs does."""
    if not may_be_chance(both, difference) or cut(both):
        return False
    if not all(run.possible and not run.in_order for run in both.again):
        return False
    least = np.minimum(difference.old_counts, difference.new_counts)
    return bool((least * full_batches(both) >= both.old.examples).all())


def leaves_out_others(again: Again, difference: Difference) -> bool:
    """Whether the side that lacks what differs leaves out others in further runs, as one does that
    shuffles and drops its last batch; of one that keeps its order, is long, or cannot be run again,
    nothing speaks against it."""
    examples = again.scan.examples
    if not again.possible or examples > LOOKED_AT_MOST or not difference.complete:
        return True
    with closing(Again(again.scan, again.select)) as run:
        run.run(examples)
        if run.in_order:
            return True
        needed = np.maximum(difference.old_counts, difference.new_counts)
        return not lacks(run, difference.digests, needed, 1).any()


def surely_apart(both: Both, difference: Difference) -> Array:
    """Of sides that were cut off: which differing examples one side delivers in each run, however
    it shuffles, and the other in none."""
    found: Array = np.zeros(len(difference.digests), bool)
    old, new = difference.old_counts, difference.new_counts
    for mine, other, here in (
        (both.again[0], both.again[1], (old > 0) & (new == 0)),
        (both.again[1], both.again[0], (new > 0) & (old == 0)),
    ):
        if not (mine.possible and other.possible and here.any()):
            continue
        places = np.nonzero(here)[0]
        places = places[_steady(mine, difference.digests[places])]
        wanted = difference.digests[places]
        places = places[lacks(other, wanted, np.ones(len(wanted), np.int64), 2)]
        found[places] = True
    return found


def _steady(again: Again, wanted: Array) -> Array:
    """Which of the digests each further run of the side delivers within the limit."""
    kept: Array = np.ones(len(wanted), bool)
    for _ in range(patience(again.scan.examples)):
        with closing(Again(again.scan, again.select)) as run:
            run.run(again.scan.examples)
            kept &= count(run.spool, wanted) > 0
        if not kept.any():
            break
    return kept


def may_be_chance(both: Both, difference: Difference) -> bool:
    """Whether the ends allow it: cut off, or full batches only and fewer left out than one has."""
    if both.aligned or not difference.complete:
        return False
    if cut(both):
        return True
    return difference.lacking == difference.extra < full_batches(both)


def full_batches(both: Both) -> int:
    """The size of all batches, of sides that came to their ends; 0 if there are several."""
    sizes = set(both.old.sizes) | set(both.new.sizes)
    clean = both.old.end.kind == both.new.end.kind == "clean"
    return sizes.pop() if len(sizes) == 1 and clean else 0


def clearly_changed(pairs: list[Pair], sample: list[Example]) -> bool:
    """Whether each pair must be one example, changed: half as far apart as any of the sample is.

    Two examples left out by chance are no nearer to one another than to those of the sample.
    """
    if len(sample) < LEAST_SAMPLE or not pairs:
        return False
    return all(2 * _apart(p.old, p.new) <= _nearest(p.old, sample) for p in pairs[:LOOKED_AT])


def _nearest(example: Example, sample: list[Example]) -> float:
    return min((_apart(example, e) for e in sample if e.digest != example.digest), default=0.0)


def _apart(a: Example, b: Example) -> float:
    """The share of values that differ, each component counted alike."""
    both = zip(a.values, b.values, a.parts, b.parts, strict=True)
    shares = [0.0 if p == q else _unequal(x, y) for x, y, p, q in both]
    return sum(shares) / max(1, len(shares))


def _unequal(a: Array, b: Array) -> float:
    if a.shape != b.shape or not a.size:
        return 1.0
    text = object in (a.dtype, b.dtype)
    return float((a != b if text else differs(a, b)).mean())


def cut(both: Both) -> bool:
    """Whether both sides were stopped before their ends."""
    return both.old.end.kind == both.new.end.kind == "limit"


def patience(examples: int) -> int:
    """How many runs in a row may bring nothing new before what is missing is called so."""
    fewer = (runs for size, runs in PATIENCE.items() if examples < size)
    return next(fewer, LEAST_PATIENCE)


def runs_until(unseen: float, share: float, copies: Any) -> Array:
    """In how many runs all copies of an example have come together, but for a chance.

    Args:
      unseen: the chance that they have not.
      share: the part of all runs in which one copy comes.
      copies: how many there are (a number or an array).
    """
    chance = np.clip(share ** np.asarray(copies, float), 1e-12, 1 - 1e-9)
    return np.ceil(math.log(unseen) / np.log1p(-chance))


def lacks(
    again: Again, wanted: Array, needed: Array, further: int, enough: Array | None = None
) -> Array:
    """Which of the digests no run of the side delivers as often as needed.

    `enough`: how many runs must have brought nothing new, for each; else patience is.
    """
    examples = again.scan.examples
    missing: Array = np.ones(len(wanted), bool)
    most_idle = np.full(len(wanted), patience(examples)) if enough is None else enough
    idle = 0
    for turn in range(MOST_RUNS if len(wanted) else 0):
        before = int(missing.sum())
        with closing(Again(again.scan, again.select)) if turn else nullcontext(again) as run:
            run.run(further * examples)
            missing &= count(run.spool, wanted) < needed
        idle = idle + 1 if int(missing.sum()) == before else 0
        # An example that is there is left out so often by a rare chance only.
        told = most_idle[missing & (most_idle <= MOST_RUNS)]
        if not missing.any() or idle >= told.max(initial=patience(examples)):
            break
    return missing
