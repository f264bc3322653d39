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
_PART = 0.5
"""Of the time after which there should be room: a look costs less than a program that waits."""
_OF_IDLE = 0.125
"""After idling, a program that hurries again waits no longer than this part of that."""


def rests_at(allowed: int, at_once: int) -> int:
    """How many batches are ready at least while none are made, for want of room.

    Args:
      allowed: how many may be ready.
      at_once: how many one step can make at most.
    """
    return allowed - max(1, min(at_once, allowed // 2)) + 1


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
      at_once: how many batches one step can make.
      waiting: how many batches are ready now.
      gate: the gate of the thread.
    """

    def __init__(self, session: Any, place: Any, at_once: int, waiting: int, gate: Gate) -> None:
        self._session, self._place, self._gate = session, place, gate
        self._at_once, self._ready = at_once, waiting
        self._told, self._pace = time.monotonic(), 0.0

    @functools.cached_property
    def _look(self) -> Any:
        """Made when it is needed first: a session takes milliseconds for it."""
        return calls.make_unwatched(
            self._session, [self._place.waiting, self._place.closed], here=True
        )

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
        if heavy or allowed - self._ready < count:
            self._waits(rests_at(allowed, count) - 1)
        if heavy:
            self._place.keep(self._session, allowed, self._ready)
        return max(1, min(count, allowed - self._ready))

    def tell(self, waiting: int, made: int = 0) -> None:
        """That so many batches are `waiting`, after a step has `made` some where it is told so."""
        taken, now = self._ready + made - waiting, time.monotonic()
        if taken > 0:
            pace = (now - self._told) / taken
            # Where all that were ready were taken, the program may have waited for more.
            if taken < self._ready or pace < self._pace or not self._pace:
                self._pace = pace
            self._told = now
        self._ready = waiting

    def _waits(self, most: int) -> None:
        """Until no more than `most` batches are ready.

        Raises:
          CancelledError: their queue was closed before, as an enqueue op that waits would.
        """
        nap = _PART * self._pace * (self._ready - most)
        while True:
            if nap > 0:  # a look in vain holds up the program as well
                longest = max(_USUAL, _OF_IDLE * (time.monotonic() - self._told))
                self._gate.rest(max(_SHORTEST, min(nap, longest, _LONGEST)))
                self._gate.passed()
            before, closed = self._ready, self._asked()
            if self._ready <= most:
                return
            if closed:
                raise tf.errors.CancelledError(None, None, "The queue of batches is closed.")
            taken = before > self._ready
            nap = _PART * self._pace * (self._ready - most) if taken else 2 * max(nap, _SHORTEST)

    def _asked(self) -> bool:
        """Looks how many batches are ready, and whether their queue is closed."""
        try:
            waiting, closed = self._look()
        except RuntimeError as error:  # an enqueue op that waited would have been cancelled
            raise tf.errors.CancelledError(None, None, "Session has been closed.") from error
        self.tell(int(waiting))
        return bool(closed)
