"""Whether what both sides draw anew in each run is drawn from one distribution.

Single values cannot be compared; figures of them can (features.py): mean, deviation, moments, the
shares of values in a range, what leans left or up. Each run of a side gives such figures, once for
each of a few groups of examples, told apart by a component that is not drawn, if any. How much they
vary from run to run within a group is the error of chance alone, as the examples behind are the
same. Where a seed has each run of a side draw the same, all its runs count as one. The runs go on
until that error is small enough to find what FACTOR and OFFSET say.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from queueio import recorder
from queueio.compare.draws.features import Reference
from queueio.compare.draws.relation import relation
from queueio.compare.draws.tally import Tally, Test, tested
from queueio.compare.reading.again import Again
from queueio.compare.reading.scan import Scan

Array = np.ndarray[Any, Any]
FACTOR, OFFSET = 0.02, 0.01  # of the values, and of their range
GROUPS = 16
UNIT = 8192  # examples after which figures are taken as a run's, within a long one
TURNS = (4, 8, 16, 32, 64, 128)  # runs
SAMPLE = 256  # values of one batch that are kept to name a relation


@dataclass
class Judgement:
    """Of one component: "agrees", "differs" or "unknown", and what is to be said of it.

    "same" if it was compared exactly, under the same draws.

    `final`: more runs would tell no more; `torn`: it differs only beside the values of the others.
    """

    component: int
    kind: str
    text: str
    examples: int = 0
    final: bool = True
    torn: bool = False


@dataclass
class _Component:
    """One component's figures on both sides."""

    index: int
    reference: Reference | None = None
    tallies: tuple[Tally, Tally] = field(default_factory=lambda: (Tally(), Tally()))
    values: tuple[list[Array], list[Array]] = field(default_factory=lambda: ([], []))
    why: str = ""  # why it cannot be compared


class _Watcher:
    """Takes the figures of one run."""

    done = False

    def __init__(self, side: int, components: list[_Component], fixed: int | None) -> None:
        self.side, self.components, self.fixed = side, components, fixed
        self.count = 0
        self.ended = False

    def add(self, position: int, values: list[Any], parts: Array, digests: Array) -> None:
        telling = digests[:, 0] if self.fixed is None else parts[:, self.fixed, 0]
        groups = (telling % np.uint64(GROUPS)).astype(np.int64)
        for start in range(0, len(parts), 512):  # figures take many times the values' memory
            some = slice(start, start + 512)
            for each in self.components:
                self._add(each, values[each.index], some, groups[some])
        self.count += len(parts)
        if self.count >= UNIT:
            self._close()

    def _add(self, each: _Component, value: Any, some: slice, groups: Array) -> None:
        if each.why:
            return
        if recorder.kind_of(value) != "dense" or value.dtype.kind not in "biuf" or not value.size:
            each.why = "it is no dense tensor of numbers"
            return
        if each.reference is None:
            each.reference = Reference(value)
        rows = value[some]
        kept = each.values[self.side]
        if len(kept) < 200:
            kept.append(rows)
        each.tallies[self.side].add(groups, each.reference.figures(rows))

    def end(self) -> None:
        """The run is complete; a short rest of a long one stands for none."""
        if self.ended and 2 * self.count < UNIT:
            for each in self.components:
                each.tallies[self.side].drop()
        elif self.count:
            self._close()

    def _close(self) -> None:
        for each in self.components:
            each.tallies[self.side].close(GROUPS)
        self.count, self.ended = 0, True


def judge(
    scans: tuple[Scan, Scan],
    selects: tuple[list[int] | None, list[int] | None],
    drawn: list[int],
    seconds: float,
) -> list[Judgement]:
    """Judges the drawn components; runs both sides as often as it takes, for `seconds` at most."""
    components = [_Component(i) for i in drawn]
    fixed = _telling(scans, drawn)
    for each in components:
        each.why = _not_alike(scans, each.index)
    if not all(scan.side.repeatable for scan in scans):
        return [Judgement(i, "unknown", "a recording cannot be run again") for i in drawn]
    until = time.monotonic() + seconds
    found: list[Judgement] = []
    for _ in _turns(scans, selects, components, fixed, until):
        found = [_judged(each) for each in components]
        if all(judgement.final for judgement in found):
            break
    return found


def _telling(scans: tuple[Scan, Scan], drawn: list[int]) -> int | None:
    """The component to group examples by: one of many values, the same ones on both sides."""
    old, new = scans
    fixed = [i for i in range(min(len(s.schema.components) for s in scans)) if i not in drawn]
    same = [i for i in fixed if (old.sums[i] == new.sums[i]).all()]
    return max(same or fixed, key=lambda i: len(old.marks[i]), default=None)


def _not_alike(scans: tuple[Scan, Scan], index: int) -> str:
    old, new = (set(scan.shapes[index]) for scan in scans)
    return "" if old == new or len(old | new) > 2 else "its shapes differ"


def _turns(
    scans: Any, selects: Any, components: list[_Component], fixed: int | None, until: float
) -> Iterator[None]:
    """Runs the sides in turn; yields after each of the TURNS."""
    made = 0
    for most in TURNS:
        for _ in range(most - made):
            for side in (0, 1):
                watcher = _Watcher(side, components, fixed)
                with closing(Again(scans[side], selects[side], same=True)) as again:
                    again.run(scans[side].examples + 1, watcher)  # to its end
                watcher.end()
            made += 1
            if time.monotonic() > until or all(c.why for c in components):
                break
            if made >= 2 and min(t.units for c in components for t in c.tallies) >= 4 * most:
                break
        yield
        if time.monotonic() > until:
            return


def _judged(each: _Component) -> Judgement:
    if each.why or each.reference is None:
        return Judgement(each.index, "unknown", each.why or "there were too few runs")
    old, new = each.tallies
    test = tested(old, new, len(TURNS))
    count = old.examples + new.examples
    if test is None:
        return Judgement(each.index, "unknown", "there were too few runs", count, False)
    names = each.reference.names
    if test.surprising.any() or test.torn:
        text, final = relation(each.reference, names, test, each.values, each.tallies)
        apart = not test.surprising.any()
        return Judgement(each.index, "differs", text, count, final, torn=apart)
    error = _error(each.reference, test)
    about = _about(each.reference, test, error)
    if not _enough(each.reference, test):
        if all(test.repeated):
            text = f"{about}: too few examples to be surer, as a seed has each run draw the same"
            return Judgement(each.index, "unknown", text, count)
        text = f"{about}: too few examples, or too different, to be surer in the time given"
        return Judgement(each.index, "unknown", text, count, False)
    return Judgement(each.index, "agrees", about, count)


def _error(reference: Reference, test: Test) -> Array:
    """What the means may differ by without being found, per channel, in the values' unit."""
    return np.asarray(test.findable[:, 0] * reference.deviation)


def _enough(reference: Reference, test: Test) -> bool:
    """Whether a factor of 1 + FACTOR and an offset of OFFSET of the range would be found."""
    error = _error(reference, test)
    offset = error <= OFFSET * reference.range
    by_mean = error <= FACTOR * np.abs(test.means[0][:, 0] * reference.deviation + reference.mean)
    by_square = test.findable[:, 1] <= 2 * FACTOR * np.maximum(test.means[0][:, 1], 1e-9)
    return bool((offset & (by_mean | by_square)).all())


def _about(reference: Reference, test: Test, error: Array) -> str:
    """`mean 0.471 and 0.472 (an offset of 0.004 would have been found)`."""
    at = int(np.argmax(error / np.maximum(reference.range, 1e-300)))
    old, new = (m[at, 0] * reference.deviation[at] + reference.mean[at] for m in test.means)
    channel = f" of channel {at}" if reference.channels > 1 else ""
    return f"mean{channel} {old:.4g} and {new:.4g}, where a difference of {error[at]:.2g} shows"
