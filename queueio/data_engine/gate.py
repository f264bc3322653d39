"""Stops the thread that fills the queue of ready batches for a moment, between two batches."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Gate:
    """What the thread passes before each step, and before it ends.

    Attributes:
      stands: set while the thread waits here.
      left: batches that it has to put back before it goes on.
      one_at_a_time: held by whoever closes it, until it is open again.
    """

    def __init__(self) -> None:
        self._lock, self.one_at_a_time = threading.Lock(), threading.Lock()
        self._wanted, self._over, self.left = False, False, 0
        self._resumed, self.stands = threading.Event(), threading.Event()

    def close(self) -> bool:
        """Asks the thread to stop here; False if it has passed for the last time."""
        with self._lock:
            self._wanted = not self._over
            self._resumed.clear()
            self.stands.clear()
            return self._wanted

    def open(self, left: int) -> None:
        """Lets the thread go on, after it has put back `left` batches."""
        with self._lock:
            self._wanted, self.left = False, left
        self._resumed.set()

    def passed(self, put_back: Callable[[], object], over: bool = False) -> None:
        """Called by the thread: waits while the gate is closed. `over`: it comes never again."""
        while True:
            with self._lock:
                stop = self._wanted
                if stop:
                    self.stands.set()
                elif self.left:
                    self.left -= 1
                else:
                    self._over = over
                    return
            if stop:
                self._resumed.wait()
            else:
                put_back()  # may wait for room, and meanwhile the gate may be closed again
