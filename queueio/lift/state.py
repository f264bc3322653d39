"""Whether the state that a pipeline reads is its own: refused when later stages write it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from queueio.lift.bodies import definition_of
from queueio.lift.refusal import refuse

_WRITES = re.compile(r"Assign|Apply|(?<!Tensor)Scatter|CountUpTo|LookupTable(Insert|Import|Remove)")
_SETS_TABLE = re.compile(r"InitializeTable|LookupTableImport")


def is_state(op: Any) -> bool:
    """Whether an op is a variable or a table."""
    return bool(re.search(r"^(VarHandleOp|Variable(V2)?|.*HashTable(OfTensors)?(V2)?)$", op.type))


def check_unwritten(state: Any, allowed: frozenset[Any] = frozenset()) -> None:
    """Refuses a variable or table that anything but its initialisation may change.

    Args:
      state: the op that makes the variable or table.
      allowed: writers that are the pipeline's own (an epoch counter's CountUpTo).
    """
    for tensor in state.outputs:
        for op in tensor.consumers():
            if op in allowed or not _may_write(op) or _initialises(op, state):
                continue
            raise refuse(
                op,
                f"it writes {state.name!r}, which the pipeline reads: the order of those reads"
                " and writes is not in the graph",
                "Feed the pipeline from state that does not change while it runs",
            )


def _may_write(op: Any) -> bool:
    if "Dataset" in op.type:  # what was lifted from this graph already; it was checked then
        return False
    return any(kind is None or _WRITES.search(kind) for kind in _run_by(op))


def _run_by(op: Any) -> Iterator[str | None]:
    """The types of the op and of all ops in the functions that it calls; None for unknown ones."""
    waiting, seen = [op.node_def], set[str]()
    while waiting:
        node = waiting.pop()
        yield node.op
        attributes = node.attr.values()
        called = [a.func for a in attributes if a.HasField("func")]
        called += [function for a in attributes for function in a.list.func]
        for name in {function.name for function in called} - seen:
            seen.add(name)
            definition = definition_of(op.graph, name)
            if definition is None:
                yield None
            else:
                waiting += definition.node_def


def _initialises(op: Any, state: Any) -> bool:
    """The initialiser (by TensorFlow's own naming), a table's initialiser, or a restore."""
    if op.type.startswith("Assign") and re.fullmatch(
        re.escape(state.name) + r"/(Assign|Initializer/.*)", op.name
    ):
        return True
    if _SETS_TABLE.search(op.type):
        return True
    return op.type in ("Assign", "AssignVariableOp") and _restored(op.inputs[1])


def _restored(value: Any) -> bool:
    for _ in range(8):
        if value.op.type.startswith("Restore"):
            return True
        if not value.op.inputs:
            return False
        value = value.op.inputs[0]
    return False
