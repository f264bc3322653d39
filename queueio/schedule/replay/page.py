"""The replay page of a tape: data for `replay.js`, and all of it in one HTML file.

Names and values come from the user's program: in the data nothing can end the element that holds
it, the script writes text and no markup, and the page's policy forbids all but that very script.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Iterable
from importlib import resources
from typing import Any

from queueio.schedule.events import Event
from queueio.schedule.plain import short_name, told_event
from queueio.schedule.replay.reckoned import reckoned
from queueio.schedule.tape import Tape
from queueio.schedule.ways import Ways

STAYS = 200_000
"""Elements that are followed at most, the first ones."""


def to_html(tape: Tape) -> str:
    """The page's text.

    Args:
      tape: the run.
    """
    style, script = _part("replay.css"), _part("replay.js")
    parts = {
        "{{policy}}": policy(),
        "{{title}}": html.escape(tape.title or "a run"),
        "{{style}}": style,
        "{{data}}": in_script(payload(tape)),
        "{{script}}": script,
    }
    before, *rest = _part("replay.html").split("{{")
    pieces = [before]
    for part in rest:  # one pass: what is put in is not looked at again
        name, after = part.split("}}", 1)
        pieces += [parts[f"{{{{{name}}}}}"], after]
    return "".join(pieces)


def policy() -> str:
    """What the page may do: run that very script, and nothing from elsewhere."""
    digest = base64.b64encode(hashlib.sha256(_part("replay.js").encode()).digest()).decode()
    return (
        "default-src 'none'; img-src data:; style-src 'unsafe-inline';"
        f" script-src 'sha256-{digest}'"
    )


def _part(name: str) -> str:
    return resources.files("queueio.schedule.replay").joinpath(name).read_text(encoding="utf-8")


def in_script(data: Any) -> str:
    """JSON that may stand in an HTML script element, whatever its strings hold."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


class _Strings:
    """Texts, each kept once."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {"": 0}

    def __call__(self, text: str) -> int:
        return self.known.setdefault(text, len(self.known))


def payload(tape: Tape) -> dict[str, Any]:
    """The tape as columns, which are small and quick to search.

    Args:
      tape: the run.

    Returns:
      Data of JSON: `queues`, `actors` and `pipes`; `events`, `levels`, `standings` and `stays` by
      columns, in which texts are numbers of `strings`.
    """
    text, tape = _Strings(), reckoned(tape)
    queues = {name: number for number, name in enumerate(tape.queues())}
    actors = {letter: number for number, (letter, _) in enumerate(tape.actors())}
    pipes, pipe_of = _pipes(tape.events, queues, actors)
    found = {
        "title": tape.title,
        "end": tape.end,
        "complete": tape.complete,
        "queues": [_queue(tape, name) for name in queues],
        "actors": [{"letter": a, "name": short_name(n), "full": n} for a, n in tape.actors()],
        "pipes": pipes,
        "events": _events(tape, actors, pipe_of, text),
        "levels": _levels(tape.events, queues),
        "standings": _standings(tape.events, actors, text),
        "stays": _stays(tape, queues, text),
    }
    return {**found, "strings": list(text.known)}


def _queue(tape: Tape, name: str) -> dict[str, Any]:
    level = tape.levels.get(name)
    known = (level.capacity, level.kept, level.files) if level else (-1, 0, False)
    return {"name": name, **dict(zip(("capacity", "kept", "files"), known, strict=True))}


def _pipes(
    events: Iterable[Event], queues: dict[str, int], actors: dict[str, int]
) -> tuple[list[dict[str, Any]], list[int]]:
    """The ways that elements go: from which queues into which, and who moves them; by event."""
    found: dict[Any, dict[str, Any]] = {}
    of: list[int] = []
    places: dict[Any, int] = {}
    for event in events:
        takes = tuple(dict.fromkeys(queues[m.queue] for m in event.moves if m.takes))
        puts = tuple(dict.fromkeys(queues[m.queue] for m in event.moves if not m.takes))
        if not (takes or puts):
            of.append(-1)
            continue
        pipe = found.setdefault((takes, puts), {"takes": takes, "puts": puts, "actors": []})
        places.setdefault((takes, puts), len(places))
        if actors[event.actor] not in pipe["actors"]:
            pipe["actors"].append(actors[event.actor])
        of.append(places[takes, puts])
    return list(found.values()), of


def _events(
    tape: Tape, actors: dict[str, int], pipes: list[int], text: _Strings
) -> dict[str, list[Any]]:
    return {
        "seconds": [round(e.seconds, 6) for e in tape.events],
        "step": [e.step for e in tape.events],
        "actor": [actors.get(e.actor, -1) for e in tape.events],
        "told": [text(_told(e)) for e in tape.events],
        "line": [text(e.line) for e in tape.events],
        "error": [text(e.error) for e in tape.events],
        "pipe": pipes,
        "count": [_count(e) for e in tape.events],
    }


def _told(event: Event) -> str:
    """What was done, without what the page shows besides: number, actor, levels, line."""
    if event.kind == "look":
        return "a look at all queues"
    return told_event(event, bare=True)


def _count(event: Event) -> int:
    """How many elements moved, at most in one queue; 0 where none did."""
    return max([0, *(max(move.count, len(move.elements)) for move in event.moves)])


def _levels(events: list[Event], queues: dict[str, int]) -> list[list[list[int]]]:
    """By queue: the places of the events that changed it, its sizes, whether it is closed."""
    found: list[list[list[int]]] = [[[], [], []] for _ in queues]
    for place, event in enumerate(events):
        for level in event.after:
            columns = found[queues[level.name]]
            for column, value in zip(columns, (place, level.size, level.closed), strict=True):
                column.append(int(value))
    return found


def _standings(events: list[Event], actors: dict[str, int], text: _Strings) -> list[list[Any]]:
    """By actor: the places of events, its state, whether it waits, what, why, where."""
    found: list[list[list[int]]] = [[[] for _ in range(6)] for _ in actors]
    last: dict[int, tuple[int, ...]] = {}
    for place, event in enumerate(events):
        for each in event.standings:
            actor = actors[each.actor]
            words = (each.what, each.why, each.line)
            now = (text(each.state), int(each.waits), *map(text, words))
            if last.get(actor) != now:
                last[actor] = now
                for column, value in zip(found[actor], (place, *now), strict=True):
                    column.append(value)
    return found


def _stays(tape: Tape, queues: dict[str, int], text: _Strings) -> dict[str, list[Any]]:
    stays = Ways(tape).stays[:STAYS]
    return {
        "queue": [queues[s.queue] for s in stays],
        "put": [s.put for s in stays],
        "taken": [s.taken for s in stays],
        "shown": [text(s.element.shown) for s in stays],
        "key": [text(s.element.key) for s in stays],
        "epoch": [s.epoch for s in stays],
        "parents": [s.parents for s in stays],
    }
