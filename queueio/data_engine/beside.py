"""Batches of a queue that the program takes examples from itself, beside them.

TF1's batch takes its examples when a call asks for it, and not before. So there nothing waits
ready: a call that takes a batch passes that one on itself, in the same step, and finds the example
queue as TF1's call would: what is left in it, and its end.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Container
from typing import Any

from queueio.graph.hanging import hanging
from queueio.graph.index import Index
from queueio.graph.traversal import taken_from
from queueio.runtime import calls, ledger
from queueio.runtime.calls import Along, SessionCall


class _Known:
    """What is known of a graph; it hangs on the graph, which a table of ours would keep alive.

    Attributes:
      runners: those whose examples, or records, the program takes, too.
      needed: by a call's key, the queues that it takes from.
    """

    def __init__(self) -> None:
        self.runners: list[Any] = []
        self.needed: dict[Any, set[Any]] = {}


def takers(index: Index, queue_op: Any, ours: Container[Any]) -> list[Any]:
    """The ops beside `ours` that take examples of a queue, or may take some."""
    use = index.uses[queue_op]
    return [op for op in (*use.takers, *use.unclear) if op not in ours]


def notice(queue: Any, runner: Any) -> None:
    """Has `add` called when the program makes an op that takes out of `queue`."""
    for name in ("dequeue", "dequeue_many", "dequeue_up_to"):
        setattr(queue, name, _adding(getattr(queue, name), runner))


def _adding(take: Callable[..., Any], runner: Any) -> Callable[..., Any]:
    @functools.wraps(take)
    def taken(*args: Any, **kwargs: Any) -> Any:
        made = take(*args, **kwargs)
        add(runner)
        return made

    return taken


def add(runner: Any) -> None:
    """Has calls pass on what they take out of `runner.ready` where `runner.passes_on(session)`."""
    known = hanging(runner.ready.graph, "beside", _Known)
    if runner not in known.runners:
        known.runners.append(runner)
    if _pass_on not in calls.along:
        calls.along.append(_pass_on)


def _pass_on(call: SessionCall) -> Along | None:
    known = hanging(call.session.graph, "beside", _Known)
    if not known.runners:
        return None
    if call.key not in known.needed:
        known.needed[call.key] = set(filter(None, map(taken_from, call.runs())))
    session = ledger.innermost(call.session)
    wanted = [each for each in known.runners if each.ready in known.needed[call.key]]
    passed = [each.also_runs for each in wanted if each.passes_on(session)]
    return Along(passed, _nothing) if passed else None


def _nothing(values: list[Any]) -> None:
    """The ops give none."""
