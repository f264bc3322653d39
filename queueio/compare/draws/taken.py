"""The figures of drawn components, taken of one run after another, of both sides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from queueio import recorder
from queueio.compare.draws.around import Around
from queueio.compare.draws.entries import SomeEntries
from queueio.compare.draws.features import Reference, channels_of
from queueio.compare.draws.near import Near
from queueio.compare.draws.tally import Tally
from queueio.compare.draws.together import Together
from queueio.compare.reading.difference import Difference
from queueio.compare.reading.exact import base_of, beyond
from queueio.compare.reading.scan import Scan
from queueio.compare.reading.spool import member

Array = np.ndarray[Any, Any]
GROUPS = 16
UNIT = 8192  # examples after which figures are taken as a run's, within a long one
SCALED, BYTES = 256, 32 << 20  # examples that show a component's scale, and the room for them


@dataclass(frozen=True)
class Telling:
    """What tells examples apart: components that are not drawn. `apart`: the digests of those
    that one side only has, which are left out, in order."""

    components: list[int]
    apart: Array

    def keys(self, parts: Array) -> Array:
        """A number for each example, by the digests of its components."""
        if not self.components:
            return np.zeros(len(parts), np.uint64)
        return np.asarray(recorder.join_digests(parts[:, self.components])[:, 0])


def telling(scans: tuple[Scan, Scan], drawn: list[int], difference: Difference) -> Telling:
    """What tells the examples apart: the other components, but for the `difference` in them; if
    that is most of the examples, the one of these components that both sides have alike."""
    fixed = [i for i in range(min(len(s.schema.components) for s in scans)) if i not in drawn]
    if difference.complete and 2 * difference.distinct <= min(s.examples for s in scans):
        return Telling(fixed, np.unique(difference.digests[:, 0]))
    old, new = scans
    same = [i for i in fixed if (old.sums[i] == new.sums[i]).all()]
    best = max(same, key=lambda i: len(old.marks[i]), default=None)
    return Telling([] if best is None else [best], np.zeros(0, np.uint64))


@dataclass
class BothFigures:
    """Figures of both sides, in the scale of the first examples that came: a batch of one shows
    none, nor do a few that a second flip left as the first one did."""

    reference: Reference | None = None
    tallies: tuple[Tally, Tally] = field(default_factory=lambda: (Tally(), Tally()))
    _waiting: list[tuple[int, Array, Array]] = field(default_factory=list)

    def add(self, side: int, groups: Array, rows: Array, whole: Reference | None = None) -> None:
        """Takes in examples of a side; `whole`: the scale of what these are a difference of."""
        self._waiting.append((side, groups, rows))
        held = [rows for _, _, rows in self._waiting]
        enough = sum(map(len, held)) >= SCALED or sum(r.nbytes for r in held) >= BYTES
        if self.reference or enough:
            self.settle(whole)

    def settle(self, whole: Reference | None = None) -> None:
        """Takes the figures of what has come, also where it is less than SCALED."""
        if self.reference is None and self._waiting:
            self.reference = Reference([rows for _, _, rows in self._waiting], whole)
        for side, groups, rows in self._waiting:
            assert self.reference is not None
            self.tallies[side].add(groups, self.reference.figures(rows))
        self._waiting = []

    def fits(self, value: Array) -> bool:
        """Whether figures can be taken of a batch: it has the first one's channels."""
        first = [self.reference.channels] if self.reference else [
            channels_of(rows) for _, _, rows in self._waiting[:1]
        ]  # fmt: skip
        return first in ([], [channels_of(value)])


@dataclass
class DrawnComponent:
    """One component: its values, and what these are beyond the reference run's."""

    index: int
    around: Around | None
    near: Near | None = None
    entries: SomeEntries = field(default_factory=SomeEntries)
    plain: BothFigures = field(default_factory=BothFigures)
    beyond: BothFigures = field(default_factory=BothFigures)
    values: tuple[list[Array], list[Array]] = field(default_factory=lambda: ([], []))
    why: str = ""  # why it cannot be compared
    base: int | None = None  # from which on large integers are looked at: floats do not hold them

    def from_base(self, rows: Array) -> Array:
        """Examples as they are, or what they are beyond the least of those that came first."""
        if self.base is None:
            self.base = base_of([rows])
        return beyond(rows, self.base).view(np.int64) if self.base else rows


class Taker:
    """Takes the figures of one run; `first`: of the one that is the reference of all others."""

    done = False

    def __init__(
        self, side: int, components: list[DrawnComponent], telling: Telling, together: Together,
        first: bool,
    ) -> None:  # fmt: skip
        self.side, self.components, self.telling, self.first = side, components, telling, first
        self.together = together
        self.count = 0
        self.ended = False

    def add(self, position: int, values: list[Any], parts: Array, digests: Array) -> None:
        keys = self.telling.keys(parts)
        groups = (keys if self.telling.components else digests[:, 0]) % np.uint64(GROUPS)
        kept = ~member(keys, self.telling.apart)
        for start in range(0, len(parts), 512):  # figures take many times the values' memory
            some: Array = np.nonzero(kept[start : start + 512])[0] + start
            entries: dict[int, Array | None] = {}
            for each in self.components if len(some) else []:
                if _comparable(each, values[each.index]):
                    rows = values[each.index][some]
                    entries[each.index] = self._add(
                        each, rows, groups[some].astype(int), keys[some]
                    )
            self.together.add(self.side, position + some, keys[some], entries)
        self.count += int(kept.sum())
        if self.count >= UNIT:
            self._close()

    def _add(self, each: DrawnComponent, rows: Array, groups: Array, keys: Array) -> Array | None:
        """Takes the figures of a component's examples; their entries, by which they are near."""
        kept = each.values[self.side]
        if len(kept) < 200:
            kept.append(rows)
        rows = each.from_base(rows)
        each.plain.add(self.side, groups, rows)
        entries = each.entries.of(rows) if each.near is not None else None
        if each.near is not None:
            each.near.add(self.side, entries)
        if each.around is None:
            return entries
        if self.first:
            each.around.add(keys, rows)
        else:
            known, beyond = each.around.rest(keys, rows)
            if known.any():
                each.beyond.add(self.side, groups[known], beyond, each.plain.reference)
        return entries

    def end(self) -> None:
        """The run is complete; a short rest of a long one stands for none."""
        if self.ended and 2 * self.count < UNIT:
            for tally in self._tallies():
                tally.drop()
        elif self.count:
            self._close()
        for each in self.components:
            if each.near is not None:
                each.near.end(self.side)
            if self.first and each.around is not None:
                each.around.settle()
        self.together.end(self.side)

    def _close(self) -> None:
        for each in self.components:
            each.plain.settle()
            each.beyond.settle(each.plain.reference)
        for tally in self._tallies():
            tally.close(GROUPS)
        self.count, self.ended = 0, True

    def _tallies(self) -> Iterator[Tally]:
        for each in self.components:
            yield each.plain.tallies[self.side]
            yield each.beyond.tallies[self.side]


def _comparable(each: DrawnComponent, value: Any) -> bool:
    """Whether figures can be taken of a batch; if not, `each` holds why."""
    if recorder.kind_of(value) != "dense" or value.dtype.kind not in "biuf" or not value.size:
        each.why = each.why or "it is no dense tensor of numbers"
    elif not each.plain.fits(value):
        each.why = each.why or "its shapes differ"
    return not each.why
