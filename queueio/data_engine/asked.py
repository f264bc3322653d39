"""Session calls that reach before the batch: a reader's value, an enqueue op run by hand.

In the data engine nobody fills the queues there, so such a call would wait for ever.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any

from queueio.data_engine import report
from queueio.data_engine.readers import asks
from queueio.errors import message
from queueio.graph.index import Evaluator, Index, unchanged
from queueio.graph.traversal import ancestors, is_enqueue
from queueio.runtime import calls

_runners: weakref.WeakKeyDictionary[Any, list[Any]] = weakref.WeakKeyDictionary()
_touched: weakref.WeakKeyDictionary[Any, dict[Any, Any]] = weakref.WeakKeyDictionary()


def add(graph: Any, runner: Any) -> None:
    """Has a runner told of calls that need one of `runner.inner()`.

    It is told by `runner.asked(session, op, puts)`; `puts`: the call enqueues.
    """
    _runners.setdefault(graph, []).append(runner)
    _touched.pop(graph, None)
    calls.listen(_notice)


def _notice(call: Any) -> bool:
    graph = call.session.graph
    runners = _runners.get(graph)
    if not runners:
        return True
    closes = [runner.closed_by(call) for runner in runners]
    cache = _touched.setdefault(graph, {})
    if call.key not in cache:
        with unchanged():
            cache[call.key] = _reached(call.ops(), call.fed(), runners)
    for place, name, puts in cache[call.key]:
        runners[place].asked(call.session, name, puts)
    return not cache[call.key] and not any(closes)


def _reached(ops: list[Any], fed: set[Any], runners: list[Any]) -> list[tuple[int, str, bool]]:
    """(position of the runner, an op of its upstream, whether it enqueues) for each reached."""
    needed = [op for op in ancestors(ops, fed.__contains__) if op not in fed]
    found = []
    for place, runner in enumerate(runners):
        inner = runner.inner()
        reached = [op for op in needed if op in inner]
        if reached:
            puts = any(map(is_enqueue, reached))
            found.append((place, str(reached[0].name), puts))
    return found


def evaluators_of(index: Index, runners: Iterable[Any]) -> list[Evaluator]:
    """What queue runners run."""
    queues = [queue for runner in runners for queue in index.filled_by(runner)]
    return list(dict.fromkeys(e for queue in queues for e, _ in index.feeders(queue)))


def inner_ops(evaluators: Iterable[Evaluator]) -> set[Any]:
    """The ops that are run, those in them that enqueue, and what these take from and change."""
    evaluators = list(evaluators)
    found = {evaluator.op for evaluator in evaluators} | set(asks(evaluators))
    for evaluator in evaluators:
        enqueues = (enqueue.outer for enqueue in evaluator.enqueues)
        found |= {*enqueues, *evaluator.points, *evaluator.changes.values()}
    return found


def say_apart(title: str, why: str, made_at: Any) -> None:
    """Warns that a pipeline and the program's own calls each read the files."""
    told = message(f"pipeline {title!r} is read twice", f"{why}; what it gets is read from the "
                   "files once more, and is in the batches as well",
                   "Fetch it before start_queue_runners, or only the batch")  # fmt: skip
    report.warn(told, made_at)
