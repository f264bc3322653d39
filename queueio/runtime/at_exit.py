"""The end of the process: queue runner threads that are at work then are stopped.

A daemon thread that comes back from C++ while the interpreter goes is ended on the spot. The C++
below it takes that for an exception that nobody rethrew, and a program that had done all of its
work dies of SIGABRT or SIGBUS.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from threading import Thread

from queueio.runtime import calls, ledger, watcher
from queueio.runtime.diagnosis import queues

PATIENCE = 2.0
"""Seconds for the threads to end; one that computes for longer is left to its fate.

Not one that builds a dataset (`ThreadRecord.builds`): it goes into C++ and back for each op, so
that Python's end would find it there, and when it is through with that, only the graph's size and
the machine's load say.
"""
_LOOK = 0.1  # seconds from one look at a thread that goes on to the next


def end_threads() -> None:
    """As if the program had stopped its coordinators and joined, told to nobody.

    Ctrl-C, pressed once more, ends the wait.
    """
    with contextlib.suppress(KeyboardInterrupt):
        _end(ledger.live_threads())
    watcher.rest()
    if not calls.in_flight:
        watcher.close()  # a call that begins later has them made again


def _end(threads: Sequence[Thread]) -> None:
    until = time.monotonic() + PATIENCE
    if threads:
        for session in ledger.sessions():
            _stop(session)
    while alive := [thread for thread in threads if thread.is_alive()]:
        if any(_builds(thread) for thread in alive):
            until = time.monotonic() + PATIENCE
        elif time.monotonic() > until:
            return
        alive[0].join(_LOOK)


def _builds(thread: Thread) -> bool:
    record = getattr(thread, "record", None)
    return record is not None and record.builds


def _stop(session: object) -> None:
    """The coordinators stop their runs; those without one have their queues cancelled here."""
    alone = []
    for run in [run for run in ledger.of(session).runs if not run.ended]:
        if run.coord is not None:
            run.coord.request_stop()
            continue
        for record in run.threads:
            record.end("stopped")
        alone.append(run.cancel_op)
    queues.ask(session, alone)
