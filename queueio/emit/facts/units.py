"""In which order a fragment is written, and which of its ops stand in the branches of a cond.

TF1 writes a cond as Switch and Merge ops among all others. A unit is an op, or all the merges of
one cond, with everything between them and its switches; or all the ops of one public function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from queueio.emit.facts.effects import acts
from queueio.errors import NotLifted
from queueio.graph.refusal import refuse
from queueio.graph.traits import row_of, traits_of
from queueio.graph.traversal import awaited_by, parents, root
from queueio.graph.v1_control_flow import MERGE, SWITCH


@dataclass(frozen=True, eq=False)
class Unit:
    """One op; or a cond of TF1's kind, with the two ends of its branches."""

    op: Any
    needs: tuple[Any, ...]
    merges: tuple[Any, ...] = ()
    predicate: Any = None
    call: Any = None
    """The public function that the op is the end of; see calls/."""

    def branch(self, number: int) -> list[Any]:
        """What the branch gives, for the predicate False (0) or True (1)."""
        return [merge.inputs[number] for merge in self.merges]


@dataclass
class Units:
    """The units that `outputs` need, each after those that it needs itself.

    Args:
      outputs: tensors to be had, and effects to be caused, as ops.
      stops: whether a tensor comes from elsewhere.
      within: the predicate of the cond whose branch this is.
      calls: the ops at which a public function ends, with its call.
    """

    outputs: Sequence[Any]
    stops: Callable[[Any], bool]
    effects: Sequence[Any] = ()
    within: Any = None
    calls: Mapping[Any, Any] = field(default_factory=dict)
    order: list[Unit] = field(default_factory=list)
    outside: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._groups = self._merges()
        self._units: dict[Any, Unit] = {}
        self._acting = frozenset(op for op in self.effects if acts(op))
        self._visit([t.op for t in self.outputs if not self._edge(t)] + list(self.effects))
        self._check_order()

    def _edge(self, tensor: Any) -> bool:
        if self.stops(tensor):
            return True
        op = tensor.op
        if self.within is not None and op.type in SWITCH and root(op.inputs[1]) is self.within:
            self.outside.append(op.inputs[0])
            return True
        return False

    def _visit(self, roots: list[Any]) -> None:
        stack, seen = [(op, False) for op in reversed(roots)], set()
        while stack:
            op, done = stack.pop()
            unit = self._unit(op)
            if done:
                self.order.append(unit)
            elif unit not in seen:
                seen.add(unit)
                stack.append((op, True))
                stack += [(t.op, False) for t in reversed(unit.needs) if not self._edge(t)]
                stack += [(earlier, False) for earlier in self._earlier(op)]

    def _check_order(self) -> None:
        """Refuses what reads the world after an effect: TensorFlow would not keep that order."""
        reading = [unit.op for unit in self.order if traits_of(unit.op).reads]
        for op in reading if self._acting else ():
            for other in [op, *behind(op.inputs, self.stops)]:
                for effect in self._earlier(other):
                    raise refuse(
                        op,
                        f"it waits for {effect.name!r} ({effect.type}), and in a function of"
                        " tf.data a read does not wait",
                        "Use plan.to_dataset() for this pipeline",
                    )

    def _earlier(self, op: Any) -> list[Any]:
        """The effects that `op` waits for."""
        waiting, found = awaited_by(op) if self._acting else [], []
        while waiting:
            before = waiting.pop()
            if before in self._acting:
                found.append(before)
            elif before.type == "NoOp" or row_of(before.type).hands_on:
                waiting += awaited_by(before)
        return found

    def _unit(self, op: Any) -> Unit:
        if op not in self._units:
            group = self._groups.get(op)
            call = self.calls.get(op)
            if call is not None:
                self._units[op] = Unit(op, call.tensors, call=call)
            elif group is None:
                self._units[op] = Unit(op, tuple(op.inputs))
            else:
                unit = self._cond(*group)
                self._units.update(dict.fromkeys(unit.merges, unit))
        return self._units[op]

    def _cond(self, predicate: Any, merges: list[Any]) -> Unit:
        needs = [predicate]
        for number in (0, 1):
            ends = [merge.inputs[number] for merge in merges]
            needs += Units(ends, self.stops, within=predicate, calls=self.calls).outside
        return Unit(merges[0], tuple(needs), tuple(merges), predicate)

    def _merges(self) -> dict[Any, tuple[Any, list[Any]]]:
        """Each live merge, with its cond's predicate and fellow merges."""
        groups: dict[Any, tuple[Any, list[Any]]] = {}
        for op in live([t for t in self.outputs if not self._edge(t)], self._edge):
            if op.type in MERGE:
                predicate = _predicate(op)
                scope = op.name.rpartition("/")[0]
                groups.setdefault((id(predicate), scope), (predicate, []))[1].append(op)
        self.outside.clear()  # `_edge` has noted what is outside, and will again when it is visited
        return {merge: group for group in groups.values() for merge in group[1]}


def live(tensors: Iterable[Any], edge: Callable[[Any], bool]) -> Iterable[Any]:
    """The ops behind `tensors` by data alone, and by the choice between branches."""
    stack = [t.op for t in tensors]
    seen = set(stack)
    while stack:
        op = stack.pop()
        yield op
        for tensor in _made_of(op):
            if tensor.op not in seen and not edge(tensor):
                seen.add(tensor.op)
                stack.append(tensor.op)


def behind(tensors: Iterable[Any], edge: Callable[[Any], bool] = lambda _: False) -> list[Any]:
    """As `live`, each op after those that it needs (loops aside)."""
    stack, seen, order = [(t.op, False) for t in tensors if not edge(t)], set(), []
    while stack:
        op, done = stack.pop()
        if done:
            order.append(op)
        elif op not in seen:
            seen.add(op)
            stack.append((op, True))
            stack += [(t.op, False) for t in _made_of(op) if not edge(t)]
    return order


def _made_of(op: Any) -> list[Any]:
    """The inputs of an op; of a merge also what it chooses by: its branches may be constants."""
    if op.type not in MERGE:
        return list(op.inputs)
    try:
        return [*op.inputs, _predicate(op)]
    except NotLifted:  # a loop's; to write it will be refused
        return list(op.inputs)


def _predicate(merge: Any) -> Any:
    """The tensor that decides between a merge's inputs."""
    waiting = [(t.op, 0) for t in merge.inputs]
    seen = set(waiting)
    while waiting:
        op, depth = waiting.pop()
        if op.type in ("Enter", "NextIteration", "Exit", "LoopCond"):
            raise refuse(
                op,
                "it belongs to a loop of TF1's control flow, which queueio does not write down",
                "Build the graph under tf.compat.v1.enable_control_flow_v2(), or use"
                " plan.to_dataset()",
            )
        if op.type in SWITCH:
            if depth == 0:
                return root(op.inputs[1])
            depth -= 1
        elif op.type in MERGE:
            depth += 1
        for other in parents(op):
            if (other, depth) not in seen:
                seen.add((other, depth))
                waiting.append((other, depth))
    raise refuse(merge, "which condition it belongs to is not to be found", "")
