"""Ctrl-C while `sess.run` is blocked: Python cannot run a handler until the call returns.

So the watcher makes the call return, by stopping the session's coordinators and cancelling its
queues. Then Python's own handler runs in the main thread and raises KeyboardInterrupt.

A handler of the user's may as well only count, or ask for a stop after this epoch: nobody knows
before it has run. Where there is one, the main thread leaves the call to another thread and waits
for it in Python, where handlers run at once, and ends the call when the handler raises.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import time
from _signal import getsignal  # signal.getsignal makes an enum of it, which takes 3 µs
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

import tensorflow as tf
from tensorflow.python.framework.smart_cond import smart_constant_value  # no public spelling

from queueio.runtime import watcher
from queueio.runtime.calls import SessionCall
from queueio.runtime.diagnosis import queues

# A step that is merely running ends by itself within this time, and nothing is cancelled.
GRACE_SECONDS = 0.2

_pending: list[tuple[float, SessionCall]] = []
_last_seen: dict[int, float] = {}


def import_what_comes_late() -> None:
    """Have TensorFlow's C++ import now what it would import at the end of the first fetch.

    A KeyboardInterrupt that is pending then is raised in such an import, printed to standard output
    with the lines of Python around it, and forgotten.
    """
    with tf.Graph().as_default():
        smart_constant_value(tf.logical_not(tf.constant(True)))  # C++ makes an array of it


def may_raise_anything() -> bool:
    """Whether Ctrl-C is handled by a function of the user's."""
    handler = getsignal(signal.SIGINT)
    return callable(handler) and handler is not signal.default_int_handler


class _Caller(Thread):
    """Makes calls for another thread, one after the other; ends when it gets none for a while."""

    def __init__(self) -> None:
        super().__init__(name="queueio-caller", daemon=True)
        self.calls: SimpleQueue[Any] = SimpleQueue()
        self.answers: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
        self.start()

    def run(self) -> None:
        while True:
            try:
                call, args = self.calls.get(timeout=watcher.IDLE_SECONDS)
                if call is None:
                    return
            except Empty:
                with contextlib.suppress(ValueError):  # somebody has just taken it for a call
                    _idle.remove(self)
                    return
                continue
            try:
                self.answers.put((call(*args), None))
            except BaseException as error:
                self.answers.put((None, error))
            del call, args  # they hold the session


_idle: list[_Caller] = []


def beside(call: Callable[..., Any], session: Any, *args: Any) -> Any:
    """`call(session, *args)` in another thread, while this one waits for handlers, too.

    What a handler raises comes out of here, after the call was ended: within two seconds where it
    is blocked by a queue. A handler that runs the session itself gets a thread of its own.
    """
    caller = _idle.pop() if _idle else _Caller()
    caller.calls.put((call, (session, *args)))
    try:
        result, error = caller.answers.get()
    except BaseException:
        _end(session, caller)
        raise
    _idle.append(caller)
    if error is None:
        return result
    try:
        raise error
    finally:
        del error  # its traceback holds this frame


def _end(session: Any, caller: _Caller) -> None:
    try:
        try:
            caller.answers.get(timeout=GRACE_SECONDS)
        except Empty:
            queues.stop_session(session, "an exception out of a signal handler")
            caller.answers.get()
    except BaseException:  # pressed once more: the call is left to itself
        caller.calls.put((None, ()))
        raise
    _idle.append(caller)


def forget_after_fork() -> None:
    """In a forked child the idle threads do not exist."""
    _idle.clear()


def arrived(number: int, calls: Sequence[SessionCall]) -> None:
    """A signal came: pass it on to whoever listened before us, and look at blocked calls."""
    for call in calls:
        if call.thread == watcher.main:
            _pass_on(number, call.previous_fd)
            if number == signal.SIGINT and _means_stop(call):
                call.pressed = signal.getsignal(signal.SIGINT) is signal.default_int_handler
                _pending.append((time.monotonic() + GRACE_SECONDS, call))


def check(calls: Sequence[SessionCall]) -> None:
    """End the calls that are still blocked some time after Ctrl-C."""
    for due, call in list(_pending):
        if call not in calls:
            _pending.remove((due, call))
        elif time.monotonic() >= due:
            _pending.remove((due, call))
            queues.stop_session(call.session, "Ctrl-C")


def _means_stop(call: SessionCall) -> bool:
    """The default handler raises KeyboardInterrupt. A handler of the user's that does not raise
    may mean anything; when the call is still blocked at the second Ctrl-C, it is ended.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        return True
    again = id(call) in _last_seen
    _last_seen.clear()
    _last_seen[id(call)] = time.monotonic()
    return again


def _pass_on(number: int, fd: int) -> None:
    if fd < 0 or fd == watcher.wakeup_fd:
        return
    try:
        os.write(fd, bytes([number]))
    except OSError:
        with socket.socket(fileno=os.dup(fd)) as other:
            other.send(bytes([number]))
