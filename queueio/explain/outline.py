"""The stages of a pipeline that was refused, as far as the graph's own edges tell them."""

from __future__ import annotations

from collections.abc import Iterable
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

_SHOWN = ("capacity", "min_after_dequeue", "skip_header_lines", "record_bytes", "num_epochs")


def outline(op: Any, index: Index, seen: frozenset[Any] = frozenset()) -> ToldStage:
    """A dequeue or read, its queue, and what fills that; nothing is checked."""
    if is_barrier_take(op):
        return _stage(op, kind(op), inputs=(_barrier(upstream(op), index, seen),))
    queue = _queue(upstream(op), index, seen)
    reader = root(op.inputs[0]).op if is_read(op) else op
    if is_read(op):
        queue = replace(queue, title=f"{queue.title} (filename queue)")
    return _stage(op, kind(reader), inputs=(queue,), of=reader)


def _queue(op: Any, index: Index, seen: frozenset[Any]) -> ToldStage:
    if op in seen:
        return _stage(op, f"{kind(op)} (the same as below)")
    use = index.uses.get(op)
    inputs = [_enqueue(each, index, seen | {op}) for each in (use.enqueues if use else ())]
    more = _threads(evaluator for evaluator, _ in index.feeders(op))
    return _stage(op, kind(op), inputs=tuple(inputs), more=more)


def _barrier(op: Any, index: Index, seen: frozenset[Any]) -> ToldStage:
    """A barrier, and what the runner that puts into it takes."""
    fill = [each for each in index.evaluators if _inserts(each.op, op)]
    points = dict.fromkeys(point for evaluator in fill for point in evaluator.points)
    inputs = tuple(outline(point, index, seen) for point in points)
    return _stage(op, kind(op), inputs=inputs, more=_threads(fill))


def _inserts(op: Any, barrier: Any) -> bool:
    touching = (each for each in ancestors([op]) if each.type == "BarrierInsertMany")
    return any(upstream(each) is barrier for each in touching)


def _threads(evaluators: Iterable[Evaluator]) -> tuple[str]:
    threads = sum(evaluator.threads for evaluator in evaluators)
    return (f"num_threads={threads}" if threads else "no queue runner fills it",)


def _enqueue(enqueue: Enqueue, index: Index, seen: frozenset[Any]) -> ToldStage:
    points, placeholders = [], []
    for op in ancestors([enqueue.outer]):
        if is_take(op):
            points.append(op)
        elif op.type.startswith("Placeholder"):
            placeholders.append(op.name)
    more = tuple(f"fed through placeholder {name!r}" for name in placeholders)
    inputs = tuple(outline(point, index, seen) for point in points)
    return _stage(enqueue.outer, kind(enqueue.op), inputs=inputs, more=more)


def _stage(
    op: Any,
    title: str,
    *,
    inputs: tuple[ToldStage, ...] = (),
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
        inputs=inputs,
    )


def _holds(op: Any) -> bool:
    """Whether its output is a handle, and no element."""
    return is_queue(op) or bool(op.type == "Barrier")
