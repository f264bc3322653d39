"""How far a shuffle pool moves examples, and the pool that would move them as far as was seen.

A pool of B holds B examples and gives out one of them at random for each that comes in, as
Dataset.shuffle(B) does and as a RandomShuffleQueue does that holds B. The example from source
position s enters at step max(0, s - B + 1), stays for a geometric time of mean B, and, if the
input ends first, leaves anywhere among the last B. That is exact for each example taken alone,
so distances follow from a small simulation without a pool.

Two runs are compared by how much their distance changes from one example to the next: whole files
that come in another order move both alike, and do not look like a large pool.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
POINTS, MOST_POINTS = 8192, 65536

Law = Callable[[float], float]  # the expected distance of a pool


@dataclass(frozen=True)
class Interval:
    """An estimate and its 95% confidence interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{_rounded(self.value)} ({_rounded(self.low)} to {_rounded(self.high)})"

    def below(self, other: Interval, factor: float) -> bool:
        """Whether it is surely less than `factor` times the other."""
        return self.high < factor * other.low


def _rounded(number: float) -> str:
    return f"{number:,.0f}" if abs(number) >= 20 else f"{number:.3g}"


def _output(source: Array, pool: float, total: int, uniform: Array) -> Array:
    """Output positions of the examples at `source`; `uniform` are random numbers in (0, 1)."""
    if pool <= 1:
        return source.astype(np.float64)
    pool = min(pool, total)
    entered = np.maximum(0.0, source - pool + 1)
    stayed = np.log(uniform) / np.log1p(-1.0 / pool) if pool < total else np.full(len(source), 1e18)
    out = entered + stayed
    drained = out > total - pool
    if not drained.any():
        return np.asarray(out)
    again = (uniform * 7919.0) % 1.0
    return np.where(drained, total - pool + again * pool, out)


class Distances:
    """Expected mean distances in streams of `total` examples, by common random numbers.

    `first` and `second` are how much of each stream was seen, from its start on: an example
    counts if it came out in both of these parts.
    """

    def __init__(self, total: int, first: int | None = None, second: int | None = None) -> None:
        rng = np.random.default_rng(20170)
        self.total = total
        self.seen = min(total, first or total), min(total, second or total)
        # The simulation must be surer than what was seen; the less of a stream was seen, the more
        # points are needed for some to be in it.
        least = min(self.seen)
        points = min(MOST_POINTS, max(POINTS, 8 * least) * max(1, total // least // 8))
        self.source = np.linspace(0, 1, points)
        self.one, self.two = rng.random(points), rng.random(points)

    def from_source(self, pool: float) -> float:
        """Mean |output - source| of a pool."""
        source = self.source * max(0, self.total - 1)
        return float(np.abs(_output(source, pool, self.total, self.one) - source).mean())

    def between(self, pool: float, other: float) -> float:
        """How far two independent pools on one source move neighbours apart; see `typical`."""
        reach = min(self.total - 1.0, min(self.seen) + max(pool, other))  # none beyond is seen
        source = self.source * max(0.0, reach)
        a = _output(source, pool, self.total, self.one)
        b = _output(source, other, self.total, self.two)
        both = (a < self.seen[0]) & (b < self.seen[1])
        return typical(apart((a - b)[both][np.argsort(b[both])]))


def apart(moved: Array) -> Array:
    """How far neighbours moved apart."""
    return np.asarray(np.abs(np.diff(moved)))


def typical(steps: Array) -> float:
    """The mean of the nearest three quarters: the rest may be neighbours of two files, say."""
    return _mean(steps[steps <= np.quantile(steps, 0.75)]) if len(steps) else 0.0


def _mean(values: Array) -> float:
    return float(values.mean())


def solve(expected: Law, seen: float, total: int, near: float | None = None) -> float:
    """The pool between 1 and `total` whose expected distance is `seen`, to a thousandth.

    `near`: it is sought between half and twice that first, to be quicker.
    """
    from scipy import optimize

    @functools.cache
    def missing(log: float) -> float:
        return expected(float(np.exp(log))) - seen

    low, high = 0.0, float(np.log(max(2, total)))
    if near is not None:
        half, twice = float(np.log(near / 2)), float(np.log(2 * near))
        if half > low and missing(half) < 0:
            low = half
        if twice < high and missing(twice) > 0:
            high = twice
    if missing(low) >= 0:
        return float(np.exp(low))
    if missing(high) <= 0:
        return float(np.exp(high))
    return float(np.exp(optimize.brentq(missing, low, high, xtol=1e-3)))


def mean_interval(values: Array, blocks: int = 20) -> Interval:
    """The mean with its confidence interval from means of blocks, as neighbours depend."""
    from scipy import stats

    mean = float(values.mean())
    blocks = min(blocks, len(values) // 2)
    if blocks < 3:
        return Interval(mean, mean, mean)
    means = np.array([part.mean() for part in np.array_split(values, blocks)])
    error = float(stats.sem(means))
    if error == 0:
        return Interval(mean, mean, mean)
    low, high = stats.t.interval(0.95, blocks - 1, loc=mean, scale=error)
    return Interval(mean, float(low), float(high))


def pool_interval(
    distances: Array,
    expected: Law,
    total: int,
    statistic: Callable[[Array], float] = _mean,
) -> Interval:
    """The pool that explains the distances, with the interval that their statistic's gives.

    That interval comes from leaving out a twentieth of the stream at a time (a block jackknife).
    A pool of half of the stream moves examples as far as one of all of it, so that no interval
    begins beyond the half.
    """
    from scipy import stats

    seen = statistic(distances)
    blocks = min(20, len(distances) // 2)
    if blocks < 3:
        return Interval(*3 * (solve(expected, seen, total),))
    parts = np.array_split(np.arange(len(distances)), blocks)
    left = np.array([statistic(np.delete(distances, part)) for part in parts])
    error = float(np.sqrt((blocks - 1) * left.var()))
    reach = float(stats.t.ppf(0.975, blocks - 1)) * error
    value = solve(expected, seen, total)
    low, high = (solve(expected, end, total, value) for end in (seen - reach, seen + reach))
    return Interval(value, min(low, max(1.0, total / 2)), high)
