"""A run of a script, recorded for some seconds in a process of its own."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from queueio.schedule.events import Event
from queueio.schedule.tape import Tape

if TYPE_CHECKING:
    from queueio.schedule.child import Order

SILENT, PATIENCE = 120.0, 15.0
"""Seconds without a sign of life, and without an element in a queue after the first call."""


class SeenRun(NamedTuple):
    """A recorded run.

    Attributes:
      tape: each call of it, and the looks at its queues.
      others: the cores that other processes of the machine kept busy meanwhile.
      pool: TensorFlow's threads that run the ops of all calls; 0 for as many as are needed.
    """

    tape: Tape
    others: float
    pool: int


def recorded(order: Order, seconds: float) -> SeenRun:
    """Runs a script freely, until its queues have held something for so long, or it ends.

    Args:
      order: what to run, and with which changes.
      seconds: how long to record.

    Returns:
      The run, and what else the machine did.

    Raises:
      Lost: the process ended without a word, or the run never began.
    """
    from queueio.schedule.child import Child

    tape = Tape(order.script, complete=False)
    clock, pool, begun = _Others(), 0, None
    child, since, enough = Child(replace(order, free=True, in_full=True)), None, False
    try:
        for told in child.messages(silent=SILENT):
            if "anew" in told:
                tape.rewind()
            elif "event" in told:
                event = Event.from_json(told["event"])
                tape.add(event)
                if since is None and any(level.size and not level.files for level in event.after):
                    since = event.seconds
                    clock.begin(event)
                begun = event.seconds if begun is None and event.step else begun
                vain = begun is not None and since is None and event.seconds > begun + PATIENCE
                over = since is not None and event.seconds > since + seconds
                if not enough and (over or vain):
                    enough = True
                    clock.end(event)
                    child.answer("enough")
            elif "end" in told:
                status = told["end"]["status"]
                how = f"exit status {status}" if status else "finished"
                tape.end = told["end"]["error"] or how
                pool = int(told["end"].get("pool", 0))
    finally:
        child.kill()
    return SeenRun(tape, clock.cores, pool)


class _Others:
    """The processor time of others: what all used, less what the run did and this process."""

    def __init__(self) -> None:
        self.cores = 0.0
        self._first: list[float] = []

    def begin(self, event: Event) -> None:
        """The recording begins with this look."""
        self._first = _used(event)

    def end(self, event: Event) -> None:
        """It ends with this one."""
        if not self._first:
            return
        wall, run, own, every = (b - a for a, b in zip(self._first, _used(event), strict=True))
        self.cores = max(0.0, (every - run - own) / max(wall, 1e-9))


def _used(event: Event) -> list[float]:
    return [time.perf_counter(), event.cpu, time.process_time(), processor_seconds()]


def processor_seconds() -> float:
    """The seconds that all processors have worked; 0 where the system does not tell."""
    try:
        with open("/proc/stat", encoding="ascii") as file:
            ticks = [int(each) for each in file.readline().split()[1:9]]
    except OSError:
        return 0.0
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")


def cores_beside(others: float) -> float:
    """How many cores this process gets beside others; at least half of them.

    Args:
      others: that those keep busy.
    """
    return max(_cores() - others, _cores() / 2)


def _cores() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
