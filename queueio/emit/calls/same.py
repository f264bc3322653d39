"""Whether two graphs compute the same: op by op, attribute by attribute, constant by constant."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from queueio.emit.facts.draws import seed_of
from queueio.emit.facts.values import Known
from queueio.graph.bodies import bodies
from queueio.graph.traits import row_of
from queueio.graph.traversal import root

_NOW = {"Add": "AddV2", "BatchMatMul": "BatchMatMulV2"}  # what today's Python makes instead
_SEEDS = frozenset({"seed", "seed2"})
_NEVER = frozenset({"output_shapes"})  # static shapes say nothing of what is computed


class Same:
    """Walks back from two tensors at once.

    Args:
      mine, other: what is known of the tensors of the two graphs.
      given: for tensors of the other graph, those of this one that they stand for.
      outer: the graphs with the functions that ops of the two call.
    """

    def __init__(
        self, mine: Known, other: Known, given: dict[str, Any], outer: tuple[Any, Any]
    ) -> None:
        self._known, self._outer = (mine, other), outer
        self.met: set[Any] = set()
        """The ops of this graph that the other one does the work of."""
        self._given = {name: self._bare(root(tensor), 0) for name, tensor in given.items()}
        self.met.clear()
        self._pairs: dict[Any, Any] = {}
        self._drawn: dict[Any, Any] = {}

    def tensors(self, mine: Any, other: Any) -> bool:
        """Whether a tensor of this graph is what one of the other is."""
        mine, other = self._bare(mine, 0), self._bare(other, 1)
        if other.name in self._given:
            return self._given[other.name] is self._bare(root(mine), 0)
        values = [k.values.get(t.name) for k, t in zip(self._known, (mine, other), strict=True)]
        if any(value is not None for value in values):
            return mine.dtype == other.dtype and _equal(*values)
        return mine.value_index == other.value_index and self._ops(mine.op, other.op)

    def _bare(self, tensor: tf.Tensor, side: int) -> Any:
        """The tensor behind ops that change nothing."""
        while (before := unchanged(tensor, self._known[side])) is not None:
            if not side:
                self.met.add(tensor.op)
            tensor = before
        return tensor

    def _ops(self, mine: Any, other: Any) -> bool:
        if other in self._pairs:
            return self._pairs[other] is mine
        if _NOW.get(mine.type, mine.type) != other.type or len(mine.inputs) != len(other.inputs):
            return False
        if other.op_def.is_stateful and self._drawn.setdefault(mine, other) is not other:
            return False  # drawn once there, twice here
        self._pairs[other] = mine
        self.met.add(mine)
        return self._attributes(mine, other) and all(
            self.tensors(a, b) for a, b in zip(*_inputs(mine, other), strict=True)
        )

    def _attributes(self, mine: Any, other: Any) -> bool:
        has, wanted = mine.node_def.attr, other.node_def.attr
        called = False
        for attr in other.op_def.attr:
            if attr.name in _SEEDS | _NEVER:
                continue
            if wanted[attr.name].HasField("func"):
                called = True
            elif attr.name in has and has[attr.name] != wanted[attr.name]:
                return False
        seeded = not any(attr.name in _SEEDS for attr in other.op_def.attr)
        return (seeded or seed_of(mine) == seed_of(other)) and (
            not called or self._functions(mine, other)
        )

    def _functions(self, mine: Any, other: Any) -> bool:
        pairs = zip(*map(bodies, (mine, other), self._outer), strict=True)
        return all(self._bodies(a.graph, b.graph) for a, b in pairs)

    def _bodies(self, mine: Any, other: Any) -> bool:
        if len(mine.inputs) != len(other.inputs) or len(mine.outputs) != len(other.outputs):
            return False
        given = {b.name: a for a, b in zip(mine.inputs, other.inputs, strict=True)}
        known = [Known.of(graph.get_operations()) for graph in (mine, other)]
        inner = Same(known[0], known[1], given, self._outer)
        return all(inner.tensors(a, b) for a, b in zip(mine.outputs, other.outputs, strict=True))


def unchanged(tensor: tf.Tensor, known: Known) -> Any | None:
    """The input of an op whose output is the same, or None: an identity, `x * 1`."""
    op = tensor.op
    if row_of(op.type).hands_on and len(op.inputs) == 1:
        return op.inputs[0]
    if op.type == "Transpose":
        order = known.values.get(op.inputs[1].name)
        return op.inputs[0] if order is not None and _sorted(order) else None
    neutral = {"Mul": 1, "Add": 0, "AddV2": 0}.get(op.type)
    if neutral is None or tensor.dtype == tf.string:
        return None
    value = known.values.get(op.inputs[1].name)
    if value is None or value.ndim or value != neutral:
        return None
    return op.inputs[0] if neutral or _no_negative_zero(op.inputs[0], known) else None


def _no_negative_zero(tensor: tf.Tensor, known: Known) -> bool:
    """Whether adding zero changes nothing: it makes 0.0 of -0.0."""
    while (before := unchanged(tensor, known)) is not None:
        tensor = before
    return bool(tensor.dtype.is_integer or tensor.op.type == "RandomUniform")


def _sorted(order: Any) -> bool:
    return list(order) == list(range(len(order)))


def _equal(mine: Any, other: Any) -> bool:
    if mine is None or other is None:
        return False
    return mine.dtype == other.dtype and np.array_equal(mine, other)


def _inputs(mine: Any, other: Any) -> tuple[Any, Any]:
    """The inputs that decide; a slice whose shape is known may be given its size in other ways."""
    shapes = [op.outputs[0].shape for op in (mine, other)] if other.type == "Slice" else []
    if shapes and shapes[0].is_fully_defined() and shapes[0] == shapes[1]:
        return mine.inputs[:2], other.inputs[:2]
    return mine.inputs, other.inputs
