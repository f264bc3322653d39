"""A linear sketch of a difference of multisets: an invertible Bloom lookup table with counts.

Each 128-bit digest goes to one cell in each of four subtables. A cell holds the sums, over the
digests in it, of the count (old minus new), of count times each 32-bit quarter of the digest,
and of count times a checksum. What both sides have cancels out, in whatever order it came; so
the table holds the difference only, in constant memory. A cell with one digest left gives it up
(the quarters are exact integers, so that any count divides out), which empties other cells.

How sure is it? Decoding d digests fails when some of them block one another. Below 0.7 digests
per cell that takes two that share all four cells, with probability at most d²/2 · s⁻⁴ for
subtables of s cells: 3·10⁻⁹ for 20,000 digests and s = 16,384. A failure is noticed and answered
with the exact sets on disk. A wrong answer needs a collision of 64-bit checksums (2⁻⁶⁴ per cell)
or of 128-bit digests (n²·2⁻¹²⁹: 10⁻²⁵ for ten million examples).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from queueio import recorder

Array = np.ndarray[Any, Any]
TABLES = 4
MASK = np.uint64(0xFFFFFFFF)


class Sketch:
    """The difference of two multisets of digests; `size` cells in each of the four subtables."""

    def __init__(self, size: int = 16384) -> None:
        self.size = size
        cells = TABLES * size
        self.counts: Array = np.zeros(cells, np.int64)
        self.quarters: list[Array] = [np.zeros(cells, np.int64) for _ in range(4)]
        self.checks: Array = np.zeros(cells, np.uint64)

    @property
    def capacity(self) -> int:
        """The number of different digests up to which decoding is as good as certain."""
        return int(0.7 * TABLES * self.size)

    def failure_probability(self, differing: int) -> float:
        """An upper bound on the chance that `differing` digests do not decode."""
        if differing > self.capacity:
            return 1.0
        return min(1.0, differing * differing / 2 / float(self.size) ** TABLES)

    def add(self, digests: Array, sign: int) -> None:
        """Adds (n, 2) digests with count +1 (old) or -1 (new)."""
        if len(digests):
            self._add(digests, np.full(len(digests), sign, np.int64))

    def _add(self, digests: Array, counts: Array) -> None:
        quarters = _quarters(digests)
        checks = _checks(digests) * counts.astype(np.uint64)
        for cells in self._cells(digests):
            np.add.at(self.counts, cells, counts)
            for table, quarter in zip(self.quarters, quarters, strict=True):
                np.add.at(table, cells, quarter * counts)
            np.add.at(self.checks, cells, checks)

    def _cells(self, digests: Array) -> list[Array]:
        size = np.uint64(self.size)
        parts = [
            digests[:, 0],
            digests[:, 0] >> np.uint64(32),
            digests[:, 1],
            digests[:, 1] >> np.uint64(32),
        ]
        return [
            ((part & MASK) * size >> np.uint64(32)).astype(np.int64) + table * self.size
            for table, part in enumerate(parts)
        ]

    @property
    def empty(self) -> bool:
        """Whether both multisets are equal, but for a chance of 2⁻¹²⁸."""
        return not (self.counts.any() or self.checks.any())

    def decode(self) -> tuple[Array, Array] | None:
        """The differing digests (d, 2) and their counts (d,), old minus new; None if it cannot.

        Works on a copy; the sketch can be added to afterwards.
        """
        rest = self.copy()
        found: list[Array] = []
        counts: list[Array] = []
        while not rest.empty:
            digests, net = rest._pure()
            if not len(digests) or sum(map(len, found)) > TABLES * self.size:
                return None
            rest._add(digests, -net)
            found.append(digests)
            counts.append(net)
        if not found:
            return np.zeros((0, 2), np.uint64), np.zeros(0, np.int64)
        return np.concatenate(found), np.concatenate(counts)

    def copy(self) -> Sketch:
        """An independent sketch of the same difference."""
        other = Sketch.__new__(Sketch)
        other.size = self.size
        other.counts = self.counts.copy()
        other.quarters = [q.copy() for q in self.quarters]
        other.checks = self.checks.copy()
        return other

    def _pure(self) -> tuple[Array, Array]:
        """The digests of all cells that hold exactly one, each once, with their counts."""
        cells = np.nonzero(self.counts)[0]
        counts = self.counts[cells]
        sums = np.stack([q[cells] for q in self.quarters], axis=1)
        quarters, left = np.divmod(sums, counts[:, None])
        whole = (left == 0) & (quarters >= 0) & (quarters <= int(MASK))
        fine = whole.all(axis=1)
        cells, counts, quarters = cells[fine], counts[fine], quarters[fine].astype(np.uint64)
        low = quarters[:, 0] | quarters[:, 1] << np.uint64(32)
        high = quarters[:, 2] | quarters[:, 3] << np.uint64(32)
        digests = np.stack([low, high], axis=1)
        fits = _checks(digests) * counts.astype(np.uint64) == self.checks[cells]
        digests, counts = digests[fits], counts[fits]
        _, first = np.unique(digests, axis=0, return_index=True)
        return digests[first], counts[first]


def _quarters(digests: Array) -> list[Array]:
    half = np.uint64(32)
    return [
        (digests[:, 0] & MASK).astype(np.int64),
        (digests[:, 0] >> half).astype(np.int64),
        (digests[:, 1] & MASK).astype(np.int64),
        (digests[:, 1] >> half).astype(np.int64),
    ]


def _checks(digests: Array) -> Array:
    return recorder.mix(digests[:, 0] ^ recorder.mix(digests[:, 1].copy()))
