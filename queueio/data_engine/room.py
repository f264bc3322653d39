"""How many batches may wait ready, where only their bytes tell how much that is."""

from __future__ import annotations

import time
from typing import Any

from queueio.compile.kernels.budget import HEAVY_BYTES

_NAP = 0.002


class Room:
    """Holds the thread that makes batches back while enough of them wait, by weight.

    Strings and padded examples have no known size, so each batch is weighed when it is made, as
    are those that are known to be heavy: such a one is made when no other waits. The heaviest so
    far decides how many may wait: at first one is made alone, and never more than the queue has
    place for.

    Args:
      place: the iterator's `Position`.
      ready: the queue of ready batches.
      at_once: how many batches one step can make.
    """

    def __init__(self, place: Any, ready: Any, at_once: int) -> None:
        self._place, self._at_once = place, at_once
        self._size = ready.size()

    def wait(self, run: Any, heaviest: int | None) -> int:
        """Waits until there is room; returns how many batches to make.

        `run` is the session's, not watched; `heaviest` the bytes of the heaviest batch so far,
        None before the first.
        """
        if not self._place.heaviest:
            return self._at_once
        if heaviest is None:
            return 1
        allowed = max(1, min(HEAVY_BYTES // max(heaviest, 1), self._place.kept - 1))
        count = min(allowed, self._at_once)
        closed = self._place.closed
        if allowed < self._place.kept - 1 or heaviest > HEAVY_BYTES:
            while (waiting := int(run(self._size))) > allowed - count and not run(closed):
                self._place.waits_for_room = True
                time.sleep(_NAP)
            self._place.waits_for_room = False
            self._place.keep(run, allowed, waiting)
        return int(count)
