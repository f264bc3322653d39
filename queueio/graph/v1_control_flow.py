"""Which ops belong to the branches and loops of v1 control flow.

In such a graph a branch that is not taken is `dead`: its ops run on nothing. They make sense
only together, so each branching construct is one group, handled per example as a whole.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import tensorflow as tf

from queueio.graph.traversal import parents

V1_CONTROL_FLOW = frozenset(
    {"Switch", "RefSwitch", "Merge", "RefMerge", "Enter", "RefEnter", "Exit", "RefExit",
     "NextIteration", "RefNextIteration", "LoopCond"}
)  # fmt: skip
SWITCH, MERGE = ("Switch", "RefSwitch"), ("Merge", "RefMerge")
_ENTER, _EXIT = {"Enter", "RefEnter"}, {"Exit", "RefExit"}
_AGAIN = {"NextIteration", "RefNextIteration"}


def control_flow_groups(ops: Iterable[tf.Operation]) -> dict[tf.Operation, int]:
    """Op → number of its group, for every op of a v1 cond or while loop."""
    depth = depths(ops)
    groups = Groups()
    for op in depth:
        inside = [p for p in parents(op) if depth.get(p, 0) > 0]
        if op.type in V1_CONTROL_FLOW or inside:
            groups.join(op, inside)
    return groups.numbers()


def depths(ops: Iterable[tf.Operation]) -> dict[tf.Operation, int]:
    """Op → how many v1 conds and while loops it stands in."""
    depth = dict.fromkeys(ops, 0)
    for op in _from_outside(depth):
        level = max((depth[p] for p in parents(op) if p in depth), default=0)
        depth[op] = max(level + _step(op), 0)
    return depth


def _from_outside(ops: Collection[tf.Operation]) -> Iterator[tf.Operation]:
    """The ops, each after those that it reads and waits for, but for what a loop hands back.

    So a loop begins where it is entered. In whatever order they came, its body may be first.
    """
    seen: set[tf.Operation] = set()
    for last in ops:
        stack = [(last, False)]
        while stack:
            op, ready = stack.pop()
            if ready:
                yield op
            elif op not in seen:
                seen.add(op)
                before = (p for p in parents(op) if p in ops and p.type not in _AGAIN)
                stack += [(op, True), *((p, False) for p in before)]


def _step(op: tf.Operation) -> int:
    """How much deeper what comes out of an op stands than what goes in."""
    if op.type in _ENTER:
        return 1
    if op.type in _EXIT:
        return -1
    if op.type in SWITCH:  # that of a loop stands within it
        return int(op.inputs[1].op.type != "LoopCond")
    return -int(op.type in MERGE and all(t.op.type not in _AGAIN for t in op.inputs))


class Groups:
    """Ops that stay together, by union-find."""

    def __init__(self) -> None:
        self._parent: dict[tf.Operation, tf.Operation] = {}

    def join(self, op: tf.Operation, others: list[tf.Operation]) -> None:
        """Has an op stay with others, and with all that these stay with."""
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
        """Op → number of its group."""
        roots: dict[tf.Operation, int] = {}
        return {op: roots.setdefault(self._root(op), len(roots)) for op in self._parent}
