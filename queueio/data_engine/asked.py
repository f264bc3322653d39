"""Session calls that reach before the batch: a reader's value, an enqueue op run by hand.

In the data engine nobody fills the queues there, so such a call would wait for ever. And calls that
change a variable or table that tf.data reads, or close a queue in which it takes no part: it is
thousands of examples ahead.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import tensorflow.compat.v1 as v1

from queueio.data_engine import report
from queueio.data_engine.closes import closers, refuse_closer
from queueio.data_engine.readers import asks
from queueio.errors import message
from queueio.graph.hanging import hanging
from queueio.graph.index import Evaluator, Index, index_of
from queueio.graph.refusal import refuse
from queueio.graph.traversal import closed_queue, is_enqueue, run_by
from queueio.lift.state import sets_anew, writers
from queueio.runtime import calls

_EARLIER = (
    "Stop it by coord.request_stop(); or make the op before start_queue_runners: then TF1's queues"
    " do the work"
)
_Reached = list[tuple[int, str, bool]]
_Touched = tuple[_Reached, list[tuple[int, Callable[[], Exception]]]]
"""The position of a runner each time: with an op of its upstream, and whether it enqueues; with
what refuses an op that must not run while it works."""


@dataclass
class _Asked:
    """The runners that are told, and by the key of a call what it touches of theirs."""

    runners: list[Any] = field(default_factory=list)
    touched: dict[Any, _Touched] = field(default_factory=dict)


def add(graph: Any, runner: Any) -> None:
    """Has a runner told of calls that need one of `runner.inner()`.

    It is told by `runner.asked(session, op, puts)`; `puts`: the call enqueues. Refused are those
    that change a `runner.state` or close one of `runner.inputs()`, while it `works_in` a session.
    """
    asked = hanging(graph, "asked", _Asked)
    asked.runners.append(runner)
    asked.touched.clear()
    calls.listen(_notice)


def _notice(call: Any) -> bool:
    asked = hanging(call.session.graph, "asked", _Asked)
    runners, cache = asked.runners, asked.touched
    if not runners:
        return True
    if call.key not in cache:
        cache[call.key] = _touches(call, runners)
    reached, refused = cache[call.key]
    for place, refusal in refused:
        if runners[place].works_in(call.session):
            raise refusal()
    closes = [runner.closed_by(call) for runner in runners]
    for place, name, puts in reached:
        runners[place].asked(call.session, name, puts)
    return not reached and not refused and not any(closes)


def _touches(call: Any, runners: list[Any]) -> _Touched:
    fed = call.fed()
    needed = dict.fromkeys(run_by(call.ops(), fed))
    refused: list[tuple[int, Callable[[], Exception]]] = [
        (place, functools.partial(_refuse_change, op, state))
        for place, runner in enumerate(runners)
        for state in runner.state
        for op in writers(state)
        if op in needed and not sets_anew(op, state, fed)
    ]
    if any(map(closed_queue, needed)):
        index = index_of(call.session.graph)
        refused += [
            (place, functools.partial(refuse_closer, op, _EARLIER))
            for place, runner in enumerate(runners)
            for op in closers(needed, index, runner.inputs())
        ]
    return _reached(needed, runners), refused


def _refuse_change(op: Any, state: Any) -> Exception:
    return refuse(
        op,
        f"it changes {state.name!r} while a pipeline reads it, and tf.data has read it for"
        " thousands of examples ahead",
        "Change it before tf.train.start_queue_runners; or have TF1's queues do the work"
        " (QUEUEIO_ENGINE=queue): there a change is seen by what is read after it",
    )


def _reached(needed: Iterable[Any], runners: list[Any]) -> _Reached:
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


def inner_of(runner: Any, graph: Any, evaluators: Callable[[], list[Evaluator]]) -> set[Any]:
    """The ops by which a runner's queues are filled: those that its `evaluators` run, the enqueues
    in them, and what these take from and change. Looked for anew if the graph, or its runners,
    have become more.
    """
    state = graph.version, len(graph.get_collection_ref(v1.GraphKeys.QUEUE_RUNNERS))
    known: tuple[Any, set[Any]] | None = getattr(runner, "_inner", None)
    if known is None or known[0] != state:
        known = runner._inner = state, _inner_ops(evaluators())
    return known[1]


def _inner_ops(evaluators: list[Evaluator]) -> set[Any]:
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
