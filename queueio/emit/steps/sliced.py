"""Numbers of rows that only pick rows from constants: a stream of the rows themselves.

    Transform(gather(rows, n), …)(Queue(Source(range)))  ─▶  Transform(…)(Queue(Source(rows)))

That is what TF1's `slice_input_producer` made of its lists.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import tensorflow as tf

from queueio.emit.facts.names import CALLED, assigned, origin, own_name
from queueio.emit.fragment.state import known_of
from queueio.emit.steps.rows import count_of
from queueio.graph.fragment import Fragment
from queueio.graph.traversal import root
from queueio.plan.node import Node, with_inputs


def with_rows(node: Node) -> Node:
    """The plan under `node` with rows in place of numbers wherever these do nothing else."""
    gathers = _gathers(node)
    return _picked(node, gathers) if gathers else with_inputs(node, with_rows)


def _gathers(node: Any) -> list[Any]:
    """The ops that pick the rows, if nothing else takes the number."""
    source = node.only_input.only_input if node.maps else None
    count = count_of(source) if source is not None and source.evaluates else None
    if count is None or len(node.fragment.inputs) != 1:
        return []
    number = node.fragment.inputs[0]
    taking = [op for op in node.fragment.ops if any(root(t) is number for t in op.inputs)]
    if any(root(t) is number for t in node.fragment.outputs):
        return []
    return taking if all(_picks(op, number, count) for op in taking) else []


def _picks(op: tf.Operation, number: Any, count: int) -> bool:
    if op.type not in ("Gather", "GatherV2") or root(op.inputs[1]) is not number:
        return False
    axis = 0 if op.type == "Gather" else known_of(op.inputs[2])
    rows = known_of(op.inputs[0])
    batches = op.type == "GatherV2" and op.node_def.attr["batch_dims"].i
    return axis == 0 and not batches and rows is not None and len(rows) == count


def _picked(node: Any, gathers: list[Any]) -> Node:
    queue, source = node.input, node.input.input
    _call(gathers)
    elements = tuple(tf.TensorSpec(op.outputs[0].shape, op.outputs[0].dtype) for op in gathers)
    rows = Fragment.between((), [op.inputs[0] for op in gathers])
    below = dataclasses.replace(source, elements=elements, fragment=rows)
    fragment = Fragment.between(
        [op.outputs[0] for op in gathers], node.fragment.outputs, node.fragment.captures
    )
    picked: Node = dataclasses.replace(
        node,
        input=dataclasses.replace(queue, input=below, elements=elements),
        fragment=fragment,
        takes=tuple(range(len(gathers))),
    )
    return picked


def _call(gathers: list[Any]) -> None:
    """Remembers names: of `name, label = slice_input_producer([files, labels])` both."""
    for i, op in enumerate(gathers):
        given, rows = assigned(op), root(op.inputs[0]).op
        one = given[i] if len(given) == len(gathers) and given[i] else "row"
        own = own_name(rows) if origin(rows) != origin(op) else ""
        CALLED[op], CALLED[rows] = one, own or f"{one}s"
