"""The figures of a run, recorded or simulated: its rate, levels and waits, once it has settled."""

from __future__ import annotations

import statistics
from collections import defaultdict
from typing import NamedTuple

from queueio.schedule.tape import Tape
from queueio.schedule.whatif.model import Done, Log
from queueio.schedule.whatif.waits import by_actor, parted

SETTLING = 0.3
"""The part of a run, from its first delivery on, that is not measured."""


class Filling(NamedTuple):
    """A queue's level: its mean over time, the least and the most."""

    mean: float
    least: int
    most: int


class Figures(NamedTuple):
    """What a run came to.

    Attributes:
      examples, steps: that were delivered in a second.
      levels: by queue.
      waits: by kind of call, the share of its threads' time that they waited for a queue.
      threads: by kind of call, how many threads made it.
      program: the kinds of call that deliver to the program.
    """

    examples: float
    steps: float
    levels: dict[str, Filling]
    waits: dict[str, float]
    threads: dict[str, int]
    program: tuple[str, ...]


def figures(log: Log) -> Figures:
    """The figures of what a log holds.

    Args:
      log: of a run.

    Returns:
      The figures, those of the time after it has settled.
    """
    delivered = [done for done in log.calls if done.examples]
    first = delivered[0].ended if delivered else 0.0
    begin = first + SETTLING * (log.seconds - first)
    rates = [done for done in delivered if done.ended > begin]
    long = max(log.seconds - begin, 1e-9)
    calls = [done for done in log.calls if done.ended > begin]
    threads: dict[str, set[int]] = defaultdict(set)
    for done in calls:
        threads[done.name].add(done.worker)
    return Figures(
        sum(done.examples for done in rates) / long,
        len(rates) / long,
        {name: _filling(seen, begin, log.seconds) for name, seen in log.levels.items()},
        {name: _wait_share(calls, name) for name in threads},
        {name: len(each) for name, each in threads.items()},
        tuple(dict.fromkeys(done.name for done in rates)),
    )


def _wait_share(calls: list[Done], name: str) -> float:
    mine = [done for done in calls if done.name == name]
    whole = sum(done.waited + done.worked + max(done.before, 0.0) for done in mine)
    return sum(done.waited for done in mine) / whole if whole else 0.0


def _filling(seen: list[tuple[float, int]], begin: float, end: float) -> Filling:
    before = [size for when, size in seen if when <= begin][-1:]
    inside = [(begin, size) for size in before] + [each for each in seen if begin < each[0] <= end]
    if not inside:
        return Filling(0.0, 0, 0)
    ends = [when for when, _ in inside[1:]] + [end]
    area = sum(size * (until - when) for (when, size), until in zip(inside, ends, strict=True))
    sizes = [size for _, size in inside]
    return Filling(area / max(end - inside[0][0], 1e-9), min(sizes), max(sizes))


def log_of(tape: Tape) -> Log:
    """What a tape holds, in the form of a simulation's log.

    Args:
      tape: a free run of which each call is told.

    Returns:
      The log: a putter that was blocked has waited for what it took beyond the usual.
    """
    calls = parted(tape)
    usual = {
        name: statistics.median(each.worked for each in calls
                                if each.event.what == name and not each.blocked)
        for name in {each.event.what for each in calls if not each.blocked}
    }  # fmt: skip
    log = Log(seconds=max((each.ended for each in calls), default=0.0))
    for number, mine in enumerate(by_actor(calls).values()):
        last = -1.0
        for each in mine:
            event = each.event
            late = max(0.0, each.worked - usual.get(event.what, 0.0)) if each.blocked else 0.0
            delivers = not any(not m.takes for m in event.moves)
            examples = max((m.count for m in event.moves), default=0)
            began = event.seconds - event.took
            log.calls.append(Done(
                number, event.what, event.seconds, each.waited + late, each.worked - late,
                began - last if last >= 0 else -1.0, examples if delivers else 0,
            ))  # fmt: skip
            last = event.seconds
    log.calls.sort(key=lambda done: done.ended)
    for event in tape.events:
        for level in event.after:
            if not level.files:
                log.levels.setdefault(level.name, []).append((event.seconds, level.size))
    return log
