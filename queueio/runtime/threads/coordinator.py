"""Coordinator: one flag that ends many threads, and the first error that raised it.

The rules are those of tf.train.Coordinator of TensorFlow 1.15: any thread may ask all of them to
stop, the first error reported wins, and `join` raises it again. What differs: `join` does not
poll, no later error is lost, an error made outside an `except` block counts too, and a thread that
will not end is shown with its stack.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, NoReturn

import tensorflow.compat.v1 as tf

from queueio.runtime import ledger, watcher
from queueio.runtime.diagnosis.at_work import stack_of
from queueio.runtime.diagnosis.unasked import Unasked
from queueio.runtime.joining import join
from queueio.runtime.notes import add_note

ExcInfo = tuple[Any, Any, TracebackType | None]
Report = BaseException | ExcInfo | None

# A grace period of nothing would turn the wait for a stop into a busy loop.
SHORTEST_WAIT = 0.05


class _Extra:
    """What we remember about a coordinator beyond TF1's fields.

    Kept beside the object, made on first use, because a coordinator that TensorFlow itself
    made (Supervisor, MonitoredSession) gets our methods without our `__init__`.
    """

    def __init__(self) -> None:
        self.errors: list[tuple[str, BaseException]] = []
        self.listeners: list[Callable[[], object]] = []
        self.stopped_at: float | None = None
        self.stopped_by: str | None = None


def _extra(coord: Any) -> _Extra:
    extra: _Extra = coord.__dict__.setdefault("_queueio_extra", _Extra())
    return extra


class Coordinator(tf.train.Coordinator):
    """Ends a set of threads together, and re-raises the first error any of them reported.

    `clean_stop_exception_types` (default: `tf.errors.OutOfRangeError`) are ends, not errors:
    reporting one is the same as `request_stop()`.
    """

    _registered_threads: set[threading.Thread]

    def request_stop(self, ex: Report = None) -> None:
        """Ask every thread to end.

        Only an error that arrives before the first stop is raised by `join`; later ones are
        kept in `exceptions`.

        Args:
          ex: why: an exception or `sys.exc_info()`; None, or a clean end, is no error.

        Raises:
          Exception: `ex` itself, after `join`: there is nobody else left to tell.
        """
        error = as_error(self._filter_exception(ex))
        if error is not None:
            ledger.record_reported(error)  # before anything wakes up and asks why
        with self._lock:
            if self._joined and error is not None:
                raise error
            first = not self._stop_event.is_set()
            if error is not None:
                _keep(self, error, first)
            if first:
                _note_stop(self)
            self._stop_event.set()
        if first:
            for wake in list(_extra(self).listeners):
                wake()

    def clear_stop(self) -> None:
        """Forget the stop and its error, so that the coordinator can be used again."""
        with self._lock:
            self._joined = False
            self._exc_info_to_raise = None
            self._stop_event.clear()
            extra = _extra(self)
            extra.errors, extra.stopped_at, extra.stopped_by = [], None, None

    def join(
        self,
        threads: Iterable[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Wait until the registered threads and `threads` have ended, then raise their error.

        It is over as soon as the last one is done.

        Args:
          threads: threads to wait for besides the registered ones.
          stop_grace_period_secs: how many seconds they have once a stop is requested.
          ignore_live_threads: whether those that still run then are only logged.

        Raises:
          Exception: the first error that was reported, with the others as its notes.
          RuntimeError: threads still run; it shows the stack of each.
        """
        with self._lock:
            # In an order of their own: a set's is another one in each process.
            every = self._registered_threads.union(threads or ())
            waited_for = sorted(every, key=lambda thread: thread.name)
        _wait(self, waited_for, stop_grace_period_secs)
        watcher.rest()
        stragglers = [t for t in waited_for if t.is_alive()]
        with self._lock:
            self._joined = True
            self._registered_threads = set()
        self.raise_requested_exception()
        if stragglers:
            _complain(stragglers, stop_grace_period_secs, ignore_live_threads)

    def raise_requested_exception(self) -> None:
        """Raise the recorded error, if there is one, with the traceback it was reported with.

        Raises:
          Exception: that error.
        """
        with self._lock:
            recorded = self._exc_info_to_raise
        if recorded:
            _raise(recorded, _extra(self).errors)

    @property
    def exceptions(self) -> tuple[BaseException, ...]:
        """Every error reported since the last `clear_stop`, first one first."""
        return tuple(error for _, error in _extra(self).errors)

    def call_on_stop(self, wake: Callable[[], object]) -> None:
        """Have a function called once when a stop is requested, or now when it already is.

        Args:
          wake: the function. It runs in the thread that asks, so it must be short and must not
            raise.
        """
        with self._lock:
            stopped = self._stop_event.is_set()
            if not stopped:
                _extra(self).listeners.append(wake)
        if stopped:
            wake()

    def forget(self, wake: Callable[[], object]) -> None:
        """Take back a `call_on_stop`.

        Args:
          wake: the function that was given to it; another one changes nothing.
        """
        with self._lock:
            listeners = _extra(self).listeners
            if wake in listeners:
                listeners.remove(wake)


class LooperThread(tf.train.LooperThread):
    """A daemon thread that calls `target` (or `run_loop`) until its coordinator stops."""

    @staticmethod
    def loop(
        coord: Any,
        timer_interval_secs: float | None,
        target: Callable[..., object],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> LooperThread:
        """Start a thread that calls a function again and again.

        Args:
          coord: the coordinator whose stop ends it.
          timer_interval_secs: seconds from one call to the next; None for none.
          target: the function.
          args: its positional arguments.
          kwargs: its keyword arguments.

        Returns:
          The thread, started.
        """
        looper = LooperThread(coord, timer_interval_secs, target=target, args=args, kwargs=kwargs)
        looper.start()
        return looper


def as_error(report: Report) -> BaseException | None:
    """The exception in what was given to `request_stop`; None when there is none."""
    error: Any = report
    if isinstance(report, tuple):
        error = report[1] if len(report) == 3 else report
        if isinstance(error, BaseException) and error.__traceback__ is None:
            error.__traceback__ = report[2]
    if error is None or isinstance(error, BaseException):
        return error
    return ValueError(
        f"request_stop() was given {report!r}: that is not an exception. "
        "Pass the exception itself, or sys.exc_info()."
    )


def _keep(coord: Any, error: BaseException, first: bool) -> None:
    # After a stop the queues are cancelled, and every waiting thread reports that. It is the
    # consequence of the stop, not news.
    if not first and isinstance(error, tf.errors.CancelledError):
        return
    kept = _extra(coord).errors
    if not any(known is error for _, known in kept):
        kept.append((threading.current_thread().name, error))
    if first and coord._exc_info_to_raise is None:
        tf.logging.info("Error reported to Coordinator: %s: %s", type(error).__name__, error)
        coord._exc_info_to_raise = (type(error), error, error.__traceback__)


def _note_stop(coord: Any) -> None:
    extra = _extra(coord)
    extra.stopped_at = time.monotonic()
    caller = sys._getframe(2)
    extra.stopped_by = f"{caller.f_code.co_filename}:{caller.f_lineno}"


def _wait(coord: Any, threads: list[threading.Thread], grace: float) -> None:
    """Join each thread; give up `grace` seconds after the stop, or after now if it is past.

    No polling: while nobody has asked for a stop, waiting `grace` seconds can never overshoot
    the deadline, because the deadline is at least that far away. Only whether anybody ever will
    is looked at now and then.
    """
    started, unasked = time.monotonic(), Unasked(coord, threads)
    for thread in threads:
        while thread.is_alive() and thread is not threading.current_thread():
            stopped_at = _extra(coord).stopped_at
            left = max(grace, SHORTEST_WAIT)
            if stopped_at is not None and coord.should_stop():
                left = max(stopped_at, started) + grace - time.monotonic()
                if left <= 0:
                    return
            join(thread, unasked.pause(left))
            unasked.look()


def _raise(recorded: ExcInfo, errors: list[tuple[str, BaseException]]) -> NoReturn:
    error = recorded[1]
    for name, other in errors:
        if other is not error:
            add_note(error, f"also in {name}: {type(other).__name__}: {_first_line(other)}")
    raise error.with_traceback(recorded[2])


def _complain(stuck: list[threading.Thread], grace: float, ignore: bool) -> None:
    names = " ".join(t.name for t in stuck)
    if ignore:
        tf.logging.info("Coordinator stopped with threads still running: %s", names)
        return
    late = f"They did not end within {grace:g} s of the stop."
    if stuck == [threading.current_thread()]:
        late = "It is the thread that calls join, which cannot wait for its own end."
    raise RuntimeError(
        f"Coordinator stopped with threads still running: {names}\n"
        f"{late} Each of them is here:\n" + "\n".join(stack_of(thread) for thread in stuck)
    )


def _first_line(error: BaseException) -> str:
    message = getattr(error, "message", None) or str(error)
    return str(message).partition("\n")[0]
