"""Where the thread that makes batches waits while enough of them are ready."""

from __future__ import annotations

import functools
import time
from typing import Any

import tensorflow as tf

from queueio.compile.kernels.budget import HEAVY_BYTES
from queueio.data_engine.gate import Gate
from queueio.runtime import calls

_SHORTEST, _USUAL, _LONGEST = 0.0002, 0.002, 0.02
"""Seconds between two looks, each of which takes a hundredth of a core at a hundred a second."""
_OF_IDLE = 0.125
"""After idling, a program that hurries again waits no longer than this part of that."""


class Room:
    """Says how many batches the next step may make, and waits until it may make some.

    So no step waits for room itself: a thread that waits here has no batch in its hands, and where
    the pipeline stands can be told at any time.

    Strings and padded examples have no known size, so each batch is weighed when it is made, as
    are those that are known to be heavy: such a one is made when no other waits. The heaviest so
    far decides how many may wait: at first one is made alone, and never more than the queue has
    place for.

    Args:
      session: where the batches are made.
      place: the iterator's `Position`.
      at_once: how many batches one step can make, no more than half of those that may wait.
      waiting: how many batches are ready now.
      gate: the gate of the thread.
    """

    def __init__(self, session: Any, place: Any, at_once: int, waiting: int, gate: Gate) -> None:
        self._session, self._place, self._gate = session, place, gate
        self._at_once, self._free = at_once, place.most - waiting

    @functools.cached_property
    def _look(self) -> Any:
        """Made when it is needed first: a session takes milliseconds for it."""
        return calls.make_unwatched(self._session, [self._place.waiting, self._place.closed])

    def wait(self, heaviest: int | None) -> int:
        """Waits until there is room; returns how many batches to make.

        `heaviest`: the bytes of the heaviest batch so far, None before the first.
        """
        self._gate.passed()
        allowed: int = self._place.most
        count = self._at_once
        if self._place.heaviest:
            allowed = max(1, min(HEAVY_BYTES // max(heaviest or 1, 1), allowed))
            count = 1 if heaviest is None else min(count, allowed)
        heavy = allowed < self._place.most
        if heavy or self._free < count:
            waiting = self._waiting(allowed - count)
            self._free = allowed - waiting
            if heavy:
                self._place.keep(self._session, allowed, waiting)
        self._free -= count
        return count

    def _waiting(self, most: int) -> int:
        """How many batches wait, as soon as no more than `most` do.

        Raises:
          CancelledError: their queue was closed before, as an enqueue op that waits would.
        """
        waiting, closed = self._asked()
        first, nap, since = waiting, _SHORTEST, time.monotonic()
        while waiting > most:
            if closed:
                raise tf.errors.CancelledError(None, None, "The queue of batches is closed.")
            self._gate.rest(nap)
            self._gate.passed()
            waiting, closed = self._asked()
            taken, nap = first - waiting, 2 * nap
            if taken > 0:  # at this rate
                nap = (time.monotonic() - since) * (waiting - most) / taken
            longest = max(_USUAL, _OF_IDLE * (time.monotonic() - since))
            nap = max(_SHORTEST, min(nap, longest, _LONGEST))
        return waiting

    def _asked(self) -> tuple[int, bool]:
        try:
            waiting, closed = self._look()
        except RuntimeError as error:  # an enqueue op that waited would have been cancelled
            raise tf.errors.CancelledError(None, None, "Session has been closed.") from error
        return int(waiting), bool(closed)
