"""How what is drawn for one example lies around it, however far the examples lie apart.

Over all examples, noise hides behind the spread from one example to the next. So the old side's
first run is kept as a reference, and of each further draw, of either side, what is left beyond its
example's reference is looked at: that of the same key, the nearest of these. Without a key it is
the nearest of all. Whatever the reference is, equal sides leave the same; how well it fits decides
only how much is seen.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from queueio.compare.draws.told import first_of_each

Array = np.ndarray[Any, Any]
MOST, BYTES = 1024, 32 << 20  # examples of the reference, and the room for them
ENTRIES = 256  # of an example, by which the nearest is found
TOLD = 16  # examples of one key at most, if they are to be told apart by it


class Around:
    """The reference of one component. `add` takes in a run; after `settle`, `rest` uses it."""

    def __init__(self, examples: int) -> None:
        self.examples = examples
        self._first: list[Array] = []
        self._some: list[tuple[Array, Array]] = []
        self._keys: list[Array] = []
        self._held = [0, 0]
        self._most = 0
        self.keys: Array = np.zeros(0, np.uint64)
        self.values: Array = np.zeros(0)
        self.reach = np.inf  # beyond which an example is none of the reference's

    def add(self, keys: Array, rows: Array) -> None:
        """Takes in examples of the reference run, and what tells them apart."""
        if not self._most:
            self._most = max(64, min(MOST, BYTES // max(1, 4 * rows[0].size)))
            self.values = rows[:0].astype(np.float32)
        if rows.shape[1:] != self.values.shape[1:]:
            return
        self._keys.append(keys)
        every = np.uint64(-(-self.examples // self._most))
        chosen = (keys >> np.uint64(7)) % every == 0
        for which, rows_of in ((0, slice(self._most - self._held[0])), (1, chosen)):
            if self._held[which] >= 2 * self._most or (which == 0 and every == 1):
                continue
            found = np.nan_to_num(rows[rows_of].astype(np.float32))
            self._held[which] += len(found)
            if which:
                self._some.append((keys[chosen], found))
            else:
                self._first.append(found)

    def settle(self) -> None:
        """Ends the reference run."""
        keys = np.concatenate([*self._keys, self.keys])
        by_key = len(keys) <= self._most or len(keys) <= TOLD * len(np.unique(keys))
        if by_key and self._some:
            several = len(keys) > len(np.unique(keys)) and first_of_each(keys) is not None
            keys = np.concatenate([k for k, _ in self._some])
            order = np.argsort(keys, kind="stable")
            if several:  # epochs, of which one draw is a reference; the nearest leaves little
                order = np.unique(keys, return_index=True)[1]
            self.keys = keys[order]
            self.values = np.concatenate([v for _, v in self._some])[order]
        elif self._first:
            self.values = np.concatenate(self._first)
            self.keys = np.zeros(len(self.values), np.uint64)
            apart = _distances(self.values, self.values)
            np.fill_diagonal(apart, np.inf)
            self.reach = float(np.median(apart.min(axis=1))) / 4  # of squares
        self._first, self._some, self._keys = [], [], []

    def rest(self, keys: Array, rows: Array) -> tuple[Array, Array]:
        """Which of the examples have a reference, and what they are beyond it."""
        if not len(self.keys) or rows.shape[1:] != self.values.shape[1:]:
            return np.zeros(len(rows), bool), np.zeros((0, *rows.shape[1:]))
        keys = np.zeros(len(rows), np.uint64) if np.isfinite(self.reach) else keys
        wide = np.nan_to_num(rows.astype(np.float32))
        start, stop = (np.searchsorted(self.keys, keys, side) for side in ("left", "right"))
        known = stop > start
        if np.isfinite(self.reach):  # of one key, all of them
            apart = _distances(wide, self.values)
            at, known = apart.argmin(axis=1), apart.min(axis=1) <= self.reach
        else:
            at = _nearest(wide, self.values, start, stop)
        return known, wide[known].astype(np.float64) - self.values[at[known]]


def _nearest(a: Array, b: Array, start: Array, stop: Array) -> Array:
    """For each example of `a`, which of those from `start` to `stop` of `b` is the nearest to it.

    The first where there is none; a turn for each place among those of one key.
    """
    x, y = _entries(a, b)
    at, least = start.copy(), np.full(len(a), np.inf)
    for place in range(int((stop - start).max(initial=0))):
        some = np.nonzero(start + place < stop)[0]
        apart = np.square(x[some] - y[start[some] + place]).sum(axis=1)
        nearer = apart < least[some]
        at[some[nearer]], least[some[nearer]] = start[some[nearer]] + place, apart[nearer]
    return np.asarray(at)


def _entries(a: Array, b: Array) -> tuple[Array, Array]:
    """Some of the entries of each example, in rows."""
    step = -(-max(1, b[0].size) // ENTRIES)
    x, y = (v.reshape(len(v), -1)[:, ::step].astype(np.float64) for v in (a, b))
    return x, y


def _distances(a: Array, b: Array) -> Array:
    """The mean squares of the differences between examples, by some of their entries."""
    x, y = _entries(a, b)
    middle = y.mean(axis=0)
    x, y = x - middle, y - middle
    squares = (x * x).sum(axis=1)[:, None] + (y * y).sum(axis=1) - 2 * x @ y.T
    return np.asarray(np.maximum(squares, 0) / max(1, x.shape[1]))
