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
TOGETHER = 0.05  # how often independent groups may be taken for such as vary together
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
    score: Array  # the difference over what is surprising, where all groups are independent
    sure: Array  # whether it is so, too, by the runs' own means, of which nothing is assumed
    torn: bool  # the groups differ, their mean does not
    repeated: tuple[bool, bool]  # the sides whose runs all have the same draws
    unsure: bool  # surprising only if a run's groups are independent, of which it is too early

    @property
    def surprising(self) -> Array:
        """Where chance does not explain the difference."""
        return np.asarray((self.score > 1) & self.sure)

    @property
    def strength(self) -> Array:
        """How far the difference is beyond chance; 0 where it is not."""
        return np.where(self.surprising, self.score, 0.0)


def tested(old: Tally, new: Tally, looks: int) -> Test | None:
    """Compares the means of both sides' figures; None with too little to tell their error.

    Args:
      old, new: the sides' figures.
      looks: how often the test may be made as more runs come.
    """
    from scipy import stats

    if min(old.units, new.units) < 2:
        return None
    groups, weight = _by_group(old, new)
    freedom = (len(groups[0]) + len(groups[1]) - 2) / float((weight**2).sum())
    if freedom < LEAST:
        return None
    varied = [g.var(axis=0, ddof=1) for g in groups]
    expected = [np.tensordot(weight**2, v, 1) for v in varied]  # of one run's mean
    runs = [np.tensordot(g, weight, ((1,), (0,))) for g in groups]
    whole = [r.var(axis=0, ddof=1) for r in runs]
    repeated = (
        _repeats(len(runs[0]), whole[0], *expected),
        _repeats(len(runs[1]), whole[1], *expected[::-1]),
    )
    error = np.sum(_errors(groups, varied, repeated), axis=0)  # of each group's mean
    floor = FLOOR + 0.25 / min(old.examples, new.examples)
    alarm = ALARM / looks / whole[0].size
    shown = [r.mean(axis=0) for r in runs]
    apart = np.abs(shown[1] - shown[0])
    single = np.sqrt(np.tensordot(weight**2, error, 1) + floor**2)
    bound = single * stats.t.ppf(1 - alarm / 2, freedom)
    wide, bound_of_runs = _of_runs(runs, whole, repeated, alarm, floor)
    score, sure = apart / bound, apart > bound_of_runs
    findable = bound + POWER * single
    together = any(map(_go_together, runs, whole, expected))
    unsure = bool((score > 1).any() and not (together or ((score > 1) & sure).any()))
    if together or unsure:
        findable = np.maximum(findable, bound_of_runs + POWER * wide)
    return Test(
        (shown[0], shown[1]),
        findable,
        score,
        sure,
        _torn(groups, error + floor**2, shown[1] - shown[0], alarm),
        repeated,
        unsure,
    )


def _by_group(old: Tally, new: Tally) -> tuple[list[Array], Array]:
    """Each side's means (runs, groups, channels, figures), and the groups' weights.

    All are one group where some run has none of a group that others have.
    """
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
    return groups, total / total.sum()


def _errors(means: list[Array], varied: list[Array], repeated: tuple[bool, bool]) -> list[Array]:
    """The variance of each side's mean over its runs; those that repeat their draws are one."""
    return [
        np.maximum(*varied) if same else v / len(m)
        for m, v, same in zip(means, varied, repeated, strict=True)
    ]


def _of_runs(
    runs: list[Array], whole: list[Array], repeated: tuple[bool, bool], alarm: float, floor: float
) -> tuple[Array, Array]:
    """The error of the means' difference, and the bound beyond which it is surprising, as runs
    alone tell them: whatever goes together within a run. They are few, so the bound is wide."""
    from scipy import stats

    errors = _errors(runs, whole, repeated)
    parts = sum(e**2 / (len(r) - 1) for e, r in zip(errors, runs, strict=True))
    freedom = np.maximum(sum(errors) ** 2 / np.maximum(parts, 1e-300), 1.0)
    wide = np.sqrt(sum(errors) + floor**2)
    return wide, wide * stats.t.ppf(1 - alarm / 2, freedom)


def _go_together(runs: Array, whole: Array, expected: Array) -> bool:
    """Whether the means of a side's runs vary more than those of independent groups would."""
    from scipy import stats

    varied = expected > ROUNDING
    if not varied.any():
        return False
    share = float((whole[varied] / expected[varied]).mean())
    freedom = len(runs) - 1
    return share > float(stats.chi2.isf(TOGETHER, freedom)) / freedom


def _repeats(runs: int, whole: Array, mine: Array, other: Array) -> bool:
    """Whether all of a side's runs have the same draws, so that they tell no more than one.

    So it is where a seed decides them. Which examples they fall to may be chance all the same, so
    that groups vary; but then the mean of all varies less than independent groups would have it.
    Where they fall to the same examples, nothing varies, beside the other side. A figure that this
    side's draws leave alone, as a flip does the mean, says nothing while others vary.
    """
    from scipy import stats

    expected = np.maximum(mine, FROZEN * other)
    varied = expected > ROUNDING
    moving = mine > np.maximum(ROUNDING, FROZEN * other)
    varied = moving if moving.any() else varied
    if varied[:, 0].any():  # the mean: others depend on which values it is that are drawn for
        varied[:, 1:] = False
    if not varied.any():
        return False
    share = float((whole[varied] / expected[varied]).mean())
    freedom = runs - 1
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
