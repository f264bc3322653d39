"""What a session call takes from queues and readers, itself."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Any

from queueio.graph.hanging import hanging
from queueio.graph.index import Index
from queueio.graph.traits import row_of
from queueio.graph.traversal import (
    ancestors,
    is_barrier_take,
    is_dequeue,
    is_enqueue,
    is_take,
    taken_from,
)


def takes(ops: Iterable[Any], fed: Container[Any] = ()) -> list[Any]:
    """The dequeues and reads that `ops` need, but for what they only pass into a queue.

    What takes from a barrier is among them: tf.contrib's state saver gives its batches that way.
    """
    found = ancestors(ops, lambda op: op in fed or is_enqueue(op))
    return [op for op in found if (is_take(op) or is_barrier_take(op)) and op not in fed]


def takes_of(call: Any) -> dict[Any, str]:
    """The takes of a session call and what the report calls them, looked for once for all calls
    of the same fetches and feeds."""
    known: dict[Any, dict[Any, str]] = hanging(call.session.graph, "takes", dict)
    if call.key not in known:
        known[call.key] = {take: name_of(take) for take in takes(call.ops(), call.fed())}
    return known[call.key]


def taken_in_calls(graph: Any) -> Iterator[Iterable[Any]]:
    """What each call took, of all those of a graph that `takes_of` was asked of."""
    yield from list(hanging(graph, "takes", dict).values())


def is_of_tokens(queue: Any, index: Index) -> bool:
    """Whether a queue that processes share is filled with nothing but constants and variables.

    So `SyncReplicasOptimizer` has workers wait for one another: that is no input of a model.
    """
    filling = index.filling(queue) if queue.get_attr("shared_name") else []
    elements = [tensor.op for each in filling for tensor in each.op.inputs[1:]]
    return bool(elements) and all(map(_is_known, ancestors(elements, control=False)))


def _is_known(op: Any) -> bool:
    """Whether nothing that is read, fed or drawn is in what an op gives."""
    row = row_of(op.type)
    if op.type.startswith("Placeholder"):
        return False
    return row.pure or row.steady or row.makes == "variable"


def name_of(take: Any) -> str:
    """How the report calls a take: by its queue; a read, which has a name of its own, by that."""
    queue = taken_from(take) if is_dequeue(take) else None
    return str(take.name if queue is None else queue.name)
