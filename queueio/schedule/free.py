"""A run that is observed, in a process of its own: it tells as a controlled one does.

What it is told are lines: `pace PAUSED DELAY`, with a 0 or 1 and seconds, `let LETTER`, and
`enough`, after which it tells what it has seen and ends.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from queueio.schedule.controller import told
from queueio.schedule.events import OWN_THREADS, Event

if TYPE_CHECKING:
    from queueio.schedule.child import Order


class Freely:
    """A free run of a script in this process.

    Args:
      order: what to run.
      read, write: the file descriptors by which it is told, and tells.
    """

    def __init__(self, order: Order, read: int, write: int) -> None:
        from queueio.schedule.observe import FreeRun

        self._order = order
        self._read, self._write = os.fdopen(read, "r"), os.fdopen(write, "w")
        self._lock, self._ending = threading.Lock(), threading.Lock()
        self._began, self._calls = time.perf_counter(), 0
        self._run = FreeRun(self._tell, keeps=order.in_full)
        if order.quiet_until:
            self._be_quiet()
        if order.calm:
            from queueio.schedule.whatif.applied import calm

            calm()
        if order.changes:
            from queueio.schedule.whatif.applied import apply

            apply(order.changes)
        listener = threading.Thread(target=self._listen, name=f"{OWN_THREADS}listener", daemon=True)
        listener.start()

    def to_its_end(self) -> int:
        """Runs the script, its threads, and what it has put off to its end; the exit status."""
        from queueio.script.program import run_file, run_module

        run = run_module if self._order.as_module else run_file
        try:
            status: Any = run(self._order.script, list(self._order.arguments))
        except SystemExit as end:
            status = end.code
            if isinstance(status, str):
                print(status, file=sys.stderr)
        for thread in threading.enumerate():
            if not thread.daemon and thread is not threading.current_thread():
                thread.join()
        atexit._run_exitfuncs()
        sys.stdout.flush()
        self._ending.acquire()  # for good: the process ends here, or where enough was seen
        self._run.stop(over=True)
        number = status if isinstance(status, int) else int(status is not None)
        self._tell_end(number)
        return number

    def _be_quiet(self) -> None:
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):  # without input: a second run would find it used up
            os.dup2(nothing, number)

    def _tell_end(self, status: int) -> None:
        if self._order.in_full:
            self._send(anew=True)
            for event in self._run.tape().events:
                self._send(event=event.to_json())
        self._send(end={
            "end": "finished", "why": "", "status": status, "error": told(self._run.error),
            "steps": self._calls, "seconds": time.perf_counter() - self._began, "line": "",
            "pool": self._run.pool(),
        })  # fmt: skip

    def _tell(self, event: Event) -> None:
        if event.kind == "look":
            self._calls = event.step
        self._send(event=event.to_json())

    def _send(self, **message: Any) -> None:
        with self._lock:
            self._write.write(json.dumps(message) + "\n")
            self._write.flush()

    def _listen(self) -> None:
        for line in self._read:
            verb, *words = line.split()
            if verb == "pace":
                self._run.pace(words[0] == "1", float(words[1]))
            elif verb == "let":
                self._run.let.append(words[0])
            elif verb == "enough" and self._ending.acquire(blocking=False):
                self._run.stop()
                self._tell_end(0)
                os._exit(0)
        os._exit(0)  # nobody is left to tell
