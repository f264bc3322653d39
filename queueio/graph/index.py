"""What there is in a graph: its queues, who fills and empties each, and who runs the fillers.

One pass over the ops, so that everything asked later is a look-up. The lifter, the runtime's
diagnoses and forensics all read a graph's queues here.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import tensorflow as tf

from queueio.graph.bodies import Body, bodies
from queueio.graph.handled import handling
from queueio.graph.runners import collected
from queueio.graph.session_state import Shared, changes, held_by
from queueio.graph.traits import row_of
from queueio.graph.traversal import (
    ancestors,
    is_enqueue,
    is_handle,
    is_pivot,
    is_queue,
    is_read,
    is_take,
    kind,
    op_of,
    root,
    upstream,
)

_HARMLESS = frozenset({"QueueClose", "QueueSize", "QueueIsClosed"})


@dataclass(frozen=True, eq=False)
class Enqueue:
    """An op that puts elements into a queue; `body` is the cond branch that it sits in.

    `around` is the branch of a second cond, around that one, that is in the outer graph.
    """

    op: Any
    outer: Any
    body: Body | None = None
    around: Body | None = None

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
        return tuple(op for op in waits if not is_pivot(op))


@dataclass(eq=False)
class Use:
    """Everything that touches one queue."""

    enqueues: list[Enqueue] = field(default_factory=list)
    takers: list[Any] = field(default_factory=list)
    unclear: list[Any] = field(default_factory=list)


@dataclass(eq=False)
class Evaluator:
    """An op that a queue runner runs again and again, and what one run of it touches.

    Attributes:
      op: the op; `runner`, who runs it, in how many `threads`.
      enqueues: the ops that fill a queue.
      points: the dequeues and reads.
      changes: the state that a run changes, and the first op that does.
    """

    op: Any
    runner: Any
    threads: int = 0
    enqueues: list[Enqueue] = field(default_factory=list)
    points: list[Any] = field(default_factory=list)
    changes: dict[Shared, Any] = field(default_factory=dict)

    def note_changes(self, ops: Iterable[Any]) -> None:
        """Adds what a run of these ops changes."""
        for op in ops:
            for state in changes(op):
                self.changes.setdefault(state, op)


INSTEAD = "/queueio/data/"
"""In the names of ops by which tf.data does a runner's work: an imported graph has them too."""
ROW_BY_ROW = "/queueio/rows/"
"""In the names of what a thread runs for an enqueue_many (runtime/threads/empty_rows.py)."""


class Index:
    """The queues, readers and runners of a graph.

    Args:
      graph: the graph.
      runners: queue runners beside those of the usual collection.
      stand_ins: whether to note, too, the ops that do a runner's work in its place.

    Attributes:
      queues: the ops that make queues.
      uses: by the op that makes its handle, what touches a queue.
      reads: by the reader's op, what reads with it.
      runners: the queue runners.
    """

    def __init__(self, graph: Any, runners: Iterable[Any] = (), *, stand_ins: bool = False) -> None:
        self.graph = graph
        self.queues: list[Any] = []
        self.uses: dict[Any, Use] = defaultdict(Use)
        self.reads: dict[Any, list[Any]] = defaultdict(list)
        self.runners = collected(graph, runners)
        self._enqueue_at: dict[Any, list[Enqueue]] = defaultdict(list)
        self._left_out = (ROW_BY_ROW,) if stand_ins else (ROW_BY_ROW, INSTEAD)
        self._looked_at = 0
        for op in self._new():
            self._note(op)

    def _new(self) -> list[Any]:
        """The ops that its graph has got since they were noted, without those it leaves out."""
        ops = handling(self.graph)
        new, self._looked_at = ops[self._looked_at :], len(ops)
        return [op for op in new if not any(part in op.name for part in self._left_out)]

    def is_complete(self) -> bool:
        """Whether it has noted all there is; asked again, it does not tell."""
        return not self._new()

    def filling(self, queue: Any) -> list[Enqueue]:
        """What fills a queue, also by another op that names it."""
        held = held_by(queue)
        same = [op for op in self.uses if op is queue or (is_queue(op) and held_by(op) == held)]
        return [enqueue for op in same for enqueue in self.uses[op].enqueues]

    def feeders(self, queue: Any) -> list[tuple[Evaluator, Enqueue]]:
        """The evaluators that fill a queue, each with its enqueue op."""
        found = [each for q in self.uses[queue].enqueues for each in self._runs_of.get(id(q), ())]
        return [(evaluator, enqueue) for _, evaluator, enqueue in sorted(found, key=lambda f: f[0])]

    def filled_by(self, runner: Any) -> list[Any]:
        """The queues that a runner fills: its own, unless its ops put into others and not there."""
        own = op_of(getattr(runner.queue, "queue_ref", runner.queue))
        run = filter(None, (self._evaluator_of.get(op_of(each)) for each in runner.enqueue_ops))
        places = {self._place_of[id(enqueue)] for each in run for enqueue in each.enqueues}
        queues = list(self.uses)
        found = [queues[place] for place in sorted(places)]
        return [own] if own in found or not found else found

    def idle_beside(self, feeders: list[tuple[Evaluator, Enqueue]]) -> list[Any]:
        """The ops that the runners of `feeders` run though they enqueue nothing."""
        runners = [evaluator.runner for evaluator, _ in feeders]
        return [e.op for e in self.evaluators if e.runner in runners and not e.enqueues]

    def runners_above(self, queue: Any) -> list[Any]:
        """The runners of all queues that the elements of `queue` come through, not its own."""
        found: list[Any] = []
        waiting, seen = [queue], {queue}
        while waiting:
            for evaluator, _ in self.feeders(waiting.pop()):
                for above in map(upstream, evaluator.points):
                    if above not in seen:
                        seen.add(above)
                        waiting.append(above)
                        found += [e.runner for e, _ in self.feeders(above)]
        return list(dict.fromkeys(found))

    def _note(self, op: Any) -> None:
        if is_queue(op):
            self.queues.append(op)
        if is_enqueue(op):
            self._add_enqueue(root(op.inputs[0]).op, Enqueue(op, op))
        elif is_take(op):
            self.uses[upstream(op)].takers.append(op)
            if is_read(op):
                self.reads[root(op.inputs[0]).op].append(op)
        else:
            for position, tensor in enumerate(op.inputs):
                if is_handle(tensor) and is_queue(queue := root(tensor).op):
                    self._note_other(op, position, queue)

    def _note_other(self, op: Any, position: int, queue: Any) -> None:
        if _is_harmless(op):
            return
        found = False
        for body in bodies(op):
            for inner in body.takers_of(position):
                found = True
                if is_enqueue(inner):
                    self._add_enqueue(queue, Enqueue(inner, op, body))
                elif not _is_harmless(inner) and not self._note_deeper(inner, body, queue):
                    self.uses[queue].unclear.append(op)
        if not found:
            self.uses[queue].unclear.append(op)

    def _note_deeper(self, call: Any, around: Body, queue: Any) -> bool:
        """Notes the enqueues in a cond inside of a cond; whether there is nothing else in it."""
        places = [i for i, t in enumerate(call.inputs) if around.outside(t) is not None]
        places = [i for i in places if root(around.outside(call.inputs[i])).op is queue]
        found = [
            (inner, body)
            for body in bodies(call, around.call.graph)
            for place in places
            for inner in body.takers_of(place)
        ]
        for inner, body in found:
            if is_enqueue(inner):
                self._add_enqueue(queue, Enqueue(inner, around.call, body, around))
        return bool(found) and all(is_enqueue(op) or _is_harmless(op) for op, _ in found)

    def _add_enqueue(self, queue: Any, enqueue: Enqueue) -> None:
        self.uses[queue].enqueues.append(enqueue)
        self._enqueue_at[enqueue.outer].append(enqueue)

    @cached_property
    def evaluators(self) -> list[Evaluator]:
        """What the runners run."""
        found: dict[Any, Evaluator] = {}
        for runner in self.runners:
            # A runner of the data engine says which further ops do what TF1's queues did.
            for enqueue_op in [*runner.enqueue_ops, *getattr(runner, "also_runs", ())]:
                op = op_of(enqueue_op)
                if isinstance(op, tf.Operation):  # if not, it is the session's to say so
                    found.setdefault(op, Evaluator(op, runner)).threads += 1
        for evaluator in found.values():
            ops = ancestors([evaluator.op])
            evaluator.enqueues += [each for op in ops for each in self._enqueue_at.get(op, ())]
            evaluator.points += filter(is_take, ops)
            evaluator.note_changes(ops)
        return list(found.values())

    @cached_property
    def _evaluator_of(self) -> dict[Any, Evaluator]:
        """By the op that is run."""
        return {evaluator.op: evaluator for evaluator in self.evaluators}

    @cached_property
    def _runs_of(self) -> dict[int, list[tuple[int, Evaluator, Enqueue]]]:
        """By the id of an enqueue: what runs it, and its number among all that is run."""
        found: dict[int, list[tuple[int, Evaluator, Enqueue]]] = defaultdict(list)
        runs = ((e, q) for e in self.evaluators for q in e.enqueues)
        for number, (evaluator, enqueue) in enumerate(runs):
            found[id(enqueue)].append((number, evaluator, enqueue))
        return found

    @cached_property
    def _place_of(self) -> dict[int, int]:
        """By the id of an enqueue, the place of its queue in `uses`."""
        uses = enumerate(self.uses.values())
        return {id(enqueue): place for place, use in uses for enqueue in use.enqueues}

    @cached_property
    def inner(self) -> set[Any]:
        """The ops that some queue is filled by: what they take, no call of a session gets."""
        enqueues = [enqueue.outer for use in self.uses.values() for enqueue in use.enqueues]
        return set(ancestors(enqueues + [evaluator.op for evaluator in self.evaluators]))

    @cached_property
    def evaluators_of(self) -> dict[Any, list[Evaluator]]:
        """By dequeue or read, the evaluators that run it."""
        found: dict[Any, list[Evaluator]] = defaultdict(list)
        for evaluator in self.evaluators:
            for point in evaluator.points:
                found[point].append(evaluator)
        return found


_kept = threading.local()


@contextmanager
def unchanged() -> Iterator[None]:
    """Within it `index_of` looks at a graph once: the program has no chance to rewire it.

    Ops may be added. It holds for the calling thread.
    """
    outer, _kept.found = getattr(_kept, "found", None), getattr(_kept, "found", None) or {}
    try:
        yield
    finally:
        _kept.found = outer


def index_of(graph: Any, runners: Iterable[Any] = ()) -> Index:
    """`Index(graph, runners)`, or the one that was made of them before, within `unchanged`."""
    found = getattr(_kept, "found", None)
    if found is None:
        return Index(graph, runners)
    key = (graph, *collected(graph, runners))
    if key not in found or not found[key].is_complete():
        found[key] = Index(graph, runners)
    index: Index = found[key]
    return index


def _is_harmless(op: Any) -> bool:
    """Whether an op takes a queue's handle and neither fills nor empties the queue."""
    return kind(op) in _HARMLESS or row_of(op.type).hands_on
