"""The watcher: a thread beside the calls in flight, asleep on a socket.

It wakes a few times a second to look for a call that has been blocked too long, and at once
when a signal arrives (Python's C handler writes the signal's number to our socket). It ends by
itself when no call has been made for a while.
"""

from __future__ import annotations

import contextlib
import select
import signal
import socket
import threading
import time
from typing import Any

IDLE_SECONDS = 2.0
TICK_SECONDS = 0.25
_REST = b"\0"  # no signal has number 0

_in_flight: dict[int, Call] = {}
_lock = threading.Lock()
_thread: threading.Thread | None = None
_main = threading.main_thread().ident
_ours, _theirs = socket.socketpair()
_ours.setblocking(False)
_theirs.setblocking(False)
_get_ident, _now = threading.get_ident, time.monotonic
_wakeup_fd = _theirs.fileno()


class Call:
    """One call of a session, from `enter` to `leave`."""

    __slots__ = (
        "due",
        "feed_dict",
        "fetches",
        "first",
        "pressed",
        "previous_fd",
        "session",
        "snapshot",
        "started",
        "thread",
        "told",
        "verdict",
    )  # fmt: skip

    def __init__(self, session: Any, fetches: Any, feed_dict: Any) -> None:
        self.session = session
        self.fetches = fetches
        self.feed_dict = feed_dict
        self.thread = _get_ident()
        self.verdict: str | None = None
        self.pressed = False
        self.told = False
        self.snapshot: Any = None
        self.first: Any = None
        self.previous_fd = -1

    def enter(self) -> None:
        self.started = _now()
        _in_flight[id(self)] = self
        if self.thread == _main:
            with contextlib.suppress(ValueError):  # a sub-interpreter has no signals
                self.previous_fd = signal.set_wakeup_fd(_wakeup_fd, warn_on_full_buffer=False)
        if _thread is None:
            _start()

    def leave(self) -> None:
        _in_flight.pop(id(self), None)
        if self.thread == _main:
            with contextlib.suppress(ValueError):
                signal.set_wakeup_fd(self.previous_fd)

    def first_op(self) -> Any:
        """An op that this call runs, for questions about its graph."""
        from queueio.runtime.fetched import fetched_ops

        ops = fetched_ops(self)
        return ops[0] if ops else None


def in_flight() -> list[Call]:
    return list(_in_flight.values())


def drop(call: Call) -> None:
    """Forget a call that Ctrl-C tore out of its `leave`."""
    _in_flight.pop(id(call), None)


def _start() -> None:
    global _thread
    with _lock:
        if _thread is None:
            _thread = threading.Thread(target=_watch, name="queueio-watcher", daemon=True)
            _thread.start()


def rest() -> None:
    """End the watcher's thread now, unless a call is in flight."""
    thread = _thread
    if thread is None or _in_flight or thread is threading.current_thread():
        return
    with contextlib.suppress(OSError):
        _theirs.send(_REST)
    thread.join(1.0)


def forget_after_fork() -> None:
    """In a forked child the thread does not exist, and the calls are the parent's."""
    global _thread, _main, _ours, _theirs, _wakeup_fd
    _thread = None
    _main = threading.main_thread().ident
    _in_flight.clear()
    _ours, _theirs = socket.socketpair()
    _ours.setblocking(False)
    _theirs.setblocking(False)
    _wakeup_fd = _theirs.fileno()


def _watch() -> None:
    global _thread
    from queueio.runtime import interrupt, stall

    busy_at = _now()
    while True:
        signals = _sleep(stall.tick())
        for number in signals.strip(_REST):
            interrupt.arrived(number, in_flight())
        interrupt.check()
        if _in_flight:
            busy_at = _now()
            stall.check(in_flight())
        elif _REST in signals or _now() - busy_at > IDLE_SECONDS:
            _thread = None  # first this, then look again: `enter` does it the other way round
            if not _in_flight:
                return
            with _lock:
                if _thread is not None:  # a new watcher is on its way
                    return
                _thread = threading.current_thread()


def _sleep(seconds: float) -> bytes:
    """Wait for a signal or for `seconds`; returns the numbers of the signals that came."""
    readable, _, _ = select.select([_ours], [], [], seconds)
    if not readable:
        return b""
    try:
        return _ours.recv(64)
    except OSError:
        return b""
