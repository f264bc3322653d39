"""Whether the examples of a batch are drawn alike: one draw for all of them, or each its own.

Single examples do not show it. So a side's first run is kept as its reference, and of each further
draw it is taken how far it lies from the same example's there. Where two examples were in one batch
then and are in one batch now, and a batch has one draw, both lie far or both lie near: what is
beyond each example's usual distance goes together. Where each has its own draw, it does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from queueio.compare.draws.tally import ALARM, POWER
from queueio.compare.draws.told import first_of_each

Array = np.ndarray[Any, Any]
MOST = 1 << 14  # examples of the reference
LEAST = 7  # runs that are held against it, without which nothing is said
PAIRS = 100  # pairs of a run, on average, without which nothing is said
SHARED = 0.3  # how much of what varies must go together on one side, and not on the other
STILL = 1e-9  # of the mean distance: what is no more varies by rounding


@dataclass(frozen=True, order=True)
class InCommon:
    """How much of what varies goes together within a batch, from 0 to 1, and its error."""

    share: float
    error: float


class Mates:
    """One component's draws, of one side.

    Args:
      size: the examples of a batch; 0 where batches are of several sizes.
    """

    def __init__(self, size: int) -> None:
        self.possible = size > 1
        self._size, self._run = size, 0
        self._held: list[tuple[Array, Array, Array]] = []
        self._count = 0
        self._keys, self._batches = np.zeros(0, np.uint64), np.zeros(0, np.int64)
        self._values: Array = np.zeros((0, 0), np.float32)
        self._apart: list[tuple[Array, Array, Array]] = []  # by run: which, its batch, how far

    def add(self, places: Array, keys: Array, rows: Array | None) -> None:
        """Takes in examples: their places in the run, what tells them apart, and their entries."""
        if rows is None:
            self.possible = False
        if not self.possible or rows is None or not len(rows):
            return
        batches = places // self._size
        if self._run:
            self._held.append(self._against(batches, keys, rows))
        elif self._count < MOST:
            self._count += len(rows)
            self._held.append((keys, batches, rows.astype(np.float32)))

    def end(self) -> None:
        """A run is complete."""
        held, self._held = self._held, []
        if not held:
            self.possible = False
        elif self._run:
            which, batches, far = (np.concatenate(part) for part in zip(*held, strict=True))
            self._apart.append((which, batches, far))
        else:
            self._settle(*(np.concatenate(part) for part in zip(*held, strict=True)))
        self._run += 1

    def _settle(self, keys: Array, batches: Array, values: Array) -> None:
        """Keeps the first of each example."""
        first = first_of_each(keys)
        self.possible = first is not None
        if first is not None:
            chosen = first[np.argsort(keys[first])]
            self._keys, self._batches = keys[chosen], batches[chosen]
            self._values = values[chosen]

    def _against(self, batches: Array, keys: Array, rows: Array) -> tuple[Array, Array, Array]:
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        known = self._keys[at] == keys
        far = np.square(rows[known] - self._values[at[known]]).mean(axis=1)
        return at[known], batches[known], far

    @property
    def waiting(self) -> bool:
        """Whether more runs are to come before anything is said."""
        return self.possible and len(self._apart) < LEAST

    def shared(self) -> InCommon | None:
        """How much goes together; None where too little came to tell."""
        if not self.possible or self.waiting:
            return None
        beyond = self._beyond()
        sums, counts = np.array(
            [
                _pairs(self._batches[which], batches, z)
                for (which, batches, _), z in zip(self._apart, beyond, strict=True)
            ]
        ).T
        squares = np.concatenate([z * z for z in beyond])
        square = float(squares[squares > 0].mean()) if squares.any() else 0.0
        if not square or counts.mean() < PAIRS:
            return None
        # What is usual of an example was learned from these very runs, which takes a part of it.
        unit = square * (1 - 1 / len(beyond))
        runs = sums / np.maximum(counts, 1) / unit
        # Where each has its own draw, the products of pairs are as many independent ones.
        error = max(1 / np.sqrt(counts.sum()), float(runs.std(ddof=1)) / np.sqrt(len(runs)))
        return InCommon(float(sums.sum() / counts.sum() / unit), error)

    def _beyond(self) -> list[Array]:
        """How far each draw lies, beyond what is usual of its example, in that one's deviations."""
        which, far = (np.concatenate([run[i] for run in self._apart]) for i in (0, 2))
        many = np.maximum(np.bincount(which, minlength=len(self._keys)), 1)
        middle = np.bincount(which, far, len(self._keys)) / many
        spread = np.sqrt(np.bincount(which, (far - middle[which]) ** 2, len(self._keys)) / many)
        still = spread <= STILL * max(float(middle.mean()), 1e-300)
        spread[still] = np.inf
        return [(far - middle[which]) / spread[which] for which, _, far in self._apart]


def _pairs(first: Array, now: Array, values: Array) -> tuple[float, float]:
    """The sum of the products of all pairs that were and are in one batch, and their number."""
    cells = np.unique(first * (int(now.max(initial=0)) + 1) + now, return_inverse=True)[1]
    moving = values != 0
    count = np.bincount(cells, moving)
    products = np.bincount(cells, values) ** 2 - np.bincount(cells, values**2)
    return float(products.sum() / 2), float((count * (count - 1)).sum() / 2)


def otherwise(old: InCommon, new: InCommon, looks: int) -> bool:
    """Whether one side's batches surely share draws that the other's do not.

    Args:
      looks: how often the test may be made as more runs come.
    """
    return abs(old.share - new.share) > _bound(old, new, looks)


def findable(old: InCommon, new: InCommon, looks: int) -> float:
    """The difference of both sides' shares that would have been found, in 97 of 100 cases."""
    return _bound(old, new, looks) + POWER * float(np.hypot(old.error, new.error))


def _bound(old: InCommon, new: InCommon, looks: int) -> float:
    from scipy import stats

    deviations = float(stats.norm.isf(ALARM / looks / 2))
    return max(SHARED, deviations * float(np.hypot(old.error, new.error)))
