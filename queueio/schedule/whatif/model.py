"""A pipeline as the simulation knows it, and what is logged of a run, real or simulated."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass(frozen=True)
class Work:
    """What a thread does between two waits.

    Attributes:
      seconds: how long it took, time after time, on a machine that has nothing else to do.
      cores: how many processor cores it keeps busy meanwhile, on average: 0 for sleep, 2 for an
        op that two threads compute.
      python: whether it holds the interpreter's lock while it computes.
    """

    seconds: tuple[float, ...]
    cores: float = 1.0
    python: bool = False


@dataclass(frozen=True)
class QueueCall:
    """A kind of session call: it takes, works, then puts.

    Attributes:
      name: what it does, in words.
      takes, puts: how many elements of which queue.
      before: what its thread does before it.
      work: what it does itself, its waits left out.
    """

    name: str
    takes: tuple[tuple[str, int], ...]
    puts: tuple[tuple[str, int], ...]
    before: Work
    work: Work

    @property
    def delivers(self) -> int:
        """The examples that it hands to the program; 0 for a call that passes them on."""
        return 0 if self.puts else max((count for _, count in self.takes), default=0)


@dataclass(frozen=True)
class Worker:
    """A thread.

    Attributes:
      calls: the calls that it makes, again and again from the first.
      begins: the second at which it begins.
      ends_after: the calls after which it ends; None for never.
    """

    calls: tuple[QueueCall, ...]
    begins: float = 0.0
    ends_after: int | None = None


@dataclass(frozen=True)
class QueueRoom:
    """A queue: its capacity (-1 for none), and the elements that it does not give away."""

    capacity: int = -1
    kept: int = 0


@dataclass(frozen=True)
class Model:
    """A pipeline: its queues by name, its threads, and what they share.

    Attributes:
      queues, workers: the queues by name, and the threads.
      cores: that it may use.
      pool: TensorFlow's threads that run the ops of all calls (inter_op_parallelism_threads): no
        more calls work at once. 0 for as many as there are calls.
    """

    queues: dict[str, QueueRoom]
    workers: tuple[Worker, ...]
    cores: float = 1.0
    pool: int = 0


class Done(NamedTuple):
    """A call that was made.

    Attributes:
      worker: the number of its thread.
      name: what it did.
      ended: the second of its end.
      waited, worked: seconds that it waited for queues, and worked.
      before: seconds since the end of its thread's last call; below 0 where there was none.
      examples: that it delivered.
    """

    worker: int
    name: str
    ended: float
    waited: float
    worked: float
    before: float
    examples: int


@dataclass
class Log:
    """What a run did: its calls, and by queue its level from some second on."""

    calls: list[Done] = field(default_factory=list)
    levels: dict[str, list[tuple[float, int]]] = field(default_factory=dict)
    seconds: float = 0.0
