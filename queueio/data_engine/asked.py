"""Session calls that reach before the batch: a reader's value, an enqueue op run by hand.

In the data engine nobody fills the queues there, so such a call would wait for ever.
"""

from __future__ import annotations

import weakref
from typing import Any

from queueio.lift.index import kind
from queueio.runtime import watch
from queueio.runtime.fetched import fed_ops, fetched
from queueio.runtime.topology import ancestors, op_of

_runners: weakref.WeakKeyDictionary[Any, list[Any]] = weakref.WeakKeyDictionary()
_touched: weakref.WeakKeyDictionary[Any, dict[Any, Any]] = weakref.WeakKeyDictionary()


def add(graph: Any, runner: Any) -> None:
    """Has a `BatchRunner` told of such calls: `runner.asked(session, op, puts)`."""
    _runners.setdefault(graph, []).append(runner)
    if _notice not in watch.listeners:
        watch.listeners.append(_notice)


def _notice(call: Any) -> None:
    graph = call.session.graph
    runners = _runners.get(graph)
    if not runners:
        return
    items, fed = fetched(call), fed_ops(call) if call.feed_dict else set()
    cache = _touched.setdefault(graph, {})
    key = (*(item.name for item in items), "", *(op.name for op in fed))
    if key not in cache:
        cache[key] = _reached(list(map(op_of, items)), fed, runners)
    for place, name, puts in cache[key]:
        runners[place].asked(call.session, name, puts)


def _reached(ops: list[Any], fed: set[Any], runners: list[Any]) -> list[tuple[int, str, bool]]:
    """(position of the runner, an op of its upstream, whether it enqueues) for each reached."""
    needed = [op for op in ancestors(ops, fed) if op not in fed]
    found = []
    for place, runner in enumerate(runners):
        inner = runner.inner()
        reached = [op for op in needed if op in inner]
        if reached:
            puts = any(kind(op).startswith("QueueEnqueue") for op in reached)
            found.append((place, str(reached[0].name), puts))
    return found
