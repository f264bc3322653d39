"""How often each example came in the runs of a side, and what that says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
AGREE, RATES, TOTAL, DRAWN, UNSURE, FEW = "agree", "rates", "total", "drawn", "unsure", "few"
PARTS = 8
STEADY = 0.25  # the share of the mean difference that each part of the runs has at least
SURE = 8.0  # deviations, seen in the parts of one run, where further runs are the same again
SPREAD, GROWTH = 0.7, 0.8  # of counts that are drawn: both are 1 where each example is by itself
BOUNDED = 0.6  # growth of what goes through its data: 1/3 but for the pool, that holds some back
ONE_RATE = 0.9  # the share of examples whose number is the usual one, but for a pool and the cut
ENOUGH = 10, 4.0  # examples, and times of each, from which it shows that they are drawn


@dataclass
class Often:
    """What was found: `kind`, the lanes of all examples, and how often each came on average.

    TOTAL: no single ones come more often on one side, but there are more of them in each run.

    `chosen`: which come too often or too rarely (or may). `side`: of DRAWN, which draws.
    `varies`: whether how often they come is another number in each run. `hidden`: by how much at
    most for one of them; another rate that makes less than that does not show.
    """

    kind: str
    lanes: Array
    old: Array
    new: Array
    varies: bool = False
    hidden: int = 0
    chosen: Array = field(default_factory=lambda: np.zeros(0, bool))
    side: str = ""


class Counts:
    """The counts of each known example over the runs of one side, a run at a time."""

    def __init__(self, known: Array, length: int, whole: bool) -> None:
        self.known, self.length, self.whole = known, length, whole
        self.examples, self.runs = len(known), 0
        self.parts: Array = np.zeros((PARTS, len(known)), np.int64)  # summed over runs
        self.squares: Array = np.zeros(len(known), np.int64)
        self.least: Array = np.zeros(0)
        self.most: Array = np.zeros(0)
        self.groups: Array = np.zeros(len(known))  # 1: came more often in the new side's first run
        self.group_least, self.group_most = np.full(4, np.inf), np.full(4, -np.inf)
        self._last: Array | None = None
        self.apart: list[tuple[float, float]] = []  # of each run from the last: whole, and halves

    def add(self, lanes: Array) -> None:
        """Takes in a run."""
        parts = self._counted(lanes)
        counts = parts.sum(axis=0)
        self.parts += parts
        self.squares += counts * counts
        if not self.runs:
            self.least, self.most = counts, counts
        else:
            self.least, self.most = np.minimum(self.least, counts), np.maximum(self.most, counts)
            more, fewer = counts[self.groups > 0].sum(), counts[self.groups < 0].sum()
            here = [more, fewer, len(lanes), more - fewer]
            self.group_least = np.minimum(self.group_least, here)
            self.group_most = np.maximum(self.group_most, here)
        halves = parts.reshape(2, PARTS // 2, -1).sum(axis=1)
        if self._last is not None:
            moved = halves - self._last
            self.apart.append((moved.sum(axis=0).var(), moved.var(axis=1).sum()))
        self._last = halves
        self.runs += 1

    def _counted(self, lanes: Array) -> Array:
        places = np.minimum(np.searchsorted(self.known, lanes), self.examples - 1)
        part = np.arange(len(lanes)) * PARTS // max(1, len(lanes))
        there = self.known[places] == lanes
        at = (part * self.examples + places)[there]
        return np.bincount(at, minlength=PARTS * self.examples).reshape(PARTS, -1)

    @property
    def mean(self) -> Array:
        return np.asarray(self.parts.sum(axis=0) / self.runs)

    @property
    def fixed(self) -> bool:
        """Whether all runs were the same, or there was but one."""
        return self.runs == 1 or bool((self.least == self.most).all())

    @property
    def width(self) -> int:
        """By how much the count of an example differs between two runs, at most."""
        return int((self.most - self.least).max())

    @property
    def spread(self) -> float:
        """The variance of counts between runs, in means: 1 where each example is drawn."""
        mean = float(self.mean.mean())
        return float(np.mean([whole for whole, _ in self.apart] or [0.0])) / 2 / max(mean, 1e-9)

    @property
    def growth(self) -> float:
        """That variance at the end of the runs, in those of both halves."""
        whole, halves = np.sum(self.apart, axis=0) if self.apart else (0.0, 0.0)
        return float(whole / halves) if halves else 0.0

    @property
    def varies(self) -> bool:
        """Whether an example comes by more than one time more in one run than in another."""
        return bool(self.whole and not self.fixed) or draws(self)


def apart(old: Counts, new: Counts, slack: int) -> Array:
    """Which examples come more often in each run of one side than in any of the other."""
    return np.asarray(np.maximum(new.least - old.most, old.least - new.most) > slack)


def goes_on(old: Counts, new: Counts, members: Array | None = None) -> Array:
    """Which examples (or the members together) come more often all the time.

    A side whose runs are all the same may draw by a seed, so that its parts must tell.
    """
    a, b = (side.parts / side.runs for side in (old, new))
    if members is not None:
        a, b = (parts[:, members].sum(axis=1, keepdims=True) for parts in (a, b))
    moved = b - a
    mean = moved.mean(axis=0)
    steady = (moved * np.sign(mean) >= STEADY * np.abs(mean)).all(axis=0) & (mean != 0)
    if not (old.fixed or new.fixed):
        return np.asarray(steady | old.whole)
    error = np.sqrt(PARTS * (a.var(axis=0, ddof=1) + b.var(axis=0, ddof=1)) + 1)
    return np.asarray(steady & (PARTS * np.abs(mean) > SURE * error))


def draws(side: Counts) -> bool:
    """Whether each example comes as often as it happens to, more and more unequally."""
    enough = side.examples >= ENOUGH[0] and float(side.mean.mean()) >= ENOUGH[1]
    return bool(enough and side.spread >= SPREAD and side.growth >= GROWTH)


def each_time(more: Counts, less: Counts) -> bool:
    """Whether counts of the one vary more between any two runs than those of the other do."""
    return min(whole for whole, _ in more.apart[::2]) > max(whole for whole, _ in less.apart[::2])


def goes_through(side: Counts) -> bool:
    """Whether a side delivers all its examples before any again, but for what a pool holds."""
    bounded = side.growth < BOUNDED or not side.spread
    return bounded and 4 * side.spread < SPREAD


def tells(old: Counts, new: Counts) -> bool:
    """Whether an example that comes twice as often would show: beyond what is seen in all runs, or
    what chance makes of many more."""
    usual = float(np.median(np.concatenate([old.mean, new.mean])))
    seen = np.concatenate([side.most - side.least for side in (old, new)])
    variance = max(float((side.squares / side.runs - side.mean**2).mean()) for side in (old, new))
    chance = min(1.5 * float(np.quantile(seen, 0.95)), 5 * float(np.sqrt(variance)))
    return usual >= 0.5 + chance


def comes_evenly(often: Array, epochs: int) -> bool:
    """Whether most examples of a side that is cut off come once in each epoch, one more or less;
    where they come as chance has it, there are no epochs. `often`: how often each came."""
    return bool((np.abs(often - epochs) <= 1).mean() > 0.5)


def at_one_rate(often: Array) -> bool:
    """Whether nearly all examples of a side that is cut off come about equally often; not where it
    samples from several datasets, say, each of which has epochs of its own."""
    usual = int(np.bincount(often).argmax())
    return bool((np.abs(often - usual) <= np.maximum(2, usual / 4)).mean() > ONE_RATE)
