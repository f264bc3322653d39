"""A discrete-event simulation of queues, threads and cores.

A work that goes on is an amount that shrinks, at a speed that depends on who else works: so the
next event is the end of the one that is left with least. Queues are TensorFlow's: who came first
is served first, many elements move bit by bit, and a closed queue gives all that it holds.
"""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Iterator
from typing import NamedTuple

from queueio.schedule.whatif.cores import Load, speeds
from queueio.schedule.whatif.model import Done, Log, Model, QueueRoom, Work, Worker

PUTS, TAKES, GETS_IN = range(3)
Wait = tuple[int, str, int]
"""What a thread is in: which of the three, the queue, and how many elements."""
POOL: Wait = (GETS_IN, "", 0)
"""Into TensorFlow's pool of threads, in turn."""


def simulate(model: Model, seconds: float, seed: int = 0, calls: int = 1_000_000) -> Log:
    """Runs a model.

    Args:
      model: the pipeline; its queues begin empty.
      seconds: when to end, at the latest.
      seed: of the place at which each thread begins among the times that a work took.
      calls: after how many calls to end, at the latest.

    Returns:
      What happened.
    """
    return _Simulation(model, random.Random(seed)).until(seconds, calls)


class Busy(NamedTuple):
    """What a thread is in, where it does not wait: with what, and for how long if alone."""

    load: Load
    seconds: float


class _Queue:
    """A queue: who waits in front of it, and how much each still has to move."""

    def __init__(self, room: QueueRoom, fillers: int) -> None:
        self.room, self.fillers = room, fillers
        self.size, self.closed = 0, False
        self.putters: deque[list[int]] = deque()
        self.takers: deque[list[int]] = deque()

    def move(self) -> Iterator[int]:
        """Moves what can be moved; gives the threads that are through."""
        while True:
            put = self._serve(self.putters, self._room(), 1)
            taken = self._serve(self.takers, self._there(), -1)
            if put is None and taken is None:
                return
            yield from (each for each in (put, taken) if each is not None and each >= 0)

    def _room(self) -> int:
        return 1 << 60 if self.room.capacity < 0 else self.room.capacity - self.size

    def _there(self) -> int:
        return self.size if self.closed else max(0, self.size - self.room.kept)

    def _serve(self, waiting: deque[list[int]], most: int, sign: int) -> int | None:
        """Serves who is first: None if nothing moves, its number when it is through, else -1."""
        if not waiting or (most <= 0 and waiting[0][1] > 0):
            return None
        count = min(most, waiting[0][1])
        self.size += sign * count
        waiting[0][1] -= count
        return waiting.popleft()[0] if not waiting[0][1] else -1


class _Simulation:
    """A simulation."""

    def __init__(self, model: Model, chance: random.Random) -> None:
        self._model, self._chance, self._now = model, chance, 0.0
        fills = Counter(queue for worker in model.workers for queue in _filled(worker))
        self._queues = {name: _Queue(room, fills[name]) for name, room in model.queues.items()}
        self._log = Log(levels={name: [(0.0, 0)] for name in model.queues})
        self._left: dict[int, float] = {}
        self._inside, self._outside = 0, deque[int]()
        self._at: dict[tuple[int, int], int] = {}
        self._loads: dict[int, Load] = {}
        self._known: dict[tuple[Load, ...], list[float]] = {}
        self._ready: deque[int] = deque()
        self._steps = [self._life(n, worker) for n, worker in enumerate(model.workers)]

    def until(self, seconds: float, calls: int) -> Log:
        """Runs so long, or until nobody can go on."""
        self._ready.extend(range(len(self._steps)))
        while self._now < seconds and len(self._log.calls) < calls:
            while self._ready:
                self._go_on(self._ready.popleft())
            if not self._left:
                break
            self._pass_time(seconds)
        self._log.seconds = self._now
        return self._log

    def _life(self, number: int, worker: Worker) -> Iterator[Wait | Busy]:
        """What a thread does from its beginning to its end."""
        if worker.begins:
            yield Busy(Load(0.0), worker.begins)
        made, last = 0, -1.0
        while worker.ends_after is None or made < worker.ends_after:
            call = worker.calls[made % len(worker.calls)]
            yield from self._parts(number, call.before)
            began = self._now
            for queue, count in call.takes:
                yield TAKES, queue, count
            taken = self._now
            yield POOL
            yield from self._parts(number, call.work)
            self._leave_pool()
            worked = self._now
            for queue, count in call.puts:
                yield PUTS, queue, count
            waited = taken - began + self._now - worked
            before = began - last if last >= 0 else -1.0
            last, made = self._now, made + 1
            self._log.calls.append(
                Done(number, call.name, last, waited, worked - taken, before, call.delivers)
            )

    def _parts(self, number: int, work: Work) -> Iterator[Busy]:
        """A work: first what it sleeps, then what it computes."""
        seconds = self._next(number, work)
        asleep = seconds * max(0.0, 1.0 - work.cores)
        yield Busy(Load(0.0), asleep)
        yield Busy(Load(max(work.cores, 1.0), work.python), seconds - asleep)

    def _next(self, number: int, work: Work) -> float:
        """How long it takes this time: each thread goes on from a place of its own.

        In the order in which it was seen: a pause after each hundred steps stays one.
        """
        key, many = (number, id(work)), len(work.seconds)
        at = self._at.get(key)
        self._at[key] = (self._chance.randrange(many) if at is None else at + 1) % many
        return work.seconds[self._at[key]]

    def _go_on(self, number: int) -> None:
        step = next(self._steps[number], None)
        if step is None:
            self._end(number)
        elif isinstance(step, Busy):
            self._loads[number], self._left[number] = step
        elif step is POOL:
            self._outside.append(number)
            self._let_in()
        else:
            what, name, count = step
            queue = self._queues[name]
            (queue.takers if what == TAKES else queue.putters).append([number, count])
            self._serve(name)

    def _leave_pool(self) -> None:
        self._inside -= 1
        self._let_in()

    def _let_in(self) -> None:
        while self._outside and (not self._model.pool or self._inside < self._model.pool):
            self._inside += 1
            self._ready.append(self._outside.popleft())

    def _serve(self, name: str) -> None:
        queue = self._queues[name]
        self._ready.extend(queue.move())
        if queue.closed and queue.takers and not queue._there():
            over = [number for number, _ in queue.takers]
            queue.takers.clear()
            for number in over:
                self._end(number)
        levels = self._log.levels[name]
        if levels[-1][1] != queue.size:
            levels.append((self._now, queue.size))

    def _end(self, number: int) -> None:
        """A thread ends; the last one of a queue's closes it."""
        self._steps[number] = iter(())
        for name in _filled(self._model.workers[number]):
            queue = self._queues[name]
            queue.fillers -= 1
            if not queue.fillers:
                queue.closed = True
                self._serve(name)

    def _pass_time(self, seconds: float) -> None:
        """Until the next work is done."""
        numbers = list(self._left)
        loads = tuple(self._loads[number] for number in numbers)
        if loads not in self._known:
            self._known[loads] = speeds(loads, self._model.cores)
        pace = self._known[loads]
        step = min(self._left[n] / speed for n, speed in zip(numbers, pace, strict=True))
        step = min(step, seconds - self._now)
        self._now += step
        for number, speed in zip(numbers, pace, strict=True):
            self._left[number] -= step * speed
            if self._left[number] <= 1e-12:
                del self._left[number]
                self._ready.append(number)


def _filled(worker: Worker) -> set[str]:
    return {queue for call in worker.calls for queue, _ in call.puts}
