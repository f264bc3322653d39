"""What is there for its effect: assertions, and ops that print, write files or run code.

Nothing that is written asks for what such an op gives, so each is a statement of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from queueio.emit.facts.names import origin
from queueio.graph.bodies import bodies
from queueio.graph.traits import row_of, traits_of
from queueio.graph.traversal import parents, root
from queueio.graph.v1_control_flow import MERGE, SWITCH, depths


def effects(ops: Iterable[Any]) -> list[Any]:
    """Those of `ops` (each after those that it needs) that are written as statements."""
    found, depth = [], depths(ops)
    for op, deep in depth.items():
        check = is_guard(op) or (row_of(op.type).checks and deep <= _guards(op))
        if check or (deep == 0 and acts(op)):
            found.append(op)
    return found


def checks_of_branch(ops: Iterable[Any], unit: Any, number: int) -> list[Any]:
    """The assertions among `ops` that stand in a branch of a cond of TF1's kind, and no deeper.

    Args:
      ops: those of the fragment, each after those that it needs.
      unit: the cond, with its predicate and its merges.
      number: the predicate's value there, 0 or 1.
    """
    scope = unit.op.name.rpartition("/")[0]
    checks = (op for op in ops if row_of(op.type).checks and op.name.startswith(f"{scope}/"))
    return [op for op in checks if _branch(op) == (id(unit.predicate), number)]


def checks_within(ops: Iterable[Any], written: Iterable[Any]) -> list[Any]:
    """The assertions among `ops` in the branches of those conds of TF1's kind that are written.

    `effects` leaves them out, for they are written with their branch (`checks_of_branch`).
    """
    written = list(written)
    scopes = tuple(f"{op.name.rpartition('/')[0]}/" for op in written if op.type in MERGE)
    predicates = {id(root(op.inputs[1])) for op in written if op.type in SWITCH}
    checks = [op for op in ops if row_of(op.type).checks and op.name.startswith(scopes)]
    return [op for op in checks if (branch := _branch(op)) and branch[0] in predicates]


def _branch(op: Any) -> tuple[int, int] | None:
    """The cond whose branch an assertion stands in, but for one of its own: predicate and side."""
    own, waiting = _guards(op), [op]
    while waiting:
        entered = _entered(waiting)
        if entered is None or not own:
            break
        own, waiting = own - 1, [entered.op.inputs[0].op]
    return None if entered is None else (id(root(entered.op.inputs[1])), entered.value_index)


def _entered(ops: list[Any]) -> Any:
    """The end of a Switch by which what `ops` work on came into their branch.

    All that comes in does so by such a one; behind a Merge there are branches within it.
    """
    waiting = [(op, 0) for op in ops]
    seen = set(waiting)
    while waiting:
        op, deep = waiting.pop()
        deep += op.type in MERGE
        for tensor in op.inputs:
            if tensor.op.type in SWITCH and not deep:
                return tensor
        below = deep - (op.type in SWITCH)
        for other in parents(op):
            if (other, below) not in seen:
                seen.add((other, below))
                waiting.append((other, below))
    return None


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
