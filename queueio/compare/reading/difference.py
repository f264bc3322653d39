"""Which examples differ, and how often each side has them.

What is on disk of the two sides (spool.py) is cut, by the first lane of the digests, into parts
that fit into memory; each part of both sides is sorted together and counted. A wrong answer needs
two examples of one 128-bit digest: n² · 2⁻¹²⁹, or 10⁻²⁵ for ten million examples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from queueio.compare.reading.spool import Spool, member

Array = np.ndarray[Any, Any]
PART = 1 << 18  # digests of both sides that are sorted at once
MOST_PARTS = 256  # files that are open at once, for each side
LISTED = 50_000  # differing digests
FETCHED = 20_000  # differing examples of one side


@dataclass
class Difference:
    """The digests with unequal counts, listed up to LISTED, counted all.

    `pairs` counts the differing digests by (times in old, times in new); `lacking` and `extra`
    count deliveries that old has and new has not, and the reverse.
    """

    digests: Array
    old_counts: Array
    new_counts: Array
    pairs: Counter[tuple[int, int]] = field(default_factory=Counter)
    distinct: int = 0
    lacking: int = 0
    extra: int = 0

    @property
    def complete(self) -> bool:
        """Whether all differing digests are listed."""
        return len(self.digests) == self.distinct

    @property
    def empty(self) -> bool:
        return self.distinct == 0

    def part(self, chosen: Array) -> Difference:
        """The chosen ones of the listed digests."""
        return of_counts(self.digests[chosen], self.old_counts[chosen], self.new_counts[chosen])

    def only_old(self) -> Array:
        """Digests that old delivers more often than new."""
        return self.digests[self.old_counts > self.new_counts]

    def only_new(self) -> Array:
        return self.digests[self.new_counts > self.old_counts]


def differ(old: Spool, new: Spool) -> Difference:
    """The difference of two sides."""
    result = none()
    found = [_unequal(*part, result) for part in _parts(old, new)]
    result.digests, result.old_counts, result.new_counts = (
        np.concatenate(column)[:LISTED] for column in zip(*found, strict=True)
    )
    return result


def of_counts(digests: Array, old: Array, new: Array) -> Difference:
    """The difference of so few digests that all are listed."""
    result = Difference(digests, old, new)
    _tally(result, old, new)
    return result


def none() -> Difference:
    """No difference."""
    counts: Array = np.zeros(0, np.int64)
    return Difference(np.zeros((0, 2), np.uint64), counts, counts)


def _tally(result: Difference, old: Array, new: Array) -> None:
    result.distinct += len(old)
    result.lacking += int(np.maximum(old - new, 0).sum())
    result.extra += int(np.maximum(new - old, 0).sum())
    both, times = np.unique(np.stack([old, new], axis=1), axis=0, return_counts=True)
    for (a, b), count in zip(both.tolist(), times.tolist(), strict=True):
        result.pairs[(a, b)] += count


def count(spool: Spool, digests: Array) -> Array:
    """How often each of the digests occurs in the spool."""
    counts: Array = np.zeros(len(digests), np.int64)
    if not len(digests):
        return counts
    order: Any = np.argsort(digests[:, 0])
    ordered: Any = digests[order]
    for _, chunk in spool.chunks():
        hits: Any = chunk[member(chunk[:, 0], ordered[:, 0])]
        places: Any = np.searchsorted(ordered[:, 0], hits[:, 0])
        same = ordered[places, 1] == hits[:, 1]
        np.add.at(counts, np.take(order, places[same]), 1)
    return counts


def _parts(old: Spool, new: Spool) -> Iterator[tuple[Array, Array]]:
    """The digests of both sides, a part of their range at a time."""
    count = min(1 + (old.count + new.count) // PART, MOST_PARTS)
    for pair in zip(_cut(old, count), _cut(new, count), strict=True):
        yield pair[0].read(0, pair[0].count), pair[1].read(0, pair[1].count)


def _cut(spool: Spool, count: int) -> list[Spool]:
    if count == 1:
        return [spool]
    parts = [Spool() for _ in range(count)]
    for _, chunk in spool.chunks():
        place = (chunk[:, 0] >> np.uint64(32)) * np.uint64(count) >> np.uint64(32)
        order = np.argsort(place, kind="stable")
        ends = np.searchsorted(place[order], np.arange(1, count))
        for part, digests in zip(parts, np.split(chunk[order], ends), strict=True):
            part.append(digests)
    return parts


def _unequal(old: Array, new: Array, result: Difference) -> tuple[Array, Array, Array]:
    """The digests that one side has more often, and how often each has them; adds to `result`."""
    both = np.concatenate([old, new])
    order: Array = np.argsort(both[:, 0])
    changes = _changes(both[order])
    if not np.array_equal(changes[:, 0], changes[:, 1]):  # ever so rarely the second lane decides
        order = np.lexsort((both[:, 1], both[:, 0]))
        changes = _changes(both[order])
    begins: Any = changes.any(axis=1)
    which = np.cumsum(begins) - 1
    counts = [np.bincount(which[side], minlength=int(begins.sum()))
              for side in (order < len(old), order >= len(old))]  # fmt: skip
    differs = counts[0] != counts[1]
    found = both[order][begins][differs], counts[0][differs], counts[1][differs]
    _tally(result, *found[1:])
    return tuple(column[:LISTED] for column in found)


def _changes(digests: Array) -> Array:
    """Where either lane is another than one row before, or where there is none before."""
    return np.concatenate([[[True, True]], digests[1:] != digests[:-1]])[: len(digests)]
