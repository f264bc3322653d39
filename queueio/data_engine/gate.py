"""Stops the thread that fills the queue of ready batches for a moment, between two steps."""

from __future__ import annotations

import threading


class Gate:
    """What the thread passes before each step, while it waits for room, and before it ends.

    Attributes:
      stands: set while the thread waits here.
      one_at_a_time: held by whoever closes it, until it is open again.
    """

    def __init__(self) -> None:
        self._lock, self.one_at_a_time = threading.Lock(), threading.Lock()
        self._wanted = self._over = False
        self._resumed, self.stands = threading.Event(), threading.Event()

    def close(self) -> bool:
        """Asks the thread to stop here; False if it has passed for the last time."""
        with self._lock:
            self._wanted = not self._over
            self._resumed.clear()
            self.stands.clear()
            return self._wanted

    def open(self) -> None:
        """Lets the thread go on."""
        with self._lock:
            self._wanted = False
        self._resumed.set()

    def passed(self, over: bool = False) -> None:
        """Called by the thread: waits while the gate is closed. `over`: it comes never again."""
        while True:
            with self._lock:
                if not self._wanted:
                    self._over = over
                    return
                self.stands.set()
            self._resumed.wait()
