"""Figures of many runs, by groups of examples, and the test whether two sides have the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
ALARM = 1e-4  # how often equal sides may be told apart, over all figures and turns
POWER = 2.0  # deviations beyond the bound at which a difference is found in 97 of 100
LEAST = 12  # degrees of freedom without which nothing is said
FLOOR = 1e-5  # of the old side's deviation: rounding
ROUNDING = 1e-20  # the variance of what does not vary
REPEATED, BY_CHANCE, FROZEN = 0.2, 0.01, 1e-3
"""A side's runs repeat their draws where its mean varies less than this share of what it should,
or so little as is chance in one of a hundred sides."""


class Tally:
    """The sums of figures per group, for one run after another."""

    def __init__(self) -> None:
        self.counts: list[Array] = []
        self.sums: list[Array] = []
        self._open: list[tuple[Array, Array]] = []
        self.examples = 0

    @property
    def units(self) -> int:
        """The number of runs that are complete."""
        return len(self.counts)

    @property
    def waiting(self) -> int:
        """The examples of the run that is not complete."""
        return sum(len(groups) for groups, _ in self._open)

    def add(self, groups: Array, figures: Array) -> None:
        """Takes in figures (examples, channels, figures) with each example's group."""
        self._open.append((groups, figures))
        self.examples += len(groups)

    def drop(self) -> None:
        """Forgets what has come of a run."""
        self._open = []

    def close(self, groups: int) -> None:
        """Ends a run."""
        if not self._open:
            return
        which = np.concatenate([g for g, _ in self._open])
        figures = np.concatenate([f for _, f in self._open])
        sums = np.zeros((groups, *figures.shape[1:]))
        np.add.at(sums, which, figures)
        self.counts.append(np.bincount(which, minlength=groups).astype(float))
        self.sums.append(sums)
        self._open = []

    def by_group(self) -> Array:
        """The mean figures (groups, channels, figures) of all runs; NaN where nothing came."""
        counts = np.sum(self.counts, axis=0)[:, None, None]
        with np.errstate(all="ignore"):
            return np.asarray(np.sum(self.sums, axis=0) / counts)


@dataclass
class Test:
    """Per channel and figure: both means, the difference that would be found, what was found."""

    means: tuple[Array, Array]
    findable: Array
    score: Array  # the difference over what is surprising
    torn: bool  # the groups differ, their mean does not
    repeated: tuple[bool, bool]  # the sides whose runs all have the same draws

    @property
    def surprising(self) -> Array:
        """Where chance does not explain the difference."""
        return self.score > 1


def tested(old: Tally, new: Tally, looks: int) -> Test | None:
    """Compares the means of both sides' figures; None with too little to tell their error.

    Args:
      old, new: the sides' figures.
      looks: how often the test may be made as more runs come.
    """
    from scipy import stats

    if min(old.units, new.units) < 2:
        return None
    counts = [np.stack(t.counts) for t in (old, new)]
    sums = [np.stack(t.sums) for t in (old, new)]
    known = (np.concatenate(counts) > 0).all(axis=0)
    if not known.any() or np.concatenate(counts)[:, ~known].any():
        counts = [c.sum(axis=1, keepdims=True) for c in counts]
        sums = [s.sum(axis=1, keepdims=True) for s in sums]
        known = np.ones(1, bool)
    counts, sums = [c[:, known] for c in counts], [s[:, known] for s in sums]
    groups = [s / c[:, :, None, None] for s, c in zip(sums, counts, strict=True)]
    total = sum(c.sum(axis=0) for c in counts)
    weight = total / total.sum()
    freedom = (len(groups[0]) + len(groups[1]) - 2) / float((weight**2).sum())
    if freedom < LEAST:
        return None
    varied = [g.var(axis=0, ddof=1) for g in groups]
    expected = [np.tensordot(weight**2, v, 1) for v in varied]  # of one run's mean
    repeated = _repeats(groups[0], weight, *expected), _repeats(groups[1], weight, *expected[::-1])
    error = sum(
        np.maximum(*varied) if same else v / len(g)
        for g, v, same in zip(groups, varied, repeated, strict=True)
    )  # of each group's mean
    shown = [np.tensordot(weight, g.mean(axis=0), 1) for g in groups]
    floor = FLOOR + 0.25 / min(old.examples, new.examples)
    whole = np.sqrt(np.tensordot(weight**2, error, 1) + floor**2)
    alarm = ALARM / looks / whole.size
    bound = float(stats.t.ppf(1 - alarm / 2, freedom))
    apart = np.abs(shown[1] - shown[0])
    torn = _torn(groups, error + floor**2, shown[1] - shown[0], alarm)
    return Test(
        (shown[0], shown[1]), (bound + POWER) * whole, apart / (bound * whole), torn, repeated
    )


def _repeats(groups: Array, weight: Array, mine: Array, other: Array) -> bool:
    """Whether all of a side's runs have the same draws, so that they tell no more than one.

    So it is where a seed decides them. Which examples they fall to may be chance all the same, so
    that groups vary; but then the mean of all varies less than independent groups would have it.
    Where they fall to the same examples, nothing varies, beside the other side. A figure that this
    side's draws leave alone, as a flip does the mean, says nothing while others vary.
    """
    from scipy import stats

    expected = np.maximum(mine, FROZEN * other)
    whole = np.tensordot(groups, weight, ((1,), (0,))).var(axis=0, ddof=1)
    varied = expected > ROUNDING
    moving = mine > np.maximum(ROUNDING, FROZEN * other)
    varied = moving if moving.any() else varied
    if varied[:, 0].any():  # the mean: others depend on which values it is that are drawn for
        varied[:, 1:] = False
    if not varied.any():
        return False
    share = float((whole[varied] / expected[varied]).mean())
    freedom = len(groups) - 1
    least = float(stats.chi2.ppf(BY_CHANCE, freedom)) / freedom
    return share < max(REPEATED, least)


def _torn(groups: list[Array], error: Array, whole: Array, alarm: float) -> bool:
    """Whether the groups' means differ from one side to the other beyond what all do."""
    from scipy import stats

    if len(error) < 2:
        return False
    apart = groups[1].mean(axis=0) - groups[0].mean(axis=0) - whole
    ratio = (apart**2).sum(axis=0) / error.sum(axis=0)
    freedom = error.sum(axis=0) ** 2 / (error**2).sum(axis=0)
    rest = freedom * (len(groups[0]) + len(groups[1]) - 2)
    return bool((stats.f.sf(ratio, freedom, rest) < alarm).any())
