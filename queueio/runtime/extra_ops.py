"""Ops that ask or end a queue: found in the graph, or added when it has none.

The queues of tf.train come with both: a runner closes its queue, a summary reads its size. Only
for queues made by hand is anything added, and only when a call is already stuck.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import tensorflow.compat.v1 as tf

from queueio.runtime.topology import Topology, key, queue_of

_SCOPE = "queueio_watch/"


def size(topology: Topology, name: str) -> Any:
    """A tensor with the number of elements in the queue."""
    found = _existing(topology, name, ("QueueSize", "QueueSizeV2"), lambda op: True)
    return (found or _made(topology, name, "size")).outputs[0]


def cancel(topology: Topology, name: str) -> Any:
    """An op that closes the queue and cancels what waits to enqueue."""
    return _existing(
        topology,
        name,
        ("QueueClose", "QueueCloseV2"),
        lambda op: op.get_attr("cancel_pending_enqueues"),
    ) or _made(topology, name, "cancel")


def _existing(
    topology: Topology, name: str, types: tuple[str, ...], fits: Callable[[Any], bool]
) -> Any:
    for op in topology.graph.get_operations():
        if op.type in types and fits(op):
            queue = queue_of(op.inputs[0])
            if queue is not None and key(queue) == name:
                return op
    return None


def _made(topology: Topology, name: str, what: str) -> Any:
    handle = topology.queues[name].outputs[0]
    old = handle.dtype != tf.resource
    with _open(topology.graph):
        if what == "size":
            make = tf.raw_ops.QueueSize if old else tf.raw_ops.QueueSizeV2
            return make(handle=handle).op
        make = tf.raw_ops.QueueClose if old else tf.raw_ops.QueueCloseV2
        return make(handle=handle, cancel_pending_enqueues=True)


@contextmanager
def _open(graph: Any) -> Iterator[None]:
    """The graph as default, outside of every scope, not finalised for a moment."""
    finalized = graph.finalized
    if finalized:
        graph._unsafe_unfinalize()
    try:
        with (
            graph.as_default(),
            graph.control_dependencies(None),
            graph.device(None),
            graph.name_scope(_SCOPE),
        ):
            yield
    finally:
        if finalized:
            graph.finalize()
