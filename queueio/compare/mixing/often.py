"""How often each example comes, where that is up to chance: where a side is cut off, or draws.

Runs of one pipeline can be exchanged for one another, whatever it draws and however that hangs
together. So both sides run again and again: an example that comes more often in each run of one
side than in any of the other is as improbable as that order of all runs is by chance, and what
varies between the runs of a side is no difference. What all examples show that came more often in
the first runs is asked of further ones in the same way, and of how many come at all.

A side that is cut off has begun its data again for some examples and not for others, and a pool
holds some back. So one time more is never a difference, nor is what does not go on: it must show in
each eighth of the runs.
"""

from __future__ import annotations

import math
from contextlib import closing
from typing import Any

import numpy as np

from queueio.compare.mixing.rates import (
    AGREE,
    DRAWN,
    FEW,
    RATES,
    TOTAL,
    UNSURE,
    Counts,
    Often,
    apart,
    draws,
    each_time,
    goes_on,
    goes_through,
    tells,
)
from queueio.compare.reading.again import Again
from queueio.compare.reading.lockstep import Both

Array = np.ndarray[Any, Any]
WINDOW = 200_000  # examples of a run that are counted
ALARM = 1e-4  # how often equal sides may be told apart, over all examples
RUNS = 4, 18  # at least, so that it shows what varies, and at most
FIGURES = 300  # of examples and runs, from which on it shows how much these vary
SEVERAL = 1.25  # times that an example comes, from which on these can be compared


def how_often(both: Both, cut: bool) -> Often | None:
    """Whether both sides deliver each example equally often; None where they come but once."""
    lengths = [min(scan.examples, WINDOW) for scan in (both.old, both.new)]
    whole = not cut and max(both.old.examples, both.new.examples) <= WINDOW
    lengths = lengths if whole else [min(lengths)] * 2
    lanes = [s.spool.read(0, n)[:, 0] for s, n in zip((both.old, both.new), lengths, strict=True)]
    known = np.unique(np.concatenate(lanes))
    if sum(lengths) < 2 * SEVERAL * len(known) and not whole:
        return None
    sides = Counts(known, lengths[0], whole), Counts(known, lengths[1], whole)
    _run(both, sides, lanes, 0 if whole else 1)
    return _judged(sides, 0 if whole else 1)


def _run(both: Both, sides: tuple[Counts, Counts], lanes: list[Array], slack: int) -> None:
    """Counts runs of both sides until nothing is left that sets them apart, or it surely does."""
    for side, first in zip(sides, lanes, strict=True):
        side.add(first)
    more = np.sign(sides[1].least - sides[0].least)
    for side in sides:
        side.groups = more
    least = min(RUNS[1], max(RUNS[0], FIGURES // sides[0].examples))
    for turn in range(2, RUNS[1] + 1):
        for side, again in zip(sides, both.again, strict=True):
            if again.possible:
                side.add(_lanes(again, side.length))
        left = int(apart(*sides, slack).sum()) + 4 * bool(_groups(sides, slack).any())
        chance = 2 * (sides[0].examples + 4) / math.comb(2 * turn - 2, turn - 1)
        still = all(side.fixed for side in sides) and turn >= RUNS[0]
        if still or (turn >= least and not _one_draws(sides) and (not left or chance < ALARM)):
            return


def _lanes(again: Again, length: int) -> Array:
    """A further run, under other seeds where it has any."""
    with closing(Again(again.scan, again.select, same=True)) as run:
        whole = again.scan.examples <= length
        run.run(2 * length + 1000 if whole and again.scan.end.kind != "limit" else length)
        return run.spool.read(0, run.spool.count)[:, 0]


def _groups(sides: tuple[Counts, Counts], slack: int) -> Array:
    """Which groups come more often in each further run of one side: the examples that came more
    often in its first one, those that came less often, all, and the first ones beyond the second,
    which also shows where each comes once at most."""
    old, new = sides
    more, fewer = (old.groups > 0).sum(), (old.groups < 0).sum()
    size = [more, fewer, old.examples, more + fewer]
    gap = np.maximum(new.group_least - old.group_most, old.group_least - new.group_most)
    found = gap > slack * np.array(size)
    found[2:] &= old.whole
    return np.asarray(found)


def _judged(sides: tuple[Counts, Counts], slack: int) -> Often:
    old, new = sides
    single, groups = apart(old, new, slack), _groups(sides, slack)
    chosen = single & goes_on(old, new)
    alone = chosen.any()  # what differs in its group differs by them
    for sign, found in ((1, groups[0] or groups[3]), (-1, groups[1] or groups[3])):
        members = old.groups == sign
        if found and not alone and not groups[2] and goes_on(old, new, members).any():
            chosen |= members & (np.sign(new.mean - old.mean) == sign)
    result = Often(AGREE, old.known, old.mean, new.mean)
    result.varies, result.hidden = old.varies or new.varies, max(old.width, new.width)
    if chosen.any():
        result.kind, result.chosen = RATES, chosen
    elif groups[2]:
        result.kind = TOTAL
    elif single.any() or groups.any():
        result.kind, result.chosen = UNSURE, single
    elif side := _one_draws(sides):
        result.kind, result.side = DRAWN, side
    elif not tells(old, new):
        result.kind = FEW
    return result


def _one_draws(sides: tuple[Counts, Counts]) -> str:
    """Which side draws what the other one goes through; "" for none."""
    old, new = sides
    for name, mine, other in (("new", new, old), ("old", old, new)):
        if draws(mine) and goes_through(other) and (other.fixed or each_time(mine, other)):
            return name
    return ""
