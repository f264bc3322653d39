"""Which part of each recorded call was a wait for a queue, and which was work.

A tape tells of each call when it began and ended, and how many elements it moved. So it is known
when the element came that a taker needed last, and when the place became free that a putter
needed: before that moment it cannot have had it. What is left is work. A putter works first and
waits then: where its place became free too late, its work is not known, only its upper bound.
"""

from __future__ import annotations

import bisect
from collections import defaultdict
from collections.abc import Container, Iterable
from dataclasses import dataclass, replace
from itertools import accumulate

from queueio.schedule.events import Event, Level
from queueio.schedule.tape import Tape


@dataclass
class Parted:
    """A call, its waits parted from its work.

    Attributes:
      event: the call.
      began: when it had what it takes, or began, if it takes nothing.
      blocked: whether it may have waited for room behind its work.
    """

    event: Event
    began: float
    blocked: bool = False

    @property
    def ended(self) -> float:
        """The second of its end."""
        return self.event.seconds

    @property
    def waited(self) -> float:
        """Seconds that it waited for what it takes."""
        return self.began - (self.event.seconds - self.event.took)

    @property
    def worked(self) -> float:
        """Seconds of work, and of a wait for room if it was blocked."""
        return max(0.0, self.event.seconds - self.began)


def parted(tape: Tape) -> list[Parted]:
    """The calls of a tape that move elements, in the order of their ends.

    Args:
      tape: a run of which each call is told.

    Returns:
      The calls that succeeded, to the first moment at which a queue was seen closed: from then on
      it is not known who waits for what.
    """
    rooms = example_queues(tape)
    over = first_end(tape, rooms)
    calls = [
        Parted(replace(event, moves=moves), event.seconds - event.took)
        for event in tape.events
        if event.kind == "run" and not event.error and event.seconds <= over
        and (moves := tuple(m for m in event.moves if not m.reads and m.queue in rooms))
    ]  # fmt: skip
    for queue, level in rooms.items():
        _part(calls, queue, level)
    return calls


def example_queues(tape: Tape) -> dict[str, Level]:
    """The queues of a tape but those of names and lists, as they were seen last.

    A list is put whole, and is larger than its queue: there is always some of it left.
    """
    filled = {
        move.queue
        for event in tape.events for move in event.moves
        if not move.takes and not event.error
        and not 0 <= tape.levels[move.queue].capacity < move.count
    }  # fmt: skip
    return {
        name: level for name, level in tape.levels.items() if not level.files and name in filled
    }


def moved(event: Event, queue: str, takes: bool) -> int:
    """How many elements a call takes from a queue, or puts into it."""
    return sum(max(m.count, 0) for m in event.moves if (m.queue, m.takes) == (queue, takes))


def first_end(tape: Tape, rooms: Container[str]) -> float:
    """When a queue of examples was seen closed, or a call failed of a thread that moves some.

    A few names fit their queue: it is closed at once, and examples are made of them long after.

    Args:
      tape: a run of which each call is told.
      rooms: the names of the queues of examples.

    Returns:
      Seconds of the run; infinity where none was.
    """
    movers = {each.actor for each in tape.events if any(m.queue in rooms for m in each.moves)}
    ends = [
        event.seconds for event in tape.events
        if (event.error and event.actor in movers)
        or any(level.closed and level.name in rooms for level in event.after)
    ]  # fmt: skip
    return min(ends, default=float("inf"))


def _part(calls: list[Parted], queue: str, level: Level) -> None:
    puts = [(each, n) for each in calls if (n := moved(each.event, queue, False))]
    takes = [(each, n) for each in calls if (n := moved(each.event, queue, True))]
    takes.sort(key=lambda each: each[0].event.seconds - each[0].event.took)
    came = _sums((each.ended, n) for each, n in puts)
    for (each, _), need in zip(takes, accumulate(n for _, n in takes), strict=True):
        moment = _when(came, need + level.kept)
        each.began = min(max(each.began, moment), each.ended)
    if level.capacity < 0:
        return
    went = _sums(sorted((each.began, n) for each, n in takes))
    for (each, _), need in zip(puts, accumulate(n for _, n in puts), strict=True):
        free = _when(went, need - level.capacity, float("inf"))
        each.blocked = each.blocked or free > each.event.seconds - each.event.took


def _sums(moves: Iterable[tuple[float, int]]) -> tuple[list[float], list[int]]:
    each = list(moves)
    return [when for when, _ in each], list(accumulate(n for _, n in each))


def _when(
    moves: tuple[list[float], list[int]], count: int, unseen: float = float("-inf")
) -> float:  # fmt: skip
    """The moment at which so many had been moved; `unseen` if that was after the last call."""
    place = bisect.bisect_left(moves[1], count)
    if count <= 0:
        return float("-inf")
    return moves[0][place] if place < len(moves[0]) else unseen


def by_actor(calls: Iterable[Parted]) -> dict[str, list[Parted]]:
    """The calls of each thread, in their order."""
    found: dict[str, list[Parted]] = defaultdict(list)
    for each in calls:
        found[each.event.actor].append(each)
    return dict(found)
