"""Ledger: what each queue runner thread of a session did, kept for the day something breaks.

A thread writes one number per enqueue here and a line when it ends; nothing else is on the
fast path. The record hangs on the session itself: an error holds its traceback, the traceback
holds the session, and a table of our own would keep all three alive for ever.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from queueio.graph.error_text import CONSEQUENCES
from queueio.runtime.joining import join

_ATTRIBUTE = "_queueio_ledger"
_sessions: weakref.WeakSet[Any] = weakref.WeakSet()
_lock = threading.Lock()
_fed_nothing: deque[str] = deque(maxlen=3)
"""With what errors threads of the user's ended that had put nothing into any queue."""


@dataclass(eq=False)
class ThreadRecord:
    """One thread that runs one enqueue op.

    `state` is "created", "running", "natural" (its input ended), "stopped" (asked to),
    "cancelled" or "failed". `enqueued` counts successful runs of the op. `builds`: its thread makes
    ops now, which takes as long as it takes, and ends. `rests`: it makes no more elements until
    some of those that are ready were taken, though its queue would hold more.
    """

    name: str
    enqueue_op: Any
    enqueued: int = 0
    state: str = "created"
    error: BaseException | None = None
    ended_at: float | None = None
    thread: threading.Thread | None = None
    builds: bool = False
    rests: bool = False

    def end(self, state: str, error: BaseException | None = None) -> None:
        """Say how it ended; the first word stands."""
        if self.state in ("created", "running"):
            self.error = error
            self.ended_at = time.monotonic()
            self.state = state
            self.thread = None


@dataclass(eq=False)
class RunRecord:
    """One `create_threads` call: a runner's threads in one session, under one coordinator.

    `describe_end`, if given, says in lines what was planned and delivered when its input ended:
    `describe_end(run_record, graph)`. `by_data`: tf.data makes what goes into this queue.
    `made_at`: when it was called. `closed`: its last thread closed the queue, at the input's end.
    """

    queue: Any
    cancel_op: Any
    coord: Any
    threads: list[ThreadRecord] = field(default_factory=list)
    running: int = 0
    wake: threading.Event = field(default_factory=threading.Event)
    describe_end: Any = None
    by_data: bool = False
    made_at: float = field(default_factory=time.monotonic)
    closed: bool = False

    @property
    def queue_op(self) -> Any:
        """The queue's op, whether the runner was given a queue object or came from a proto."""
        ref = getattr(self.queue, "queue_ref", self.queue)
        return getattr(ref, "op", ref)

    @property
    def ended(self) -> bool:
        return self.running <= 0

    @property
    def is_ending(self) -> bool:
        """Whether an enqueue thread is still there: behind its input's end it closes the queue."""
        there = [t for t in threading.enumerate() if isinstance(t, RunnerThread)]
        return any(t.run_record is self and t.record is not None for t in there)

    def leave(self) -> None:
        """One enqueue thread of this run is over; the last one releases `close_on_stop`."""
        with _lock:
            self.running -= 1
        if self.ended:
            self.wake.set()


@dataclass(eq=False)
class SessionRecord:
    """Everything known about one session.

    `fed_by_hand` counts the runs of enqueue ops that the user's own threads make; `told` holds
    what was said already; `taken` is what the first calls took (`mixed_elements`), `fed` what calls
    feed in vain (`feeds`), `conds_seen` the number of them that were looked at for a choice of
    batches (`chosen_batches`); `ended_by` says what had queueio close its queues, if anything did.
    `feeders` are the user's threads that ran enqueue ops, with the names of these, and `failed`
    how those of them failed that did, in words. `process` is the one that it was made in.
    """

    runs: list[RunRecord] = field(default_factory=list)
    fed_by_hand: dict[str, int] = field(default_factory=dict)
    feeders: weakref.WeakKeyDictionary[threading.Thread, set[str]] = field(
        default_factory=weakref.WeakKeyDictionary
    )
    failed: list[tuple[set[str], str]] = field(default_factory=list)
    told: set[str] = field(default_factory=set)
    taken: Any = None
    fed: Any = None
    conds_seen: int = 0
    ended_by: str | None = None
    process: int = field(default_factory=os.getpid)

    def threads(self) -> list[ThreadRecord]:
        return [thread for run in list(self.runs) for thread in run.threads]

    def count_fed(self, enqueue_op: str) -> None:
        """The calling thread, which is the user's, has run an enqueue op."""
        self.fed_by_hand[enqueue_op] = self.fed_by_hand.get(enqueue_op, 0) + 1
        self.feeders.setdefault(threading.current_thread(), set()).add(enqueue_op)

    def failures(self, enqueue_ops: Iterable[str]) -> list[str]:
        """How threads failed that ran one of these ops; or any, where nobody ran them."""
        names = set(enqueue_ops)
        found = [text for ran, text in self.failed if ran & names]
        return found if names & self.fed_by_hand.keys() else [*found, *_fed_nothing]


class RunnerThread(threading.Thread):
    """A thread that knows its line in the ledger."""

    record: ThreadRecord | None = None
    run_record: RunRecord | None = None

    def join(self, timeout: float | None = None) -> None:
        """Waits for its end."""
        join(self, timeout)


def of(session: Any) -> SessionRecord:
    """The record of a session; a wrapper (debugger, monitored) shares that of the inner one."""
    session = innermost(session)
    found: SessionRecord | None = session.__dict__.get(_ATTRIBUTE)
    if found is None:
        found = session.__dict__.setdefault(_ATTRIBUTE, SessionRecord())
        _sessions.add(session)
    return found


def innermost(session: Any) -> Any:
    """The real session under wrappers that keep theirs in `_sess`."""
    for _ in range(10):
        inner = getattr(session, "_sess", None)
        if inner is None:
            break
        session = inner
    return session


def current() -> ThreadRecord | None:
    """The record of the calling thread, when it is a queue runner's."""
    return getattr(threading.current_thread(), "record", None)


def record_reported(error: BaseException) -> None:
    """Note an error that the calling thread is about to report to a coordinator.

    Reached from `request_stop`, so it also sees the errors of QueueRunner subclasses with a
    `_run` of their own.
    """
    record = current()
    if record is not None:
        record.end("failed", error)
    else:
        record_failed(threading.current_thread(), error)


def record_failed(thread: threading.Thread | None, error: BaseException | None) -> None:
    """Note the error that ends a thread of the user's, or that it reports to a coordinator.

    In words: the error itself would keep its session alive.
    """
    if thread is None or error is None or thread is threading.main_thread():
        return
    if isinstance(thread, RunnerThread) or isinstance(error, CONSEQUENCES):
        return
    line = str(error).partition("\n")[0]
    text = f"thread {thread.name!r} failed: {type(error).__name__}{f': {line}' if line else ''}"
    records = [of(session) for session in sessions()]
    fed = [record for record in records if thread in record.feeders]
    for record in fed:
        if not any(text == told for _, told in record.failed):
            record.failed.append((record.feeders[thread], text))
    if not fed and text not in _fed_nothing:
        _fed_nothing.append(text)


def was_forked() -> bool:
    """Whether this process was forked from one in which sessions had run."""
    return any(of(session).process != os.getpid() for session in sessions())


def sessions() -> list[Any]:
    """All living sessions that have a record."""
    return list(_sessions)


def program_threads() -> list[threading.Thread]:
    """Threads of the program's own: no queue runner's, none of ours and no summary writer's."""
    return [
        thread
        for thread in threading.enumerate()
        if not isinstance(thread, RunnerThread)
        and not thread.name.startswith("queueio-")
        # The thread of every FileWriter; one that a MonitoredSession makes is no feeder.
        and not type(thread).__module__.startswith("tensorflow.python.summary")
    ]


def live_threads() -> list[threading.Thread]:
    """Queue runner threads that run right now, in any session."""
    return [t for t in threading.enumerate() if isinstance(t, RunnerThread)]
