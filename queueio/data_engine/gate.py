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
        self._over = False
        self._wanted, self._resumed = threading.Event(), threading.Event()
        self.stands = threading.Event()

    def close(self) -> bool:
        """Asks the thread to stop here; False if it has passed for the last time."""
        with self._lock:
            self._resumed.clear()
            self.stands.clear()
            if not self._over:
                self._wanted.set()
            return not self._over

    def open(self) -> None:
        """Lets the thread go on."""
        with self._lock:
            self._wanted.clear()
        self._resumed.set()

    def rest(self, seconds: float) -> None:
        """Called by the thread, to pass time: not while it is asked to stop here."""
        self._wanted.wait(seconds)

    def passed(self, over: bool = False) -> None:
        """Called by the thread: waits while the gate is closed. `over`: it comes never again."""
        while True:
            with self._lock:
                if not self._wanted.is_set():
                    self._over = over
                    return
                self.stands.set()
            self._resumed.wait()
