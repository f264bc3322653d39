"""A level's script is run under the scheduler, in a process of its own, and what it did is kept."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from queueio.schedule.events import Event, Standing
from queueio.schedule.plain import short_name, told_standing
from queueio.schedule.tape import Tape

BUDGET = 1000
"""Steps after which a run is cut off."""
PRINTED = 1 << 20
"""Bytes that are kept of what a run prints: a loop without end prints more than memory holds."""
SILENT = 30.0
"""Seconds without a step or an end after which a run is ended: a level takes less than one."""


@dataclass(frozen=True)
class PlayedRun:
    """What a run did.

    Attributes:
      events: its steps, in their order, with all standings.
      end: how it ended, as its process told it (see `schedule.child`).
      printed: what it printed.
      tape: the same events, for a replay.
    """

    events: Sequence[Event]
    end: dict[str, Any]
    printed: str
    tape: Tape

    def drawn(self, actor: str = "") -> list[list[str]]:
        """The elements of each call that took, and puts nothing: by a thread's name, or by all."""
        found = []
        for event in self.events:
            takes = [move for move in event.moves if move.takes]
            if not takes or len(takes) < len(event.moves) or actor not in ("", event.name):
                continue
            if takes[0].elements:  # none where it waits, or where it failed
                found.append([element.shown for element in takes[0].elements])
        return found

    def came(self, actor: str = "") -> list[str]:
        """The same in one row."""
        return [element for elements in self.drawn(actor) for element in elements]

    def took(self, event: Event, queue: str) -> list[str]:
        """The elements that a step took from a queue."""
        return [e.shown for m in event.moves if m.takes and m.queue == queue for e in m.elements]

    @property
    def shown(self) -> str:
        """What it printed, without the dtypes that NumPy 2 shows in a list of its numbers."""
        return re.sub(r"np\.\w+\(([^()]*)\)", r"\1", self.printed)

    @property
    def began_before_variables(self) -> bool:
        """Whether a thread had begun when the main thread first changed a variable."""
        kinds = [(e.name == "main", e.kind == "begin", e.lasts) for e in self.events]
        began = next((n for n, (main, begins, _) in enumerate(kinds) if begins and not main), None)
        changed = next((n for n, (main, _, lasts) in enumerate(kinds) if main and lasts), None)
        return began is not None and changed is not None and began < changed

    @property
    def finished(self) -> bool:
        """Whether the script came to its end, and no error ended it."""
        return self.end["end"] == "finished" and not self.end["status"]

    @property
    def left(self) -> list[Standing]:
        """The actors that are not done."""
        every = [Standing(**each) for each in self.end["standings"]]
        return [replace(s, name=short_name(s.name)) for s in every if s.state != "done"]

    def how(self) -> str:
        """How it ended, with who waits, or with the error."""
        from queueio.schedule.step import how_it_ended

        if self.end["error"]:
            return f"The script ended with {self.end['error']}"
        waits = "".join(f"\n  {told_standing(one)}" for one in self.left)
        if self.end["end"] == "finished":
            status = self.end["status"]
            return "The script came to its end" + (f", with exit status {status}" if status else "")
        return f"The run: {how_it_ended(self.end).partition('. ')[0]}{waits}"


def play(script: Path, strategy: str = "round-robin", budget: int = BUDGET) -> PlayedRun:
    """Runs a script to its end, or as far as it goes; `child.warm` has to be called before.

    Args:
      script: a file of the user's, outside of this package.
      strategy: who has each step, as `schedule.strategies.strategy` reads it.
      budget: the steps after which it is cut off.

    Returns:
      What it did. Where its process died, or was silent for `SILENT` seconds, it ends as "lost".
    """
    from queueio.schedule.child import Child, Lost, Order
    from queueio.schedule.step import how_it_ended

    order = Order(str(script), (), False, strategy, budget, watches=True, events=True)
    events: list[Event] = []
    end: dict[str, Any] = {}
    tape = Tape(script.name)
    with _captured() as printed:
        try:
            for told in Child(order).messages(SILENT):
                if "event" in told:
                    events.append(Event.from_json(told["event"]))
                    tape.add(events[-1])
                end = told.get("end", end)
        except Lost as lost:
            end = {"end": "lost", "why": str(lost), "error": "", "standings": []}
        text = _text(printed)
    tape.end = how_it_ended(end)
    return PlayedRun(events, end, text, tape)


def _text(file: IO[bytes], most: int = PRINTED) -> str:
    """What a file holds; of more than `most` bytes its first and last half."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    if size <= most:
        return file.read().decode("utf-8", "replace")
    first = file.read(most // 2)
    file.seek(-(most // 2), os.SEEK_END)
    return f"{first.decode('utf-8', 'replace')}\n…\n{file.read().decode('utf-8', 'replace')}"


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A folder for the `with` block. That of `tempfile` would go with the first forked process."""
    folder = tempfile.mkdtemp(prefix="queueio-")
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _captured() -> Iterator[IO[bytes]]:
    """What this process and its children print goes into a file, within the `with` block."""
    sys.stdout.flush()
    sys.stderr.flush()
    if isinstance(sys.stdout, io.TextIOWrapper):  # a run that is killed has printed what it had
        sys.stdout.reconfigure(line_buffering=True)
    kept = [os.dup(1), os.dup(2)]
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
        try:
            yield file
        finally:
            for number, old in zip((1, 2), kept, strict=True):
                os.dup2(old, number)
                os.close(old)
