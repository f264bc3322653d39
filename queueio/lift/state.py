"""Whether the state that a pipeline reads is its own: refused when later stages write it."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from typing import Any

from queueio.graph.bodies import nodes_run_by
from queueio.graph.handled import handling
from queueio.graph.index import INSTEAD
from queueio.graph.refusal import refuse
from queueio.graph.session_state import held_by
from queueio.graph.traits import UNKNOWN, State, op_def_of, row_of
from queueio.graph.traversal import ancestors, is_handle


def is_state(op: Any) -> bool:
    """Whether an op is a variable or a table."""
    return row_of(op.type).makes in ("variable", "table")


def check_unwritten(state: Any, counted: Any = None) -> None:
    """Refuses a variable or table that anything but its initialisation may change.

    Args:
      state: the op that makes the variable or table.
      counted: the op that counts up the variable, if the pipeline does not read it otherwise.
    """
    does = "reads" if counted is None else "counts"
    for user in users_of(state):
        if user is not counted and _may_write(user) and not _initialises(user, state):
            raise refuse(
                user,
                f"it writes {state.name!r}, which the pipeline {does}: the order of those {does}"
                " and writes is not in the graph",
                "Feed the pipeline from state that does not change while it runs",
            )


def writers(state: Any) -> Iterator[Any]:
    """The ops that may change a variable or table."""
    return filter(_may_write, users_of(state))


def sets_anew(op: Any, state: Any, fed: Container[Any]) -> bool:
    """Whether all that an op writes to a variable or table is what it held from the beginning.

    Args:
      op: one of its `writers`.
      state: the op that makes the variable or table.
      fed: the ops whose outputs a session call gives.
    """
    if not _initialises(op, state):
        return False
    behind = ancestors([tensor.op for tensor in list(op.inputs)[1:]])
    return not any(o in fed or op_def_of(o).is_stateful or row_of(o.type).restores for o in behind)


def users_of(state: Any) -> Iterator[Any]:
    """The ops that take the handle of a variable or table, whichever op made the handle."""
    same = held_by(state)
    waiting = [
        tensor
        for op in handling(state.graph)
        if op.type == state.type and held_by(op) == same
        for tensor in op.outputs
    ]
    while waiting:
        for op in waiting.pop().consumers():
            yield op
            if row_of(op.type).hands_on:
                waiting += filter(is_handle, op.outputs)


def _may_write(op: Any) -> bool:
    # What was lifted from this graph already was checked then; what runs it, does so at its end.
    if "Dataset" in op.type or INSTEAD in op.name:
        return False
    return any(node is None or _writes(node.op) for node in nodes_run_by(op))


def _writes(op_type: str) -> bool:
    """Whether an op of this type may change a variable or table."""
    row = row_of(op_type)
    return row is UNKNOWN or (
        row.state is State.WRITES and not op_type.startswith(("Queue", "Reader"))
    )


def _initialises(op: Any, state: Any) -> bool:
    """The initialiser (by TensorFlow's own naming), a table's initialiser, or a restore."""
    if op.type.startswith("Assign") and re.fullmatch(
        re.escape(state.name) + r"/(Assign|Initializer/.*)", op.name
    ):
        return True
    if row_of(op.type).fills:
        return True
    return op.type in ("Assign", "AssignVariableOp") and _restored(op.inputs[1])


def _restored(value: Any) -> bool:
    for _ in range(8):
        if row_of(value.op.type).restores:
            return True
        if not value.op.inputs:
            return False
        value = value.op.inputs[0]
    return False
