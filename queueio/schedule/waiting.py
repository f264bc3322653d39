"""Waits of Python under control: locks, threads, sleeps, clocks.

All of `threading` and `queue` waits by one primitive, the lock. So it is the lock that is replaced;
conditions, events, semaphores and queues follow. Other threads than actors find real locks. Time is
virtual for actors: a step takes a millisecond, and when nobody can go on it jumps to the first
deadline.

Meant for a process that ends with the run: nothing is put back.
"""

from __future__ import annotations

import _thread
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

from queueio.schedule.actors import Actor
from queueio.schedule.controller import OWN_THREADS, Controller

_READING = 1e-6


def install(controller: Controller) -> None:
    """From now on, what threads of the program wait for is known to the controller."""
    make = _lock_class(controller)
    threading.Lock = threading._allocate_lock = make  # type: ignore[attr-defined,assignment]
    threading._CRLock = None  # type: ignore[attr-defined]  # locks of Python, on the one above
    queue.SimpleQueue = queue._PySimpleQueue  # type: ignore[attr-defined,misc]
    time.sleep = _sleep(controller, time.sleep)  # type: ignore[assignment]
    for clock in ("time", "monotonic", "perf_counter"):
        setattr(time, clock, _clock(controller, getattr(time, clock)))
    threading._time = queue.time = time.monotonic  # type: ignore[attr-defined]
    _install_threads(controller)


def _lock_class(controller: Controller) -> type:
    class ControlledLock:
        """A lock whose wait is a step of its own."""

        def __init__(self) -> None:
            self._lock = _thread.allocate_lock()
            self.locked, self.release = self._lock.locked, self._lock.release
            self._at_fork_reinit = self._lock._at_fork_reinit  # type: ignore[attr-defined]

        def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
            if self._lock.acquire(False):
                return True
            if controller.current() is None:
                return self._lock.acquire(blocking, timeout) if blocking else False
            if not blocking:
                return False
            while controller.pause(
                "", lambda: not self._lock.locked(), None if timeout < 0 else timeout
            ):
                if self._lock.acquire(False):
                    return True
            return False

        def __enter__(self) -> bool:
            return self.acquire()

        def __exit__(self, *error: object) -> None:
            self.release()

    return ControlledLock


def _sleep(controller: Controller, real: Callable[[float], None]) -> Callable[[float], None]:
    def sleep(seconds: float) -> None:
        if controller.current() is None:
            real(seconds)
        else:
            controller.pause(f"time.sleep({seconds:g})", lambda: False, seconds)

    return sleep


def _clock(controller: Controller, real: Callable[[], float]) -> Callable[[], float]:
    began = real()

    def clock() -> float:
        if controller.current() is None:
            return real()
        controller.seconds += _READING  # who waits for a clock must not wait for ever
        return began + controller.seconds

    return clock


def _install_threads(controller: Controller) -> None:
    thread = threading.Thread
    start, join, is_alive = thread.start, thread.join, thread.is_alive
    actors: dict[int, Any] = {}

    def controlled_start(self: Any) -> None:
        starter = controller.current()
        if starter is None:
            start(self)
            return
        if self.name.startswith(OWN_THREADS) or self._started.is_set():
            _through(starter, start, self)
            return
        actor = controller.add(self, self.name, self.daemon)
        actors[id(self)] = actor
        run = self.run

        def controlled_run() -> None:
            controller.begin(actor)
            error: BaseException | None = None
            try:
                run()
            except BaseException as raised:
                error = None if isinstance(raised, SystemExit) else raised
                self._invoke_excepthook(self)
            finally:
                controller.finish(actor, error)

        self.run = controlled_run
        _through(starter, start, self)

    def controlled_join(self: Any, timeout: float | None = None) -> None:
        actor, asking = actors.get(id(self)), controller.current()
        if actor is None or asking is None or actor is asking:
            join(self, timeout)
        elif actor.done or controller.pause(f"join {actor}", lambda: actor.done, timeout):
            _through(asking, join, self)

    def controlled_is_alive(self: Any) -> bool:
        actor = actors.get(id(self))
        if actor is None or controller.current() is None:
            return is_alive(self)
        return not actor.done

    thread.start, thread.join = controlled_start, controlled_join  # type: ignore[method-assign]
    thread.is_alive = controlled_is_alive  # type: ignore[method-assign]


def _through(actor: Actor, call: Callable[..., Any], *args: Any) -> None:
    """A call of an actor's in which it finds real locks and time."""
    actor.through = True
    try:
        call(*args)
    finally:
        actor.through = False
