"""A join that nothing will ever end: no stop was asked for, and all that it waits for waits, too.

TF1 waits in silence, and Ctrl-C is the only way out. It is certain only where no thread of the
program is left that could take from the full queues, or ask for the stop.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any

from queueio import settings
from queueio.errors import QueueStalled, StallWarning, message
from queueio.graph.origin import line_of_thread, warn_at
from queueio.runtime import ledger
from queueio.runtime.calls import in_flight
from queueio.runtime.diagnosis import queues
from queueio.runtime.diagnosis.state import capacity
from queueio.runtime.ledger import RunnerThread
from queueio.runtime.topology import Topology
from queueio.words import times


class Unasked:
    """One call of `Coordinator.join`, looked at again and again until something is told of it."""

    def __init__(self, coord: Any, threads: Sequence[threading.Thread]) -> None:
        """Args: the coordinator, and the threads that it waits for."""
        self._coord, self._threads = coord, threads
        self._began = time.monotonic()
        self._counts: list[int] | None = None
        self._pause = settings.current().stall_seconds / 2
        self._due = self._began + self._pause

    def pause(self, longest: float) -> float:
        """How long to wait before the next look."""
        return max(0.0, min(longest, self._due - time.monotonic()))

    def look(self) -> None:
        """Tells a wait without end; where stalls are errors, makes it one of the coordinator's."""
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + self._pause
        if self._coord.should_stop():
            return
        alive = [thread for thread in self._threads if thread.is_alive()]
        records = [t.record for t in alive if isinstance(t, RunnerThread) and t.record is not None]
        counts = [record.enqueued for record in records]
        moved, self._counts = counts != self._counts, counts
        if moved or not records or in_flight or not _only(alive):
            return
        full = [_full(thread) for thread in alive if getattr(thread, "record", None) is not None]
        if all(full):
            self._due = float("inf")
            self._tell(", ".join(dict.fromkeys(filter(None, full))), len(records), now)

    def _tell(self, full: str, count: int, now: float) -> None:
        site = line_of_thread(threading.get_ident())
        what = f"join at {site}" if site else "join"
        text = message(
            f"{what} has been waiting for {now - self._began:.1f} s, and will for ever: nobody "
            "asked the coordinator to stop",
            f"the queue runners' threads ({count}) wait for room in {full}, and no other thread is "
            "there to take elements out, or to ask for the stop",
            "Ask for it before",
            right="coord.request_stop(); coord.join(threads)",
        )
        if settings.current().on_stall == "raise":
            self._coord.request_stop(QueueStalled(text))
            return
        try:
            warn_at(site, text, StallWarning)
        except StallWarning as warning:  # the user turned warnings into errors
            self._coord.request_stop(warning)


def _only(alive: Sequence[threading.Thread]) -> bool:
    """Whether these are queue runners' threads, and no other thread of the program runs."""
    here = threading.current_thread()
    return all(isinstance(t, RunnerThread) for t in alive) and ledger.program_threads() == [here]


def _full(thread: Any) -> str | None:
    """The full queue that a queue runner's thread fills, as a message names it."""
    for session in ledger.sessions():
        elsewhere = bool(getattr(session, "sess_str", ""))  # another process may take from them
        if elsewhere or thread.run_record not in ledger.of(session).runs:
            continue
        topology = Topology(session.graph)
        names = topology.filled_by([thread.record.enqueue_op])
        sizes = queues.ask(session, [{name: queues.size(topology, name) for name in names}])
        for name, size in (sizes[0] if sizes else {}).items():
            room, ahead = capacity(topology.queues[name]), name in topology.stand_ins
            if (room is not None and size >= room) or (ahead and thread.record.rests):
                return f"{topology.stage(topology.shown(name))}, where {_ready(size, ahead)}"
    return None


def _ready(size: int, ahead: bool) -> str:
    """What lies in a full queue; `ahead`: batches that tf.data has made."""
    what = times(size, "batch", "batches") if ahead else times(size, "element")
    most = "are made ahead" if ahead else "it holds"
    return f"{what} {'lies' if size == 1 else 'lie'} ready, as many as {most}"
