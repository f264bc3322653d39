"""The watcher: a thread beside the calls in flight, asleep on a socket.

It wakes a few times a second to have blocked calls looked at, and at once when a signal arrives
(Python's C handler writes the signal's number to our socket). It ends by itself when no call has
been made for a while.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
import time
from collections.abc import Callable

from queueio import settings
from queueio.runtime.calls import SessionCall, in_flight

IDLE_SECONDS = 2.0
_REST = b"\0"  # no signal has number 0

hears: list[Callable[[int, list[SessionCall]], None]] = []
"""Told of each signal that arrives while calls are in flight: its number, and the calls."""
looks: list[Callable[[list[SessionCall]], None]] = []
"""Called a few times a second with the calls in flight."""

main = threading.main_thread().ident
_lock = threading.Lock()
_thread: threading.Thread | None = None
_ours: socket.socket
_theirs: socket.socket
wakeup_fd: int
_made: int | None
_now, _set_wakeup_fd = time.monotonic, signal.set_wakeup_fd


def _open() -> None:
    """Makes the sockets: the watcher sleeps on ours, what shall wake it comes to theirs."""
    global _ours, _theirs, wakeup_fd, _made
    _ours, _theirs = socket.socketpair()
    _theirs.setblocking(False)
    wakeup_fd = _theirs.fileno()
    _made = None if os.name == "nt" else os.fstat(wakeup_fd).st_ino


def _lost() -> bool:
    """Whether the program has closed the sockets, as a daemon closes all files.

    Their numbers may be those of other files then. On Windows sockets are no files.
    """
    if _made is None:
        return False
    try:
        return os.fstat(wakeup_fd).st_ino != _made
    except OSError:
        return True


def close() -> None:
    """Closes the sockets; what was lost is let go, so that no file of the program's is closed.

    One that Python finds unclosed is told of under -X dev and -W error, as a fault of the program.
    """
    lost = _lost()
    for each in (_ours, _theirs):
        each.detach() if lost else each.close()


def _open_again() -> None:
    close()
    _open()


_open()


def enter(call: SessionCall) -> None:
    """A call begins."""
    call.started = _now()
    in_flight[id(call)] = call
    if call.thread == main:
        try:
            call.previous_fd = _set_wakeup_fd(wakeup_fd, warn_on_full_buffer=False)
        except (ValueError, OSError):  # a sub-interpreter has no signals
            if _lost():
                _open_again()
                call.previous_fd = _set_wakeup_fd(wakeup_fd, warn_on_full_buffer=False)
    if _thread is None:
        _start()


def leave(call: SessionCall) -> None:
    """A call has ended."""
    in_flight.pop(id(call), None)
    if call.thread == main:
        try:  # noqa: SIM105 -- contextlib.suppress takes longer than what is inside
            _set_wakeup_fd(call.previous_fd)
        except (ValueError, OSError):
            pass


def _start() -> None:
    global _thread
    with _lock:
        if _thread is None:
            _thread = threading.Thread(target=_watch, name="queueio-watcher", daemon=True)
            _thread.start()


def rest() -> None:
    """End the watcher's thread now, unless a call is in flight."""
    thread = _thread
    if thread is None or in_flight or thread is threading.current_thread():
        return
    with contextlib.suppress(OSError):
        if not _lost():
            _theirs.send(_REST)
    thread.join(1.0)


def forget_after_fork() -> None:
    """In a forked child the thread does not exist, and the calls are the parent's."""
    global _thread, main
    _thread = None
    main = threading.main_thread().ident
    in_flight.clear()
    _open_again()


def _watch() -> None:
    global _thread
    busy_at = _now()
    while True:
        signals = _sleep(max(0.02, min(0.25, settings.current().stall_seconds / 4)))
        for number in signals.strip(_REST):
            for hear in hears:
                hear(number, list(in_flight.values()))
        for look in looks:
            look(list(in_flight.values()))
        if in_flight:
            busy_at = _now()
        elif _REST in signals or _now() - busy_at > IDLE_SECONDS:
            _thread = None  # first this, then look again: `enter` does it the other way round
            if not in_flight:
                return
            with _lock:
                if _thread is not None:  # a new watcher is on its way
                    return
                _thread = threading.current_thread()


def _sleep(seconds: float) -> bytes:
    """Wait for a signal or for `seconds`; returns the numbers of the signals that came."""
    try:
        if not _lost():
            _ours.settimeout(seconds)  # select.select knows no descriptor above 1,023
            return _ours.recv(64)
    except TimeoutError:
        return b""
    except OSError:  # closed just now
        pass
    time.sleep(seconds)
    return b""
