"""A session call of the program's own that enqueues rows which may be empty, run so that it lives.

What the call runs in place of its enqueue_many is what a queue runner's thread runs
(threads/empty_rows.py). Where something else in the call needs the enqueue op as well, both would
run, and every row would be there twice: then the op stays.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import tensorflow.compat.v1 as tf

from queueio.graph.hanging import hanging
from queueio.graph.traversal import ancestors
from queueio.runtime.calls import SessionCall
from queueio.runtime.diagnosis.queues import opened
from queueio.runtime.threads.empty_rows import lasting_op

_SCOPE = "queueio_lasting/"


def lasting_fetches(call: SessionCall) -> Any:
    """What to fetch for a call: the same, or the same with other enqueue ops."""
    if not call.enqueues():
        return call.fetches
    graph = call.session.graph
    known: dict[Any, Any] = hanging(graph, "lasting", dict)
    others = {op: _lasting(op, known) for op in call.ops()}
    others = {op: other for op, other in others.items() if other is not op}
    if not others:
        return call.fetches
    run = set(ancestors(others.get(op, op) for op in call.ops()))
    if run.intersection(call.enqueues()):
        return call.fetches
    return _with(others, call.fetches, graph)


def _lasting(op: Any, known: dict[Any, Any]) -> Any:
    """What lasts in place of an enqueue op or of a group of some; any other op itself."""
    if op not in known:
        known[op] = op
        if op.type == "NoOp":
            parts = [_lasting(each, known) for each in op.control_inputs]
            if parts != list(op.control_inputs):
                with opened(op.graph, _SCOPE):
                    known[op] = tf.group(*parts)
        else:
            known[op] = lasting_op(op)
    return known[op]


def _with(others: dict[Any, Any], item: Any, graph: Any) -> Any:
    kind = item.__class__
    if kind is dict or kind is OrderedDict:
        return kind((name, _with(others, part, graph)) for name, part in item.items())
    if kind is list or kind is tuple:
        return kind(_with(others, part, graph) for part in item)
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return kind(*(_with(others, part, graph) for part in item))
    named = graph.as_graph_element(item) if isinstance(item, (str, bytes)) else item
    return others.get(named, item) if isinstance(named, tf.Operation) else item
