"""Finds the calls of public functions in a graph."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import tensorflow as tf

from queueio.emit.calls import TABLE, Call, ScopedOps
from queueio.emit.calls.same import Same
from queueio.emit.facts.units import behind
from queueio.emit.facts.values import Known
from queueio.emit.spelling.variables import stem
from queueio.graph.traits import row_of
from queueio.graph.traversal import root

v1 = tf.compat.v1
_V1_COND = frozenset({"Switch", "Merge"})


def calls(
    outputs: Sequence[tf.Tensor],
    effects: Sequence[tf.Operation],
    stops: Callable[[tf.Tensor], bool],
    outer: tf.Graph,
) -> dict[Any, Call]:
    """The calls of public functions behind `outputs`, by the op at which each ends.

    Args:
      outputs: tensors.
      effects: assertions that are to be made.
      stops: whether a tensor comes from elsewhere.
      outer: the graph with the functions that ops call.
    """
    ops = behind([*outputs, *(t for op in effects for t in op.inputs)], stops)
    if not any(stem in TABLE for op in ops for stem, _ in _scopes(op)):
        return {}
    return _Finder(ops, outputs, effects, stops, outer).found


class _Finder:
    def __init__(self, ops: Any, outputs: Any, effects: Any, stops: Any, outer: Any) -> None:
        self.effects, self.stops, self.outer = effects, stops, outer
        self.known = Known.of(ops)
        self.users: dict[Any, set[Any]] = defaultdict(set)
        for op in ops:
            if not row_of(op.type).hands_on:
                for tensor in op.inputs:
                    self.users[root(tensor).op].add(op)
        self.ends = {root(tensor).op for tensor in outputs}
        self.found: dict[Any, Call] = {}
        done: set[Any] = set()
        for op in reversed(ops):
            if op not in done and not row_of(op.type).hands_on and not self._is_known(op):
                done |= self._find(op)

    def _is_known(self, op: tf.Operation) -> bool:
        return not op.outputs or op.outputs[0].name in self.known.values

    def _find(self, op: tf.Operation) -> set[Any]:
        """Looks for a call that ends at an op; the ops that it does the work of."""
        for name, scope in _scopes(op):
            if name not in TABLE or not self._leaves(op, scope):
                continue
            group = self._group(op.outputs[0], scope)
            for image in group.entering:
                for guess in TABLE[name]:
                    for call in guess(group, image):
                        met = self._met(group, call, scope)
                        if met:
                            return met
        return set()

    def _leaves(self, op: tf.Operation, scope: str) -> bool:
        return op in self.ends or any(not _inside(user, scope) for user in self.users[op])

    def _group(self, end: Any, scope: str) -> ScopedOps:
        entering: dict[str, Any] = {}

        def edge(tensor: tf.Tensor) -> bool:
            known = tensor.name in self.known.values
            outside = self.stops(tensor) or not _inside(tensor.op, scope)
            if outside and not known:
                entering[tensor.name] = tensor
            return outside

        return ScopedOps(end, behind([end], edge), list(entering.values()), self.known)

    def _met(self, group: ScopedOps, call: Call, scope: str) -> set[Any]:
        made = _made(call, any(op.type in _V1_COND for op in group.ops))
        if made is None:
            return set()
        result, given = made
        known = Known.of(result.graph.get_operations())
        same = Same(self.known, known, given, (self.outer, result.graph))
        if not same.tensors(group.end, result) or not self._alone(same.met, group.end.op):
            return set()
        checks = self._checks(same, result.graph, scope)
        self.found[group.end.op] = replace(call, shape=result.shape, checks=checks)
        return same.met

    def _alone(self, met: set[Any], end: Any) -> bool:
        """Whether nothing else uses a random number of the function: it would be another."""
        drawn: set[Any] = set()
        for op in behind([end.outputs[0]], self.stops):
            if op in met and (op.op_def.is_stateful or any(t.op in drawn for t in op.inputs)):
                drawn.add(op)
        return all(self.users[op] <= met for op in drawn - {end})

    def _checks(self, same: Same, graph: Any, scope: str) -> frozenset[Any]:
        own = [op for op in graph.get_operations() if op.type in ("Assert", "If", "StatelessIf")]
        return frozenset(
            mine for mine in self.effects
            if _inside(mine, scope) and any(same.tensors(mine.inputs[0], o.inputs[0]) for o in own)
        )  # fmt: skip


def _scopes(op: tf.Operation) -> list[tuple[str, str]]:
    """The scopes that an op is in, outermost first: without numbers, and with their path."""
    parts = op.name.split("/")
    return [(stem(part), "/".join(parts[: i + 1])) for i, part in enumerate(parts)]


def _inside(op: tf.Operation, scope: str) -> bool:
    return bool(op.name == scope or op.name.startswith(scope + "/"))


def _made(call: Call, v1_cond: bool) -> tuple[Any, dict[str, Any]] | None:
    """What the function makes in a graph of its own, and what its tensors stand for."""
    function = functools.reduce(getattr, call.name.split(".")[1:], tf)
    given: dict[str, Any] = {}

    def inner(value: Any) -> Any:
        if not tf.is_tensor(value):
            return value
        made = v1.placeholder(value.dtype.base_dtype, value.shape)
        given[made.name] = value
        return made

    before = v1.control_flow_v2_enabled()
    (v1.disable_control_flow_v2 if v1_cond else v1.enable_control_flow_v2)()
    try:
        with tf.Graph().as_default():
            args = [inner(value) for value in call.args]
            result = function(*args, **{k: inner(v) for k, v in call.kwargs.items()})
    except (ValueError, TypeError, tf.errors.OpError):
        return None  # the function refuses these arguments
    finally:
        (v1.enable_control_flow_v2 if before else v1.disable_control_flow_v2)()
    return result, given
