"""How often draws come near single ones of a first run: whether each draw has its own probability.

Means, moments and quantiles over all examples see neither a flip with another probability nor a
crop from other places: what one example gains, another one loses. So some draws of both sides'
first runs are kept as marks, and of each further run it is taken how near its draws come to each
of them, on a narrow scale and a wide one. If both sides draw alike, that is the same on average in
the runs of either, mark by mark, whatever was drawn for the marks.

Runs are independent of one another, the draws within one need not be (one draw for a whole batch).
So whole runs are dealt to two sides at random, again and again: what is seen of the true sides must
be beyond what such sides show.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from queueio.compare.draws.tally import ALARM, FROZEN, POWER

Array = np.ndarray[Any, Any]
MARKS = 256  # of each side
LEAST = 8  # runs of each side, without which nothing is said
DEALT = 4000  # sides made by chance
WIDE, LOWEST = 0.125, 1e-4  # of the median of all squared distances
ROUNDING = 1e-8  # of the mean nearness, squared: what rounding may bring


@dataclass(frozen=True)
class Nearness:
    """What was found: the difference over what is surprising, and the share of draws that, were
    they always the same ones, would have been found; in so many `runs` of each side."""

    score: float
    share: float
    runs: int


class Near:
    """The marks of one component, or of several together, and, for each side's runs, how near the
    draws come to them.

    `add` takes in a run's examples, `end` ends it: the first run of each side gives marks, its
    second one the scale, all others are counted.

    `wanted`: whether runs are to be made for it. Not where nothing tells examples apart: in many
    runs, what varies from one example to the next is then taken for a seed that repeats the draws.
    """

    def __init__(self, wanted: bool = True) -> None:
        self.possible, self.wanted = True, wanted
        self.runs: tuple[list[Array], list[Array]] = ([], [])
        self._ended = [0, 0]
        self._marks: list[Array] = []
        self._held = [0, 0]
        self._nearest: Array = np.zeros(0)
        self._all: list[float] = []
        self._scales: list[float] = []
        self._sum: Array = np.zeros(0)
        self._count = 0

    def add(self, side: int, rows: Array | None) -> None:
        """Takes in examples of a side's run, by their entries; None: they are of other shapes."""
        if rows is None:
            self.possible = False
        if not self.possible or rows is None or not len(rows):
            return
        run = self._ended[side]
        if run:
            self._compare(rows, learn=run == 1)
        elif self._held[side] < MARKS:
            some = rows[: MARKS - self._held[side]]
            self._held[side] += len(some)
            self._marks.append(some)

    def end(self, side: int) -> None:
        """Ends a run of a side."""
        run = self._ended[side]
        self._ended[side] += 1
        if run == 0 and min(self._ended) == 1:
            self._marks = [np.concatenate(self._marks)] if self._marks else []
            self.possible = self.possible and bool(self._marks)
            self._nearest = np.full(len(self._marks[0]) if self._marks else 0, np.inf)
        elif run == 1 and min(self._ended) == 2:
            self._scales = self._found_scales()
        elif run > 1 and self._count:
            self.runs[side].append(self._sum / self._count)
        self._sum, self._count = np.zeros(0), 0

    def tested(self, looks: int) -> Nearness | None:
        """Compares the sides; None with too few runs, or none that can be compared.

        Args:
          looks: how often the test may be made as more runs come.
        """
        from scipy import stats

        count = min(len(runs) for runs in self.runs)
        if not self.possible or count < LEAST:
            return None
        both = np.concatenate([np.stack(runs[:count]) for runs in self.runs])
        floor = ROUNDING * float((both.mean(axis=0) ** 2).sum())
        both = both - both.mean(axis=0)
        varied = [float(runs.var(axis=0).sum()) for runs in (both[:count], both[count:])]
        if min(varied) <= max(floor, FROZEN * max(varied)):
            return None  # a seed, it may be
        products = both @ both.T
        sides = np.repeat([1 / count, -1 / count], count)
        seen = float(sides @ products @ sides)
        chance = _dealt(sides, products)
        middle, deviation = float(chance.mean()), float(chance.std())
        skewed = max(float(stats.skew(chance)), 1e-3)
        bound = float(stats.pearson3.isf(ALARM / looks, skewed)) * deviation + floor
        found = bound + POWER * deviation
        share = float(np.sqrt(found / (np.mean(varied) * count / (count - 1))))
        return Nearness((seen - middle) / bound, share, count)

    def _compare(self, rows: Array, learn: bool) -> None:
        apart = _distances(rows, self._marks[0])
        if learn:
            self._nearest = np.minimum(self._nearest, apart.min(axis=0))
            self._all.append(float(np.median(apart)))
            return
        near = np.concatenate([np.exp(-apart / (2 * s)).sum(axis=0) for s in self._scales])
        self._sum = self._sum + near if self._count else near
        self._count += len(rows)

    def _found_scales(self) -> list[float]:
        """How far apart draws of one example lie, and a part of how far all do."""
        typical = float(np.median(self._all)) if self._all else 0.0
        if not typical:
            self.possible = False
            return []
        close = float(np.median(self._nearest)) / 2
        return sorted({max(close, LOWEST * typical), WIDE * typical})


def _dealt(sides: Array, products: Array) -> Array:
    """How far apart sides are to which the runs are dealt by chance."""
    random = np.random.default_rng(0)
    dealt = random.permuted(np.tile(sides, (DEALT, 1)), axis=1)
    return np.asarray(np.einsum("ij,ij->i", dealt @ products, dealt))


def _distances(rows: Array, marks: Array) -> Array:
    """The mean squares of the differences between examples and marks."""
    squares = (rows * rows).sum(axis=1)[:, None] + (marks * marks).sum(axis=1)
    return np.asarray(np.maximum(squares - 2 * rows @ marks.T, 0) / max(1, rows.shape[1]))
