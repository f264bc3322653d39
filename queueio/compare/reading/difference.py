"""Which examples differ, and how often each side has them.

The sketch answers when the differences are few. When it cannot be decoded, the spooled digests
are compared exactly: the digests' space is cut into parts that fit into memory, and each part of
both files is sorted and counted.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from queueio.compare.reading.digest import as_records
from queueio.compare.reading.sketch import Sketch
from queueio.compare.reading.spool import Spool, member

Array = np.ndarray[Any, Any]
PART = 1 << 18
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
    method: str
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

    def only_old(self) -> Array:
        """Digests that old delivers more often than new."""
        return self.digests[self.old_counts > self.new_counts]

    def only_new(self) -> Array:
        return self.digests[self.new_counts > self.old_counts]


def differ(sketch: Sketch, old: Spool, new: Spool) -> Difference:
    """The difference of the two sides, by the sketch if it decodes, else exactly."""
    decoded = sketch.decode()
    if decoded is None:
        return _exact(old, new)
    digests, _ = decoded
    counts = [count(spool, digests) for spool in (old, new)]
    result = Difference(digests, counts[0], counts[1], "sketch")
    _tally(result, result.old_counts, result.new_counts)
    return result


def none() -> Difference:
    """No difference."""
    counts: Array = np.zeros(0, np.int64)
    return Difference(np.zeros((0, 2), np.uint64), counts, counts, "sketch")


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


def _exact(old: Spool, new: Spool) -> Difference:
    result = replace(none(), method="exact sets on disk", pairs=Counter())
    parts = max(1, (old.count + new.count) // PART)
    listed: list[tuple[Array, Array, Array]] = []
    room = LISTED
    for part in range(parts):
        keys, a, b = _compare_part(old, new, part, parts)
        _tally(result, a, b)
        listed.append((keys[:room], a[:room], b[:room]))
        room -= len(listed[-1][0])
    result.digests, result.old_counts, result.new_counts = (
        np.concatenate(column) for column in zip(*listed, strict=True)
    )
    return result


def _compare_part(old: Spool, new: Spool, part: int, parts: int) -> tuple[Array, Array, Array]:
    """The differing digests among those whose first lane falls into this part of its range."""
    a, b = (np.sort(as_records(_slice(s, part, parts))) for s in (old, new))
    both = np.concatenate([a, b])
    signs = np.concatenate([np.ones(len(a), np.int64), np.zeros(len(b), np.int64)])
    order = np.argsort(both, kind="stable")
    both, signs = both[order], signs[order]
    starts = np.nonzero(np.concatenate([[True], both[1:] != both[:-1]]))[0]
    if not len(both):
        return np.zeros((0, 2), np.uint64), signs, signs
    from_old = np.add.reduceat(signs, starts)
    total = np.diff(np.concatenate([starts, [len(both)]]))
    differing = from_old * 2 != total
    keys = both[starts[differing]].view(np.uint64).reshape(-1, 2)
    return keys, from_old[differing], (total - from_old)[differing]


def _slice(spool: Spool, part: int, parts: int) -> Array:
    kept = []
    for _, chunk in spool.chunks():
        where = (chunk[:, 0] >> np.uint64(32)) * np.uint64(parts) >> np.uint64(32)
        kept.append(chunk[where == np.uint64(part)])
    return np.concatenate(kept) if kept else np.zeros((0, 2), np.uint64)
