"""A run as a trace in Chrome's format, which Perfetto and chrome://tracing open.

A track for each thread: its calls, and its waits with their reason; each queue's level is a
counter, the end of a queue and an error are instants. Seconds of a controlled run are virtual.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from queueio.schedule.events import Event, Level, Standing
from queueio.schedule.plain import short_name
from queueio.schedule.tape import Tape

PROCESS = 1
QUEUES = 0
"""The track of what happens to queues."""
_VERBS = {"wake": "goes on after ", "begin": "begins", "enter": "begins: ", "return": "ends: "}
Record = dict[str, Any]


def to_json(tape: Tape) -> str:
    """The trace's text: an object with `traceEvents`.

    Args:
      tape: the run.
    """
    return json.dumps({
        "displayTimeUnit": "ms",
        "otherData": {"program": tape.title, "end": tape.end, "by": "queueio"},
        "traceEvents": [*_names(tape), *sorted(_records(tape), key=_place)],
    })  # fmt: skip


def _place(record: Record) -> tuple[float, float]:
    """By their beginning, what lasts longer first: a wait lies in its call."""
    return record["ts"], -record.get("dur", 0.0)


def _names(tape: Tape) -> Iterator[Record]:
    yield _meta("process_name", QUEUES, tape.title or "queueio")
    yield _meta("thread_name", QUEUES, "queues")
    for number, (letter, name) in enumerate(tape.actors(), 1):
        yield _meta("thread_name", number, f"{letter} {short_name(name)}")
        yield {**_meta("thread_sort_index", number, ""), "args": {"sort_index": number}}


def _meta(what: str, track: int, name: str) -> Record:
    return {"name": what, "ph": "M", "ts": 0, "pid": PROCESS, "tid": track, "args": {"name": name}}


def _records(tape: Tape) -> Iterator[Record]:
    tracks = {letter: number for number, (letter, _) in enumerate(tape.actors(), 1)}
    for event in tape.events:
        if event.kind not in ("look", "end"):
            yield _call(event, tracks[event.actor])
        if event.error:
            yield _instant(event.error, tracks[event.actor], event.seconds, "t")
        for before, after in zip(event.before, event.after, strict=True):
            yield from _level(before, after, event.seconds)
    for standing, began, ended in waits(tape):
        yield _slice(
            f"waits: {standing.why or standing.what}", tracks[standing.actor], began, ended,
            {"for": standing.what, "queue": standing.queue, "line": standing.line}, "wait",
        )  # fmt: skip


def _call(event: Event, track: int) -> Record:
    args = {"step": event.step, "line": event.line}
    for move in event.moves:
        verb = "from" if move.takes else "into"
        args[f"{verb} {move.queue}"] = [each.key or each.shown for each in move.elements][:8]
    name = _VERBS.get(event.kind, "") + ("" if event.kind == "begin" else event.what or "a wait")
    return _slice(name, track, event.seconds - event.took, event.seconds, args, event.kind)


def _slice(
    name: str, track: int, began: float, ended: float, args: Record, category: str
) -> Record:
    first = round(began * 1e6, 3)
    return {"name": name, "cat": category, "ph": "X", "ts": first, "pid": PROCESS, "tid": track,
            "dur": max(round(ended * 1e6 - first, 3), 0.0), "args": args}  # fmt: skip


def _instant(name: str, track: int, seconds: float, scope: str) -> Record:
    return {"name": name, "ph": "i", "s": scope, "ts": round(seconds * 1e6, 3), "pid": PROCESS,
            "tid": track, "args": {}}  # fmt: skip


def _level(before: Level, after: Level, seconds: float) -> Iterator[Record]:
    yield {"name": after.name, "ph": "C", "ts": round(seconds * 1e6, 3), "pid": PROCESS,
           "tid": QUEUES, "args": {"elements": after.size}}  # fmt: skip
    if after.closed and not before.closed:
        yield _instant(f"{after.name} closes", QUEUES, seconds, "p")


def waits(tape: Tape) -> Iterator[tuple[Standing, float, float]]:
    """Who waited, from when to when.

    Args:
      tape: the run. A free one saw waits when it looked: they begin there at the earliest, and end
        with the call that waited.
    """
    since: dict[str, tuple[Standing, float]] = {}
    now = 0.0
    for event in tape.events:
        now = max(now, event.seconds)
        changed = {standing.actor: standing for standing in event.standings}
        for actor in sorted({*changed, event.actor} & since.keys()):
            standing, began = since[actor]
            if changed.get(actor) == standing and event.kind == "look":
                continue
            del since[actor]
            own = event.actor == actor and tape.complete
            yield standing, began, max(began, event.seconds - (event.took if own else 0.0))
            if own and actor not in changed:
                since[actor] = (standing, event.seconds)
        since.update(
            {actor: (each, event.seconds) for actor, each in changed.items()
             if each.waits and actor not in since}
        )  # fmt: skip
    for standing, began in since.values():
        yield standing, began, now
