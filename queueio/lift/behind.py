"""What a program makes of its batches before they meet its model: ops behind the last dequeue."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from queueio.graph.origin import Origin, origin
from queueio.graph.traits import op_def_of

# They say nothing of what becomes of the examples, or are no part of the way to the model.
_SAYS_LITTLE = re.compile(
    "Const|Identity(N)?|Shape(N)?|Size|Rank|NoOp|ZerosLike|OnesLike|Fill|Assert|.*Summary(V2)?"
)
_GRADIENTS = re.compile("(^|/)gradients(_[0-9]+)?/")


def made_of(tensors: Iterable[Any], graph: Any) -> list[Any]:
    """The ops that work on these tensors, constants and random numbers, and nothing else.

    So no op of the model is among them: those take variables too.
    """
    found: list[Any] = []
    free: set[Any] = set()
    made = {tensor.ref() for tensor in tensors}
    for op in graph.get_operations():  # each stands behind those that it needs, loops aside
        inputs = {tensor.ref() for tensor in op.inputs}
        own = {tensor.ref() for tensor in op.outputs}
        if own & made:
            continue
        if op.type == "Const" or (inputs and inputs <= free and _computes(op)):
            free |= own
        elif inputs and inputs <= free | made and _computes(op):
            made |= own
            if not _SAYS_LITTLE.fullmatch(op.type) and not _GRADIENTS.search(op.name):
                found.append(op)
    return found


def by_line(ops: Iterable[Any]) -> dict[Origin, list[str]]:
    """The types of ops, by the line of the program that made them."""
    lines: dict[Origin, list[str]] = {}
    for op in ops:
        kinds = lines.setdefault(origin(op), [])
        if op.type not in kinds:
            kinds.append(op.type)
    return lines


def _computes(op: Any) -> bool:
    """Whether an op has no state but its random numbers, or that of a function of the program."""
    own = "seed2" in op.node_def.attr or "PyFunc" in op.type
    return own or not op_def_of(op).is_stateful
