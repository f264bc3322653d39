"""An element torn apart: its image from one dequeue, its label from another.

Every call of a session takes new elements, and within a call every dequeue op takes its own. So
`sess.run(images)` and then `sess.run(labels)` return a picture and somebody else's label; TF1 never
said so, and the model just does not learn.

Said only where nobody can have meant it: nothing is trained by the calls, the parts taken do not
overlap, and either one call takes them by two ops or four calls take them in turn. Only the first
calls of a session are looked at; a program that tears elements does it from the start.
"""

from __future__ import annotations

from threading import get_ident
from typing import Any

import tensorflow.compat.v1 as tf

from queueio.errors import TornElementWarning, message
from queueio.graph.origin import line_of_thread, origin, warn_at
from queueio.graph.traversal import is_enqueue, is_read, is_take, op_of, run_by, taken_from
from queueio.runtime import ledger
from queueio.runtime.calls import SessionCall

LOOKED_AT = 100
"""Calls of a session that are looked at."""

_Parts = dict[Any, frozenset[int]]
"""The components that each op takes of its elements."""


class Taken:
    """What the first calls of a session took: `turns` holds the latest parts of each source."""

    def __init__(self) -> None:
        self.looks = LOOKED_AT
        self.known: dict[tuple[str, ...], dict[str, _Parts]] = {}
        self.turns: dict[tuple[str, int], list[_Parts]] = {}


def look(call: SessionCall) -> bool:
    """Warn, once in a session, when a call, or it and those before it, take elements apart.

    Returns whether the session is not looked at any more.
    """
    record = ledger.of(call.session)
    taken = record.taken = record.taken or Taken()
    if taken.looks <= 0:
        return True
    taken.looks -= 1
    try:
        _look(taken, call)
    except TornElementWarning:  # the user turned warnings into errors
        raise
    except Exception as failure:  # a diagnosis may fail, the program may not
        tf.logging.vlog(1, "queueio could not look at %r: %r", call.fetches, failure)
    return False


def _look(taken: Taken, call: SessionCall) -> None:
    for source, parts in _sources(taken, call).items():
        turns = taken.turns.setdefault((source, get_ident()), [])
        turns.append(parts)
        del turns[:-4]
        if len(parts) > 1 and not frozenset.intersection(*parts.values()):
            taken.looks = 0
            _warn(list(parts.items()), "one call", "every dequeue and read takes its own elements")
        elif _in_turn(turns):
            taken.looks = 0
            both = [item for turn in turns[-2:] for item in turn.items()]
            _warn(both, "two calls in turn", "every call takes new elements")


def _in_turn(turns: list[_Parts]) -> bool:
    """Whether the last four calls took A, B, A and B, which have nothing in common."""
    if len(turns) < 4 or any(len(turn) > 1 for turn in turns):
        return False
    first, second, third, fourth = (next(iter(turn.values())) for turn in turns)
    return first == third and second == fourth and not first & second


def _sources(taken: Taken, call: SessionCall) -> dict[str, _Parts]:
    if call.key not in taken.known:
        taken.known[call.key] = _parts(call.fetched(), call.fed())
    return taken.known[call.key]


def _parts(items: list[Any], fed: set[Any]) -> dict[str, _Parts]:
    """By queue or reader: what each op of a call takes from it. Nothing for a call that trains."""
    ops = run_by(items, fed)
    if any("Assign" in op.type or "Apply" in op.type or is_enqueue(op) for op in ops):
        return {}
    takers = [op for op in ops if is_take(op) and len(op.outputs) > 1]
    used: dict[Any, set[int]] = {op: set() for op in takers}
    for tensor in [*items, *(tensor for op in ops for tensor in op.inputs)]:
        if op_of(tensor) in used and hasattr(tensor, "value_index"):
            used[op_of(tensor)].add(tensor.value_index)
    found: dict[str, _Parts] = {}
    for op, parts in used.items():
        source = op.inputs[0].op if is_read(op) else taken_from(op)
        if parts and source is not None and op._get_control_flow_context() is None:
            found.setdefault(source.name, {})[op] = frozenset(parts)
    return found


def _together(ops: list[Any]) -> str:
    """What gives both parts of one element: a call, or where that is not enough, one op."""
    if len(set(ops)) == 1:
        return "images, labels = sess.run([images, labels])"
    if is_read(ops[0]):
        return "key, value = reader.read(queue)"
    return "images, labels = queue.dequeue()"


def _warn(parts: list[tuple[Any, frozenset[int]]], who: str, why: str) -> None:
    taken = " and ".join(
        f"{', '.join(op.outputs[n].name for n in sorted(which))} ({origin(op)})"
        for op, which in parts
    )
    text = message(
        f"{who} took {taken}, from different elements",
        f"{why}, so they do not belong together",
        "Fetch in one call all that belongs together, from one dequeue or read",
        right=_together([op for op, _ in parts]),
    )
    warn_at(line_of_thread(get_ident()), text, TornElementWarning)
