"""What is there for its effect: assertions, and ops that print, write files or run code.

Nothing that is written asks for what such an op gives, so each is a statement of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from queueio.emit.facts.names import origin
from queueio.graph.bodies import bodies
from queueio.graph.traits import traits_of
from queueio.graph.v1_control_flow import depths


def effects(ops: Iterable[Any]) -> list[Any]:
    """Those of `ops` (each after those that it needs) that are written as statements."""
    found, depth = [], depths(ops)
    for op, deep in depth.items():
        check = is_guard(op) or (op.type == "Assert" and deep <= _guards(op))
        if check or (deep == 0 and acts(op)):
            found.append(op)
    return found


def acts(op: Any) -> bool:
    """Whether an op, or a function that it calls, does something to the world outside."""
    if traits_of(op).effect is not None:
        return True
    return any(acts(inner) for body in bodies(op) for inner in body.graph.get_operations())


def notes(ops: Iterable[Any]) -> list[str]:
    """What is said of effects that have no place in the written code."""
    return [
        f"NOT written, though it {_words(op)}: {op.type} of {origin(op)}, which stands in a"
        " condition of the old graph."
        for op, deep in depths(ops).items()
        if deep and acts(op)
    ]


def _words(op: Any) -> str:
    effect = traits_of(op).effect
    return effect.value if effect else "has an effect"


def is_guard(op: Any) -> bool:
    """Whether an op is a cond that TF2 made of an assertion."""
    return op.type in ("If", "StatelessIf") and "AssertGuard" in op.name.rpartition("/")[2]


def _guards(op: Any) -> int:
    """How many conds of its own an assertion stands in: TF1 makes what it says only if it fails."""
    return int("AssertGuard" in op.name)
