"""What a free run was like between two looks, as far as its calls say so.

A look is a tenth of a second from the next, and a small script is over by then. But each call is
known, and of most what they move: from one look's level they lead to the next one's. Where they do
not (only the run knew a number, a call had moved something and was not yet back), the levels stay
those that were seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from queueio.schedule.events import Event, Level, Move, Standing
from queueio.schedule.tape import Tape


def reckoned(tape: Tape) -> Tape:
    """A free run with its levels between two looks, and with waits that end with their call.

    Args:
      tape: a run; one that is complete knows all that, and is given back.

    Returns:
      A tape of the same calls and looks.
    """
    if tape.complete:
        return tape
    found = Tape(tape.title, complete=False, end=tape.end)
    since: list[Event] = []
    for event in tape.events:
        since.append(event)
        if event.kind == "look":
            _keep(since, found)
            since = []
    _keep(since, found)
    return found


def _keep(events: Sequence[Event], tape: Tape) -> None:
    """Adds the calls behind a look, and the next look, with what each call must have changed."""
    sizes = _exact(events, tape)
    seen = {level.name: level for event in events for level in event.after}
    for event in events:
        before, after = list(event.before), list(event.after)
        for name, moved in _moved(event).items() if event.kind == "run" else ():
            if name not in sizes:
                continue
            sizes[name] += moved
            known = tape.levels.get(name) or replace(seen[name], size=0, closed=False)
            before.append(known)
            after.append(_of_size(known, sizes[name]))
        standings = (*event.standings, *_awake(event, tape.standings.get(event.actor)))
        tape.add(replace(event, before=tuple(before), after=tuple(after), standings=standings))


def _exact(events: Sequence[Event], tape: Tape) -> dict[str, int]:
    """The queues whose calls lead from one look to the next, and what the first one saw."""
    total: Counter[str] = Counter()
    for event in events:
        for name, moved in _moved(event).items():
            total[name] += moved
    unknown = {m.queue for e in events for m in e.moves if m.reads or _count(m) < 0}
    now = {**tape.levels, **{level.name: level for event in events for level in event.after}}
    first = {name: tape.levels[name].size if name in tape.levels else 0 for name in total}
    return {
        name: size
        for name, size in first.items()
        if name in now and name not in unknown and size + total[name] == now[name].size
    }


def _moved(event: Event) -> Counter[str]:
    """How many elements more a call leaves in each queue."""
    found: Counter[str] = Counter()
    for move in event.moves:
        found[move.queue] += -_count(move) if move.takes else _count(move)
    return found


def _count(move: Move) -> int:
    return move.count if move.count >= 0 else len(move.elements) or -1


def _of_size(level: Level, size: int) -> Level:
    """A level of so many, as far as it can: calls come back in another order than they moved."""
    room = size if level.capacity < 0 else level.capacity
    return replace(level, size=max(0, min(size, room)))


def _awake(event: Event, known: Standing | None) -> Iterator[Standing]:
    """Who waited when it was looked at, and has come back since, waits no more."""
    if event.kind == "run" and known is not None and known.waits:
        yield replace(known, state="running", what="", line="", why="", queue="")
