"""Ctrl-C while `sess.run` is blocked: Python cannot run its handler until the call returns.

So the watcher makes the call return, by stopping the session's coordinators and cancelling its
queues. Then Python's own handler runs in the main thread and raises KeyboardInterrupt.
"""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Sequence
from typing import Any

from queueio.runtime import cancel

# A step that is merely running ends by itself within this time, and nothing is cancelled.
GRACE_SECONDS = 0.2

_pending: list[tuple[float, Any]] = []
_last_seen: dict[int, float] = {}


def arrived(number: int, calls: Sequence[Any]) -> None:
    """A signal came: pass it on to whoever listened before us, and look at blocked calls."""
    for call in calls:
        if call.thread == _main_ident():
            _pass_on(number, call.previous_fd)
            if number == signal.SIGINT and _means_stop(call):
                call.pressed = signal.getsignal(signal.SIGINT) is signal.default_int_handler
                _pending.append((time.monotonic() + GRACE_SECONDS, call))


def waiting() -> bool:
    return bool(_pending)


def check() -> None:
    """End the calls that are still blocked some time after Ctrl-C."""
    from queueio.runtime import watcher

    for due, call in list(_pending):
        if call not in watcher.in_flight():
            _pending.remove((due, call))
        elif time.monotonic() >= due:
            _pending.remove((due, call))
            cancel.stop_session(call.session)


def _means_stop(call: Any) -> bool:
    """The default handler raises KeyboardInterrupt. A handler of the user's may mean anything,
    so the first Ctrl-C is left to it; when the call is still blocked at the second, it is ended.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        return True
    again = id(call) in _last_seen
    _last_seen.clear()
    _last_seen[id(call)] = time.monotonic()
    return again


def _main_ident() -> int | None:
    from queueio.runtime import watcher

    return watcher._main


def _pass_on(number: int, fd: int) -> None:
    from queueio.runtime import watcher

    if fd < 0 or fd == watcher._wakeup_fd:
        return
    try:
        os.write(fd, bytes([number]))
    except OSError:
        with socket.socket(fileno=os.dup(fd)) as other:
            other.send(bytes([number]))
