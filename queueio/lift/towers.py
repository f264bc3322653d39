"""Dequeues that take of one queue side by side in one session call, as the towers of a model do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from queueio.graph.static_values import static_value
from queueio.graph.traversal import is_dequeue, upstream


def towers(points: Iterable[Any]) -> list[list[Any]]:
    """The points where a stream enters: dequeues alike of one queue together, others alone."""
    found: dict[Any, list[Any]] = {}
    for op in points:
        found.setdefault(_what_is_taken(op) if is_dequeue(op) else op, []).append(op)
    return list(found.values())


def _what_is_taken(op: Any) -> Any:
    """Of which queue, in which way, how much; the op itself where only a session knows that."""
    known = [static_value(size) for size in list(op.inputs)[1:]]
    if any(size is None for size in known):
        return op
    return upstream(op), op.type, tuple(map(int, known))


def of_one_step(points: Iterable[Any]) -> list[list[Any]]:
    """The points where a stream enters, those together that some op of the model needs all."""
    found: list[list[Any]] = []
    for group in towers(points):
        whole = len(group) > 1 and set.intersection(*map(_needed_by, group))
        found += [group] if whole else [[op] for op in group]
    return found


def _needed_by(op: Any) -> set[Any]:
    """The ops that an op runs before; summaries, merged, are no step of a model."""
    waiting, seen = [op], set[Any]()
    while waiting:
        current = waiting.pop()
        users = [user for tensor in current.outputs for user in tensor.consumers()]
        for user in (*users, *current._control_outputs):
            if user not in seen and "Summary" not in user.type:
                seen.add(user)
                waiting.append(user)
    return seen
