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
"""Seconds for the threads to end; one that computes for longer is left to its fate."""


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
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))


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
