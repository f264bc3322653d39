"""How far a shuffle pool moves examples, and the pool that would move them as far as was seen.

A pool of B holds B examples and gives out one of them at random for each that comes in, as
Dataset.shuffle(B) does and as a RandomShuffleQueue does that holds B. How far that moves examples
is asked of pools themselves: they are run on numbers, with no example, whole runs in a millisecond.
So ends, repeats, short streams and small pools need no law of their own, and how much chance makes
of it is seen as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
TRIALS = 24, 24, 48  # pools that are run: over all sizes, near the answer, nearer still
SURE = 2.3  # deviations on either side; more than 1.96, as they are estimated themselves

Run = Callable[[int, np.random.Generator], float]  # what a pool of this size shows when it is run


@dataclass(frozen=True)
class Interval:
    """An estimate and its 95% confidence interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{rounded(self.value)} ({rounded(self.low)} to {rounded(self.high)})"

    def below(self, other: Interval, factor: float) -> bool:
        """Whether it is surely less than `factor` times the other."""
        return self.high < factor * other.low


def rounded(number: float) -> str:
    """The number as a table shows it."""
    return f"{number:,.0f}" if abs(number) >= 20 else f"{number:.3g}"


def leaving(pool: int, total: int, rng: np.random.Generator, until: int) -> Array:
    """The first `until` of the numbers below `total`, in the order in which they leave a pool."""
    pool = min(pool, total)
    draws = min(until, total - pool)
    place = rng.integers(0, pool, draws)  # the one drawn at each step, which the next number takes
    small = place.astype(np.uint16) if pool <= 1 << 16 else place  # of such, sorting is quicker
    by = np.argsort(small, kind="stable")
    drawn = place[by]
    again = np.concatenate([[False], drawn[1:] == drawn[:-1]])[:draws]
    before = np.concatenate([[0], by[:-1]])[:draws]  # the step that last drew the same place
    out: Array = np.empty(draws, np.int64)
    out[by] = np.where(again, pool + before, drawn)
    if draws == until:
        return out
    held = np.arange(pool)
    np.maximum.at(held, place, pool + np.arange(draws))
    return np.concatenate([out, rng.permutation(held)[: until - draws]])


def typical_step(moved: Array) -> float:
    """How far neighbours moved apart, typically.

    Whole files that come in another order move neighbours alike, and do not look like a large
    pool; the farthest quarter is left out, as they may be neighbours of two files.
    """
    steps = np.abs(np.diff(moved))
    kept = max(1, len(steps) * 3 // 4)
    return float(np.partition(steps, kept - 1)[:kept].mean()) if len(steps) else 0.0


def pool_interval(seen: float, run: Run, total: int) -> Interval:
    """The pools, from 1 to `total`, that show what was seen in 95 of 100 runs.

    Args:
      seen: what the stream showed, such as a mean distance.
      run: gives the same of a pool of some size.
      total: examples in the stream.
    """
    rng = np.random.default_rng(20170)
    most = float(np.log(max(2, total)))
    low, high = _about(seen, run, np.linspace(0, most, TRIALS[0]), rng)
    value = least = largest = 0.0
    for trials in TRIALS[1:]:
        value, least, largest = _within(seen, run, np.linspace(low, high, trials), rng)
        reach = 2 * max(value - least, largest - value, float(np.log1p(1.5 / np.exp(value))))
        low, high = max(0.0, value - reach), min(most, value + reach)
    whole = [max(1.0, float(np.round(np.exp(end)))) for end in (least, largest)]
    return Interval(min(max(float(np.exp(value)), whole[0]), whole[1]), *whole)


def _run(run: Run, logs: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """The logarithms of whole pools about as large as asked for, and what these showed."""
    pools = np.maximum(1, np.exp(logs).round()).astype(int).tolist()
    return np.log(pools), np.array([run(pool, rng) for pool in pools])


def _about(seen: float, run: Run, logs: Array, rng: np.random.Generator) -> tuple[float, float]:
    """Between which pools the answer lies, roughly."""
    x, y = _run(run, logs, rng)
    at = int(np.searchsorted(np.maximum.accumulate(y), seen))
    near = [*x[(y > 0.6 * seen) & (y < 1.6 * seen)], x[max(0, at - 1)], x[min(len(x) - 1, at)]]
    return max(0.0, min(near) - 0.1), min(float(logs[-1]), max(near) + 0.1)


def _within(
    seen: float, run: Run, logs: Array, rng: np.random.Generator
) -> tuple[float, float, float]:
    """The likeliest pool, and the least and the largest that are likely, as logarithms."""
    x, y = _run(run, logs, rng)
    # NumPy 1.26 divides by the length of the domain, which is none where all pools are one.
    domain = [x.min(), max(x.max(), x.min() + 1)]
    line = np.polynomial.Polynomial.fit(x, y, min(2, len(np.unique(x)) - 1), domain)
    error = float(np.sqrt(((y - line(x)) ** 2).sum() / (len(x) - 3)))
    tried = np.linspace(logs[0], logs[-1], 400)
    missed = np.abs(line(tried) - seen)
    best = float(tried[np.argmin(missed)])
    likely = tried[missed <= SURE * error]
    return best, float(min([best, *likely[:1]])), float(max([best, *likely[-1:]]))
