"""What there is in a graph: its queues, who fills and empties each, and who runs the fillers.

One pass over the ops, so that everything the lifter asks later is a look-up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import tensorflow as tf

from queueio.lift.bodies import Body, bodies

THROUGH = frozenset({"Identity", "RefIdentity", "Switch", "RefSwitch", "Enter", "RefEnter"})
HARMLESS = frozenset({"QueueClose", "QueueSize", "QueueIsClosed", *THROUGH})


def kind(op: Any) -> str:
    """An op's type without the version that only says what kind of handle it takes."""
    return str(op.type).removesuffix("V2")


def root(tensor: Any) -> Any:
    """The tensor that a handle or condition comes from, behind identities and switches."""
    while tensor.op.type in THROUGH:
        tensor = tensor.op.inputs[0]
    return tensor


def through_switch(op: Any) -> bool:
    """Whether a handle that `op` takes comes through a cond or loop of control flow v1."""
    for tensor in op.inputs:
        while tensor.op.type in THROUGH:
            if "Identity" not in tensor.op.type:
                return True
            tensor = tensor.op.inputs[0]
    return False


def ancestors(starts: Iterable[Any]) -> Iterator[Any]:
    """Every op that must run before `starts`, by data and control edges, each once."""
    stack, seen = list(starts), set(starts)
    while stack:
        op = stack.pop()
        yield op
        for other in [t.op for t in op.inputs] + list(op.control_inputs):
            if other not in seen:
                seen.add(other)
                stack.append(other)


@dataclass(frozen=True, eq=False)
class Enqueue:
    """An op that puts elements into a queue; `body` is the cond branch that it sits in."""

    op: Any
    outer: Any
    body: Body | None = None

    @property
    def many(self) -> bool:
        return kind(self.op) == "QueueEnqueueMany"

    @property
    def at(self) -> Any:
        """The op that stands for it in the outer graph."""
        return self.op if self.body is None else self.outer

    @property
    def controls(self) -> tuple[Any, ...]:
        """The ops of the outer graph that it waits for, without those of its own cond."""
        waits = self.op.control_inputs if self.body is None else ()
        return tuple(op for op in waits if not _is_pivot(op))


def _is_pivot(op: Any) -> bool:
    return op.type in ("Switch", "Identity") and root(op.outputs[0]) is not op.outputs[0]


@dataclass(eq=False)
class Use:
    """Everything that touches one queue."""

    enqueues: list[Enqueue] = field(default_factory=list)
    takers: list[Any] = field(default_factory=list)
    unclear: list[Any] = field(default_factory=list)


@dataclass(eq=False)
class Evaluator:
    """An op that a queue runner runs again and again, and what one run of it touches."""

    op: Any
    runner: Any
    threads: int = 0
    enqueues: list[Enqueue] = field(default_factory=list)
    points: list[Any] = field(default_factory=list)


class Index:
    """The queues, readers and runners of a graph."""

    def __init__(self, graph: Any) -> None:
        self.graph = graph
        self.uses: dict[Any, Use] = defaultdict(Use)
        self.reads: dict[Any, list[Any]] = defaultdict(list)
        runners = graph.get_collection(tf.compat.v1.GraphKeys.QUEUE_RUNNERS)
        self._instead = {op for runner in runners for op in getattr(runner, "runs_instead", ())}
        self._enqueue_at: dict[Any, list[Enqueue]] = defaultdict(list)
        for op in graph.get_operations():
            self._note(op)
        self.evaluators = self._evaluators()
        self.evaluators_of: dict[Any, list[Evaluator]] = defaultdict(list)
        for evaluator in self.evaluators:
            for point in evaluator.points:
                self.evaluators_of[point].append(evaluator)

    def feeders(self, queue: Any) -> list[tuple[Evaluator, Enqueue]]:
        """The evaluators that fill a queue, each with its enqueue op."""
        wanted = set(map(id, self.uses[queue].enqueues))
        return [(e, q) for e in self.evaluators for q in e.enqueues if id(q) in wanted]

    def runners_above(self, queue: Any) -> list[Any]:
        """The runners of all queues that the elements of `queue` come through, not its own."""
        found: list[Any] = []
        waiting, seen = [queue], {queue}
        while waiting:
            for evaluator, _ in self.feeders(waiting.pop()):
                for point in evaluator.points:
                    at = 1 if kind(point).startswith("ReaderRead") else 0
                    above = root(point.inputs[at]).op
                    if above not in seen:
                        seen.add(above)
                        waiting.append(above)
                        found += [e.runner for e, _ in self.feeders(above)]
        return list(dict.fromkeys(found))

    def _note(self, op: Any) -> None:
        what = kind(op)
        if op in self._instead:
            return
        if what.startswith("QueueEnqueue"):
            self._add_enqueue(root(op.inputs[0]).op, Enqueue(op, op))
        elif what.startswith("QueueDequeue"):
            self.uses[root(op.inputs[0]).op].takers.append(op)
        elif what.startswith("ReaderRead"):
            self.reads[root(op.inputs[0]).op].append(op)
            self.uses[root(op.inputs[1]).op].takers.append(op)
        elif what not in HARMLESS:
            for position, tensor in enumerate(op.inputs):
                if tensor.dtype.base_dtype in (tf.resource, tf.string):
                    self._note_other(op, position, root(tensor).op)

    def _note_other(self, op: Any, position: int, queue: Any) -> None:
        if not kind(queue).endswith("Queue"):
            return
        found = False
        for body in bodies(op):
            for inner in body.takers_of(position):
                found = True
                if kind(inner).startswith("QueueEnqueue"):
                    self._add_enqueue(queue, Enqueue(inner, op, body))
                elif kind(inner) not in HARMLESS:
                    self.uses[queue].unclear.append(op)
        if not found:
            self.uses[queue].unclear.append(op)

    def _add_enqueue(self, queue: Any, enqueue: Enqueue) -> None:
        self.uses[queue].enqueues.append(enqueue)
        self._enqueue_at[enqueue.outer].append(enqueue)

    def _evaluators(self) -> list[Evaluator]:
        found: dict[Any, Evaluator] = {}
        for runner in self.graph.get_collection(tf.compat.v1.GraphKeys.QUEUE_RUNNERS):
            # A runner of the data engine says which further ops do what TF1's queues did.
            for enqueue_op in [*runner.enqueue_ops, *getattr(runner, "also_runs", ())]:
                op = getattr(enqueue_op, "op", enqueue_op)
                found.setdefault(op, Evaluator(op, runner)).threads += 1
        for evaluator in found.values():
            for op in ancestors([evaluator.op]):
                evaluator.enqueues += self._enqueue_at.get(op, [])
                if kind(op).startswith(("QueueDequeue", "ReaderRead")):
                    evaluator.points.append(op)
        return list(found.values())
