"""Some entries of each example, in one unit: distances between draws are taken by them."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
MOST = 256  # entries of an example
FAR = 1e3  # deviations beyond which an entry is as far as can be


class SomeEntries:
    """The entries of one component. The first examples say which, and their unit."""

    def __init__(self) -> None:
        self._places: Array | None = None
        self._shape: tuple[int, ...] = ()
        self._middle, self._unit = 0.0, 1.0

    def of(self, rows: Array) -> Array | None:
        """The entries (examples, entries) of a batch; None of one of another shape."""
        if self._places is None:
            self._look_at(rows)
        if rows.shape[1:] != self._shape:
            return None
        assert self._places is not None
        some = rows.reshape(len(rows), -1)[:, self._places].astype(np.float64)
        some = (np.nan_to_num(some) - self._middle) / self._unit
        return np.asarray(np.clip(some, -FAR, FAR))

    def _look_at(self, rows: Array) -> None:
        """Chooses by chance, as every tenth entry of an image may be a column of it."""
        self._shape = rows.shape[1:]
        chosen = np.random.default_rng(0).permutation(int(np.prod(self._shape)))[:MOST]
        self._places = np.sort(chosen)
        first = np.asarray(rows).reshape(len(rows), -1)[:, self._places].astype(np.float64)
        known = first[np.isfinite(first)]
        if len(known):
            self._middle, self._unit = float(known.mean()), float(known.std()) or 1.0


def beside(parts: list[Array]) -> Array:
    """Several components' entries of the same examples as one's, in which each weighs the same."""
    return np.concatenate([part / np.sqrt(max(1, part.shape[1])) for part in parts], axis=1)
