"""Which values a component had, as digests: a sample of them in constant memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from queueio.compare.reading.spool import member

Array = np.ndarray[Any, Any]
KEPT = 1 << 15


class Seen:
    """The different digests that fall below a bound; the bound is halved when they are too many.

    A digest is as good as a random number, so that those below the bound are a fair sample, and
    the same one in each run.
    """

    def __init__(self) -> None:
        self._known: Array = np.zeros(0, np.uint64)
        self._new: list[Array] = []
        self._held = 0
        self._bits = 64  # the bound is 2 to this power

    def add(self, lanes: Array) -> None:
        """Takes in the first lanes of digests."""
        chosen = self._sampled(lanes)
        self._new.append(chosen)
        self._held += len(chosen)
        if self._held > KEPT:
            self._settle()

    def unseen(self, lanes: Array) -> tuple[int, int]:
        """How many of the lanes were never added, and how many could be judged."""
        self._settle()
        return len(self.others(lanes)), len(self._sampled(lanes))

    def others(self, lanes: Array) -> Array:
        """Those of the lanes that were never added, as far as that can be judged."""
        self._settle()
        judged = self._sampled(lanes)
        return judged[~member(judged, self._known)]

    def _sampled(self, lanes: Array) -> Array:
        return lanes if self._bits == 64 else lanes[lanes >> np.uint64(self._bits) == 0]

    def _settle(self) -> None:
        self._known = np.unique(np.concatenate([self._known, *self._new]))
        self._new, self._held = [], 0
        while len(self._known) > KEPT:
            self._bits -= 1
            self._known = self._sampled(self._known)
