"""What happened in a controlled run, step by step: data that views show and files keep."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Level:
    """What a queue holds.

    Attributes:
      name: as it is shown: the scope that it was built in.
      size, capacity: in elements; a capacity of -1 is none.
      kept: the elements that it does not give away while it is open (min_after_dequeue).
      closed: whether it takes no more.
    """

    name: str
    size: int
    capacity: int = -1
    kept: int = 0
    closed: bool = False

    def __str__(self) -> str:
        room = "" if self.capacity < 0 else f"/{self.capacity}"
        return f"{self.name} {self.size}{room}{' closed' if self.closed else ''}"


@dataclass(frozen=True)
class Standing:
    """An actor between two steps.

    Attributes:
      actor, name: its letter, and its thread's name.
      state: "ready", "blocked", "inside" (of a call that has begun), "waiting" (in Python) or
        "done".
      what: what it is about to do, or is doing.
      line: the user's line that asks for it, as `train.py:12: code`.
      why: what it is blocked by; "" where it is not.
      queue: the queue that it is blocked by; "" where it is none.
    """

    actor: str
    name: str
    state: str
    what: str = ""
    line: str = ""
    why: str = ""
    queue: str = ""


@dataclass(frozen=True)
class Event:
    """One step.

    Attributes:
      step: its number, from 1.
      actor, name: whose it was.
      kind: "begin" of a thread, "run" of a session call, "enter" of one that then waits inside,
        "return" of that, "wake" from a wait in Python, "end" of the thread, which is no step of
        its own.
      what, line: what was done, and the user's line that asked for it.
      before, after: the queues that changed, as they were and are.
      error: what it raised, as `Type: text`; "" for nothing.
      seconds: of virtual time since the run began.
      standings: how each actor stands after it.
      lasts: whether a session call changed variables: work that no queue shows.
    """

    step: int
    actor: str
    name: str
    kind: str
    what: str
    line: str = ""
    before: tuple[Level, ...] = ()
    after: tuple[Level, ...] = ()
    error: str = ""
    seconds: float = 0.0
    standings: tuple[Standing, ...] = field(default=(), repr=False)
    lasts: bool = False

    def to_json(self) -> dict[str, Any]:
        """This event as data of JSON, from which `from_json` makes it again."""
        return asdict(self)

    @staticmethod
    def from_json(data: dict[str, Any]) -> Event:
        """The event that `to_json` gave."""
        levels = {name: tuple(Level(**each) for each in data[name]) for name in ("before", "after")}
        standings = tuple(Standing(**each) for each in data["standings"])
        return Event(**{**data, **levels, "standings": standings})
