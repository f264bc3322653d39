"""The end of the process: queue runner threads that are at work then are stopped.

A daemon thread that comes back from C++ while the interpreter goes is ended on the spot. The C++
below it takes that for an exception that nobody rethrew, and a program that had done all of its
work dies of SIGABRT or SIGBUS.
"""

from __future__ import annotations

import time

from queueio.runtime import ledger, watcher
from queueio.runtime.diagnosis import queues

PATIENCE = 2.0
"""Seconds for the threads to end; one that computes for longer is left to its fate."""


def end_threads() -> None:
    """As if the program had stopped its coordinators and joined, told to nobody."""
    threads = ledger.live_threads()
    until = time.monotonic() + PATIENCE
    if threads:
        for session in ledger.sessions():
            _stop(session)
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))
    watcher.rest()


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
