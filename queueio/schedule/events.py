"""What happened in a run: data that views show and files keep.

Steps of a controlled run, calls of a free one, looks at its queues: all of it is told in events.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

OWN_THREADS = "queueio-"
"""How the names of threads begin that are queueio's, and not controlled."""


@dataclass(frozen=True)
class Level:
    """What a queue holds.

    Attributes:
      name: as it is shown: the scope that is its own, or its name.
      size, capacity: in elements; a capacity of -1 is none.
      kept: the elements that it does not give away while it is open (min_after_dequeue).
      closed: whether it takes no more.
      files: whether readers take from it: it holds names of files.
      apart: whether the name tells its session, as another open one has a queue of that name.
    """

    name: str
    size: int
    capacity: int = -1
    kept: int = 0
    closed: bool = False
    files: bool = False
    apart: bool = False

    def __str__(self) -> str:
        room = "" if self.capacity < 0 else f"/{self.capacity}"
        return f"{self.name} {self.size}{room}{' closed' if self.closed else ''}"


@dataclass(frozen=True)
class Standing:
    """An actor between two steps.

    Attributes:
      actor, name: its letter, and its thread's name.
      state: "ready", "blocked", "inside" (of a call that has begun), "waiting" (in Python) or
        "done"; in a free run also "running", in a call or in Python.
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

    @property
    def waits(self) -> bool:
        """Whether it waits: for a queue, or in Python."""
        return self.state in ("blocked", "waiting") or (self.state == "inside" and bool(self.why))


@dataclass(frozen=True)
class Element:
    """What was seen of an element of a queue.

    Attributes:
      shown: its components: short values; of long ones type, shape and the first values.
      key: the reader's key of its record, as `file:place`; "" where that is not known.
      digest: stands for its values: elements with the same values have the same.
    """

    shown: str
    key: str = ""
    digest: str = ""


@dataclass(frozen=True)
class Move:
    """What a call takes from a queue, or puts into it.

    Attributes:
      queue: as it is shown.
      takes: whether it takes.
      reads: whether a reader takes: the name of a file, when it is done with the last one. Then
        the elements are records, which come out of the file.
      ordered: whether the queue gives first what came first.
      count: of elements, or records; -1 where only the run knows, 0 where none has moved.
      elements: those that were looked at, in their order; () where they were not.
    """

    queue: str
    takes: bool
    reads: bool = False
    ordered: bool = True
    count: int = 1
    elements: tuple[Element, ...] = ()


@dataclass(frozen=True)
class Event:
    """One step of a controlled run; of a free one, a call, or a look at all queues.

    Attributes:
      step: its number, from 1; in a free run that of the call among its thread's, and of a look
        that of all calls so far.
      actor, name: whose it was.
      kind: "begin" of a thread, "run" of a session call, "enter" of one that then waits inside,
        "return" of that, "wake" from a wait in Python, "end" of the thread, which is no step of
        its own; "look" at a free run, which is nobody's.
      what, line: what was done, and the user's line that asked for it.
      before, after: the queues that changed, as they were and are.
      error: what it raised, as `Type: text`; "" for nothing.
      seconds: since the run began, to its end: virtual ones in a controlled run.
      standings: how each actor stands after it.
      lasts: whether a session call changed variables: work that no queue shows.
      moves: what a call moved.
      took: seconds from its beginning to its end.
      python: whether a call runs a Python function (py_func), which the interpreter's lock delays.
      cpu: of a look, the processor seconds that the process has used so far.
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
    moves: tuple[Move, ...] = ()
    took: float = 0.0
    python: bool = False
    cpu: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """This event as data of JSON, from which `from_json` makes it again."""
        return asdict(self)

    @staticmethod
    def from_json(data: dict[str, Any]) -> Event:
        """The event that `to_json` gave."""
        levels = {name: tuple(Level(**each) for each in data[name]) for name in ("before", "after")}
        standings = tuple(Standing(**each) for each in data["standings"])
        moves = tuple(
            Move(**{**each, "elements": tuple(Element(**one) for one in each["elements"])})
            for each in data["moves"]
        )
        return Event(**{**data, **levels, "standings": standings, "moves": moves})
