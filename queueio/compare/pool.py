"""How far a shuffle pool moves examples, and the pool that would move them as far as was seen.

A pool of B holds B examples and gives out one of them at random for each that comes in, as
Dataset.shuffle(B) does and as a RandomShuffleQueue does that holds B. The example from source
position s enters at step max(0, s - B + 1), stays for a geometric time of mean B, and, if the
input ends first, leaves anywhere among the last B. That is exact for each example taken alone,
so mean distances follow from a small simulation without a pool.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
POINTS = 8192


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
    """Expected mean distances in streams of `total` examples, by common random numbers."""

    def __init__(self, total: int) -> None:
        rng = np.random.default_rng(20170)
        self.total = total
        self.source = np.linspace(0, max(0, total - 1), POINTS)
        self.one, self.two = rng.random(POINTS), rng.random(POINTS)

    def from_source(self, pool: float) -> float:
        """Mean |output - source| of a pool."""
        return float(np.abs(self._first(pool) - self.source).mean())

    def between(self, pool: float, other: float) -> float:
        """Mean |output - output| of two independent pools on one source."""
        return float(np.abs(self._first(pool) - self._second(other)).mean())

    def _first(self, pool: float) -> Array:
        return _output(self.source, pool, self.total, self.one)

    def _second(self, pool: float) -> Array:
        return _output(self.source, pool, self.total, self.two)


def solve(expected: Callable[[float], float], seen: float, total: int) -> float:
    """The pool between 1 and `total` whose expected distance is `seen`."""
    low, high = 0.0, float(np.log(max(2, total)))
    if seen <= expected(1.0):
        return 1.0
    for _ in range(40):
        middle = (low + high) / 2
        if expected(float(np.exp(middle))) < seen:
            low = middle
        else:
            high = middle
    return float(np.exp((low + high) / 2))


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


def pool_interval(distances: Array, expected: Callable[[float], float], total: int) -> Interval:
    """The pool that explains the distances, with the interval that their mean's interval gives."""
    mean = mean_interval(np.abs(distances))
    return Interval(*(solve(expected, v, total) for v in (mean.value, mean.low, mean.high)))
