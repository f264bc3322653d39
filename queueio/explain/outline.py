"""The stages of a pipeline that was refused, as far as the graph's own edges tell them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from queueio.explain.stage import ToldStage, lesson_of_type
from queueio.graph.index import Enqueue, Evaluator, Index
from queueio.graph.origin import origin
from queueio.graph.traversal import (
    ancestors,
    is_barrier_take,
    is_queue,
    is_read,
    is_take,
    kind,
    root,
    upstream,
)
from queueio.plan.show import spec_text

_Above = tuple[list[ToldStage], tuple[str, ...]]
"""What a stage takes from, and what is told of it beside its op's own attributes."""
_SHOWN = ("capacity", "min_after_dequeue", "skip_header_lines", "record_bytes", "num_epochs")


def outline(op: Any, index: Index) -> ToldStage:
    """A dequeue or read, its queue, and what fills that; nothing is checked.

    What two branches share is told in the first of them, and named in the others.
    """
    return _Outline(index).take(op)


class _Outline:
    """The stages of one pipeline; `told` are the ops that were begun, `done` those with inputs."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._told: set[Any] = set()
        self._done: set[Any] = set()

    def take(self, op: Any) -> ToldStage:
        """A dequeue or read."""
        if is_barrier_take(op):
            return self._once(op, kind(op), lambda: ([self._barrier(upstream(op))], ()))
        reads = is_read(op)
        reader = root(op.inputs[0]).op if reads else op
        return self._once(
            op, kind(reader), lambda: ([self._queue(upstream(op), reads)], ()), of=reader
        )

    def _queue(self, op: Any, of_names: bool) -> ToldStage:
        def above() -> _Above:
            use = self._index.uses.get(op)
            filled = [self._enqueue(each) for each in (use.enqueues if use else ())]
            return filled, _threads(evaluator for evaluator, _ in self._index.feeders(op))

        return self._once(op, kind(op) + (" (filename queue)" if of_names else ""), above)

    def _barrier(self, op: Any) -> ToldStage:
        """A barrier, and what the runner that puts into it takes."""
        fill = [each for each in self._index.evaluators if _inserts(each.op, op)]
        points = dict.fromkeys(point for evaluator in fill for point in evaluator.points)
        return self._once(op, kind(op), lambda: (list(map(self.take, points)), _threads(fill)))

    def _enqueue(self, enqueue: Enqueue) -> ToldStage:
        points, placeholders = [], []
        for op in ancestors([enqueue.outer]):
            if is_take(op):
                points.append(op)
            elif op.type.startswith("Placeholder"):
                placeholders.append(op.name)
        more = tuple(f"fed through placeholder {name!r}" for name in placeholders)
        return _stage(enqueue.outer, kind(enqueue.op), list(map(self.take, points)), more)

    def _once(self, op: Any, title: str, above: Callable[[], _Above], of: Any = None) -> ToldStage:
        """A stage with all above it, or, where that was told before, its name."""
        if op in self._told:
            where = "the same again" if op in self._done else "the same as below"
            return replace(_stage(op, f"{title} ({where})", of=of), capacity=None, lessons=())
        self._told.add(op)
        inputs, more = above()
        self._done.add(op)
        return _stage(op, title, inputs, more, of)


def _inserts(op: Any, barrier: Any) -> bool:
    touching = (each for each in ancestors([op]) if each.type == "BarrierInsertMany")
    return any(upstream(each) is barrier for each in touching)


def _threads(evaluators: Iterable[Evaluator]) -> tuple[str]:
    threads = sum(evaluator.threads for evaluator in evaluators)
    return (f"num_threads={threads}" if threads else "no queue runner fills it",)


def _stage(
    op: Any,
    title: str,
    inputs: Iterable[ToldStage] = (),
    more: tuple[str, ...] = (),
    of: Any = None,
) -> ToldStage:
    of = op if of is None else of
    given = {name: of.get_attr(name) for name in _SHOWN if name in of.node_def.attr}
    values = {name: value for name, value in given.items() if value != -1}  # no limit
    lesson = lesson_of_type(of.type)
    return ToldStage(
        title=title,
        name=op.name,
        parameters=tuple(f"{name}={value}" for name, value in values.items()) + more,
        emits=() if _holds(op) else tuple(map(spec_text, op.outputs)),
        origin=origin(op),
        lessons=(lesson,) if lesson else (),
        capacity=values.get("capacity") if is_queue(op) else None,
        min_after_dequeue=values.get("min_after_dequeue", 0),
        inputs=tuple(inputs),
    )


def _holds(op: Any) -> bool:
    """Whether its output is a handle, and no element."""
    return is_queue(op) or bool(op.type == "Barrier")
