"""Pipelines of which one session call takes: a checkpoint holds where they stand, or of none.

A restored run goes on where one stood and begins the other anew. A step that takes of both, an
image here and its label there, would mix the first of one with later ones of the other: TF1's
queues, which all begin anew, keep them together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from queueio.data_engine import report
from queueio.data_engine.takes import taken_in_calls
from queueio.errors import message
from queueio.graph.hanging import hanging
from queueio.graph.index import Index, index_of
from queueio.graph.origin import origin
from queueio.graph.traversal import kind, taken_from
from queueio.runtime.topology import queue_op_of

_Found = dict[Any, dict[str, bytes] | None]


def held(found: _Found) -> dict[str, dict[str, bytes] | None]:
    """The positions of runners, by title, without those that a restored run would tear apart."""
    kept = dict(found)
    while torn := dict(_torn(kept)):  # what is left alone now may tear others
        for runner, other in torn.items():
            kept[runner] = None
            _tell(runner, other)
    return {runner.title: place for runner, place in kept.items()}


def _torn(found: _Found) -> Iterator[tuple[Any, str]]:
    """The runners whose position is held, and not that of a queue taken from with theirs."""
    runners = {runner.ready: runner for runner in found}
    for queues in _together(next(iter(found)).ready.graph, runners) if found else ():
        others = [queue for queue in queues if found.get(runners.get(queue)) is None]
        for queue in queues if others else ():
            if queue not in others:
                other = runners.get(others[0])
                yield runners[queue], others[0].name if other is None else other.title


def _together(graph: Any, runners: dict[Any, Any]) -> Iterator[list[Any]]:
    """Queues that one call took from, those that give their elements in order: none else keeps
    step with another."""
    called = (dict.fromkeys(filter(None, map(taken_from, each))) for each in taken_in_calls(graph))
    for queues in filter(lambda queues: len(queues) > 1, called):
        index = index_of(graph)
        yield [queue for queue in queues if _in_order(index, _filled(queue, runners))]


def _filled(queue: Any, runners: dict[Any, Any]) -> Any:
    """The queue of the program's that one of finished batches stands for."""
    return queue_op_of(runners[queue]) if queue in runners else queue


def _in_order(index: Index, queue: Any) -> bool:
    """Whether TF1 gave a queue's elements in one order: nothing shuffles them, no threads race."""
    fillers = index.runners_above(queue)
    queues = [queue, *(above for runner in fillers for above in index.filled_by(runner))]
    return all(
        kind(each) != "RandomShuffleQueue"
        and sum(evaluator.threads for evaluator, _ in index.feeders(each)) <= 1
        for each in queues
    )


def _tell(runner: Any, other: str) -> None:
    """Warns once of a pipeline that no checkpoint holds, and reports it so."""
    told = hanging(runner.ready.graph, "in_step", set)
    if runner.title in told:
        return
    told.add(runner.title)
    report.add(runner.ready.graph, runner.title, "data", None)
    what = message(
        f"a checkpoint does not hold where pipeline {runner.title!r} stands",
        f"session calls take from {other!r} in the same step, where no checkpoint holds that, and"
        " the two would no longer fit together; so a run that is restored begins its data anew",
    )
    report.warn(what, origin(queue_op_of(runner)))
