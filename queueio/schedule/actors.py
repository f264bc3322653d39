"""The actors of a controlled run, and what each is about to do when it stands at a gate."""

from __future__ import annotations

import _thread
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from queueio.runtime.calls import SessionCall
from queueio.schedule.needs import Needs


@dataclass
class Begin:
    """Its thread has been started and has done nothing yet."""

    what: str = "begin"
    line: str = ""


@dataclass
class Pending:
    """It is about to call a session."""

    call: SessionCall
    needs: Needs
    line: str

    @property
    def what(self) -> str:
        return self.needs.what


@dataclass
class Pause:
    """It waits in Python: for another thread, a lock, or time.

    Attributes:
      ready: whether it can go on.
      deadline: the virtual time at which it goes on whatever happens; None for never.
    """

    ready: Callable[[], bool]
    deadline: float | None
    what: str
    line: str


class Actor:
    """A thread of the program under control.

    Attributes:
      letter, name, daemon: what it is called, and whether the program's end waits for it.
      next: what it does when it gets its turn.
      detached: it waits inside of `next`, a call that has begun; `back`: that has come back.
      calling: it is inside of TensorFlow.
      done, error: its thread has ended, and what by.
      session: that it called last; None before its first call.
    """

    def __init__(self, letter: str, name: str, thread: Any, daemon: bool) -> None:
        self.letter, self.name, self.thread, self.daemon = letter, name, thread, daemon
        self.next: Begin | Pending | Pause = Begin()
        self.calling = self.detached = self.back = self.done = False
        self.through = False
        """Whether what it does in Python is, for now, not controlled."""
        self.error: BaseException | None = None
        self.session: Any = None
        self.raised: BaseException | None = None
        self.turn = _thread.allocate_lock()
        self.turn.acquire()

    def __str__(self) -> str:
        return f"{self.letter} ({self.name})"
