"""Which ops belong to the branches and loops of v1 control flow.

In such a graph a branch that is not taken is `dead`: its ops run on nothing. They make sense
only together, so each branching construct is one group, handled per example as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable

import tensorflow as tf

from queueio.graph.traversal import parents

V1_CONTROL_FLOW = frozenset(
    {"Switch", "RefSwitch", "Merge", "RefMerge", "Enter", "RefEnter", "Exit", "RefExit",
     "NextIteration", "RefNextIteration", "LoopCond"}
)  # fmt: skip
SWITCH, MERGE = ("Switch", "RefSwitch"), ("Merge", "RefMerge")
_DEEPER = {"Switch", "RefSwitch", "Enter", "RefEnter"}
_OUT = {"Merge", "RefMerge", "Exit", "RefExit"}


def control_flow_groups(ops: Iterable[tf.Operation]) -> dict[tf.Operation, int]:
    """Op → number of its group, for every op of a v1 cond or while loop. One pass.

    `ops` come in topological order, loops aside.
    """
    depth = depths(ops)
    groups = _Groups()
    for op in depth:
        inside = [p for p in parents(op) if depth.get(p, 0) > 0]
        if op.type in V1_CONTROL_FLOW or inside:
            groups.join(op, inside)
    return groups.numbers()


def depths(ops: Iterable[tf.Operation]) -> dict[tf.Operation, int]:
    """Op → how many v1 conds and while loops it stands in; `ops` as for `control_flow_groups`."""
    depth: dict[tf.Operation, int] = {}
    for op in ops:
        level = max((depth[p] for p in parents(op) if p in depth), default=0)
        depth[op] = level + (op.type in _DEEPER) - (op.type in _OUT and level > 0)
    return depth


class _Groups:
    """Union-find."""

    def __init__(self) -> None:
        self._parent: dict[tf.Operation, tf.Operation] = {}

    def join(self, op: tf.Operation, others: list[tf.Operation]) -> None:
        self._parent.setdefault(op, op)
        for other in others:
            self._parent[self._root(other)] = self._root(op)

    def _root(self, op: tf.Operation) -> tf.Operation:
        self._parent.setdefault(op, op)
        while self._parent[op] is not op:
            self._parent[op] = self._parent[self._parent[op]]
            op = self._parent[op]
        return op

    def numbers(self) -> dict[tf.Operation, int]:
        roots: dict[tf.Operation, int] = {}
        return {op: roots.setdefault(self._root(op), len(roots)) for op in self._parent}
