"""Waiting for a batch that may never come: a call into TensorFlow that hangs cannot be ended."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from queue import Empty, SimpleQueue
from typing import Any

from queueio.compare.sides.side import Delivered

STALL_SECONDS = 65.0  # a little more than the time that a session call is given


class Stalled(Exception):
    """No batch came in time; the thread that waits for it is left to itself."""


class Waiting:
    """The batches of an iterator, each taken by a thread of its own that may be left waiting."""

    def __init__(self, batches: Iterator[Delivered]) -> None:
        self._batches = batches
        self._asked: SimpleQueue[bool] = SimpleQueue()
        self._got: SimpleQueue[Any] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def next(self) -> Delivered | None:
        """The next batch, or None at the end. Raises Stalled, and what the iterator raises."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="queueio-compare", daemon=True)
            self._thread.start()
        self._asked.put(True)
        try:
            batch, problem = self._got.get(timeout=STALL_SECONDS)
        except Empty:
            raise Stalled from None
        if problem is not None:
            raise problem
        return batch  # type: ignore[no-any-return]

    def close(self) -> None:
        """Lets the thread go."""
        self._asked.put(False)

    def _work(self) -> None:
        while self._asked.get():
            try:
                self._got.put((next(self._batches, None), None))
            except BaseException as problem:  # the caller's, KeyboardInterrupt too
                self._got.put((None, problem))
