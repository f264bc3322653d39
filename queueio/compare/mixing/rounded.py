"""Examples that chance left out, where others are changed: rounded in another way, say.

Two sides that shuffle and drop the remainder leave out other examples each time. Where all examples
are rounded in another way, or have other labels, no digest tells that one is there in another run
(chance.py), so further runs are held against it value by value.
"""

from __future__ import annotations

from contextlib import closing
from typing import Any

import numpy as np

from queueio.compare.match.change import SAME, Tolerance
from queueio.compare.match.match import SURE, Pair, match
from queueio.compare.mixing.chance import full_batches, patience
from queueio.compare.reading.again import Again
from queueio.compare.reading.difference import Difference
from queueio.compare.reading.fetch import Example, Fetched, cut, fetch
from queueio.compare.reading.lockstep import Both
from queueio.compare.reading.spool import member

Array = np.ndarray[Any, Any]
Left = tuple[list[Example], list[Example]]


def rest_by_chance(
    both: Both, left: Left, tolerance: Tolerance, known: list[Pair]
) -> tuple[list[Pair], list[Pair], int] | None:
    """The pairs of what is left over; those with what the other side left out in its first run by
    chance; and how many that did on either side.

    Args:
      both: the two sides.
      left: the examples of each side that have no counterpart; without values if not fetched.
      tolerance: how far floats may differ.
      known: the pairs that are sure. What is left over may be changed where these are.

    Returns:
      None where one of them is not found, but for such changes, in any run of the other side.
    """
    size = full_batches(both)
    most = 3 * size  # left out by this run, by the one that fetched, and by the other side's
    if not size or both.old.examples != both.new.examples or max(map(len, left)) > most:
        return None
    old, new = (
        _Further(again, {e.digest for e in mine if not e.values}, most)
        for again, mine in zip(both.again, left, strict=True)
    )
    mine, other = [
        [e for e in examples if e.values] + side.fetched
        for examples, side in zip(left, (old, new), strict=True)
    ]
    if old.lacking or new.lacking or (len(mine) != len(left[0])) or len(other) != len(left[1]):
        return None
    shared = _changed_alike(mine, other, known, tolerance)
    paired = {id(e) for pair in shared for e in (pair.old, pair.new)}
    rest = [[e for e in side if id(e) not in paired] for side in (mine, other)]
    further = _changed_alike(rest[0], new.others, known, tolerance)
    if len(further) < len(rest[0]):
        return None
    other_way = _changed_alike(old.others, rest[1], known, tolerance)
    if len(other_way) < len(rest[1]):
        return None
    return shared, further + other_way, len(mine) - len(shared)


def fetch_left_out(both: Both, difference: Difference, fetched: tuple[Fetched, Fetched]) -> None:
    """Adds what a side delivered first and, dropping another rest, not in the run that fetched.

    Where both sides deliver as many, what is left over is for `rest_by_chance`.

    Args:
      both: the two sides.
      difference: what differs.
      fetched: the examples of each side; those that are found go there.
    """
    if both.old.examples == both.new.examples:
        return
    wanted = difference.only_old(), difference.only_new()
    for again, mine, digests in zip(both.again, fetched, wanted, strict=True):
        rest = _not_in(digests, mine.examples)
        if again.possible and 0 < len(rest) < max(again.scan.sizes, default=0):
            mine.examples += _from_further(again, rest)


def _from_further(again: Again, wanted: Array) -> list[Example]:
    found: list[Example] = []
    for _ in range(patience(again.scan.examples)):
        with closing(Again(again.scan, again.select)) as run:
            more = fetch(run, wanted)
        found += [] if more.random else more.examples
        wanted = _not_in(wanted, found)
        if not len(wanted):
            break
    return found


def _not_in(digests: Array, examples: list[Example]) -> Array:
    there = {example.digest for example in examples}
    kept: Array = np.array([d.tobytes() not in there for d in digests], bool)
    rest: Array = digests[kept]
    return rest


def _changed_alike(
    old: list[Example], new: list[Example], known: list[Pair], tolerance: Tolerance
) -> list[Pair]:
    """The pairs of examples that are surely one, and changed where known pairs are, if at all.

    They are matched among the known ones: of a few by themselves a label of ten classes would
    tell which is which.
    """
    here = {id(e) for e in old} if old and new else set()
    there = {id(e) for e in new}
    places = set().union(*map(_changed, known))
    pairs = match([*old, *(p.old for p in known)], [*new, *(p.new for p in known)], tolerance)
    return [
        pair for pair in pairs
        if id(pair.old) in here and id(pair.new) in there
        and (pair.rounded or (pair.how in SURE and _changed(pair) <= places))
    ]  # fmt: skip


def _changed(pair: Pair) -> set[int]:
    return {index for index, change in enumerate(pair.changes) if change is not SAME}


class _Further:
    """Further runs of a side, until they bring nothing new: what they have that the first run had
    not, and what was to be fetched.
    """

    def __init__(self, again: Again, wanted: set[bytes], most: int) -> None:
        scan = again.scan
        self._first = np.unique(scan.spool.read(0, scan.examples)[:, 0])
        self._wanted, self._key, self._most = wanted, scan.key, most
        self._found: dict[bytes, Example] = {}
        self._others: dict[bytes, Example] = {}
        for _ in range(patience(scan.examples) if again.possible else 0):
            with closing(Again(scan, again.select)) as run:
                run.run(scan.examples, self)

    @property
    def done(self) -> bool:
        """Whether so many others come that they are none of a rest."""
        return len(self._others) > self._most

    @property
    def lacking(self) -> bool:
        return self.done or len(self._found) < len(self._wanted)

    @property
    def fetched(self) -> list[Example]:
        return list(self._found.values())

    @property
    def others(self) -> list[Example]:
        return list(self._others.values())

    def add(self, position: int, values: list[Any], parts: Array, digests: Array) -> None:
        known = member(digests[:, 0], self._first)
        for row, digest in enumerate(map(np.ndarray.tobytes, digests)):
            kept = self._found if digest in self._wanted else self._others
            if digest not in kept and (digest in self._wanted or not known[row]):
                place = position + row
                kept[digest] = cut(values, row, place, digests[row], parts[row], self._key)
