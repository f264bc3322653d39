"""Calls that wait until an iterator has read the epoch counters, which other stages will change."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from queueio.graph.hanging import BySession


class Begun:
    """Whether an iterator has begun, in each session."""

    def __init__(self) -> None:
        self._waiting: BySession[Any] = BySession()
        self._lock = threading.Lock()

    def once(self, session: Any, call: Callable[[], object]) -> None:
        """Calls as soon as the iterator has begun; now if it has."""
        with self._lock:
            waiting = self._waiting.setdefault(session, [])
            if waiting is not None:
                waiting.append(call)
                return
        call()

    def has(self, session: Any) -> None:
        """Told by the iterator's thread, also where it could not begin."""
        with self._lock:
            waiting, self._waiting[session] = self._waiting.get(session), None
        for call in waiting or ():
            call()
