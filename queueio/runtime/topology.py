"""Which op feeds which queue: the graph, read backwards from a queue to the files.

Only looked at when something has gone wrong, so nothing is cached.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import tensorflow.compat.v1 as tf


def _both(*names: str) -> frozenset[str]:
    """Old graphs have the op without V2."""
    return frozenset(names) | frozenset(f"{name}V2" for name in names)


QUEUES = _both("FIFOQueue", "RandomShuffleQueue", "PaddingFIFOQueue", "PriorityQueue")
ENQUEUES = _both("QueueEnqueue", "QueueEnqueueMany")
DEQUEUES = _both("QueueDequeue", "QueueDequeueMany", "QueueDequeueUpTo")
READS = _both("ReaderRead", "ReaderReadUpTo")
COUNTERS = frozenset({"CountUpTo", "ResourceCountUpTo"})
# What may stand between a queue and the op that uses its handle, in a cond or a loop.
_PASSING = frozenset({"Identity", "RefIdentity", "Enter", "RefEnter", "Switch", "RefSwitch"})


class Topology:
    """The queues of one graph, what fills them and who runs that."""

    def __init__(self, graph: Any) -> None:
        self.graph = graph
        ops = graph.get_operations()
        self.queues = {key(op): op for op in ops if op.type in QUEUES}
        self.runners: dict[str, list[Any]] = {}
        for runner in collected_runners(graph):
            self.runners.setdefault(key(queue_op_of(runner)), []).append(runner)
        self.producers: dict[str, list[Any]] = {}
        for op in ops:
            if op.type in ENQUEUES:
                self._add_producer(queue_of(op.inputs[0]), op)
        for name, runners in self.runners.items():
            for op in {op_of(op) for runner in runners for op in runner.enqueue_ops}:
                if op not in self.producers.get(name, []):  # a cond around the enqueue
                    self.producers.setdefault(name, []).append(op)

    def _add_producer(self, queue: Any, op: Any) -> None:
        if queue is not None:
            self.producers.setdefault(key(queue), []).append(op)

    def named(self, text: str) -> str | None:
        """The key of the queue that TensorFlow calls by `text` in a message."""
        for name, op in self.queues.items():
            if text == name or text.endswith("_" + op.name):
                return name
        return None

    def sources_of(self, ops: Iterable[Any]) -> list[str]:
        """Keys of the queues that these ops take elements from, directly or on the way."""
        found: list[str] = []
        for op in ancestors(ops):
            queue = taken_from(op)
            if queue is not None and key(queue) not in found:
                found.append(key(queue))
        return found

    def upstream(self, name: str) -> list[str]:
        """`name` and every queue that its elements come through, nearest first."""
        found = [name]
        for queue in found:
            for source in self.sources_of(self.producers.get(queue, ())):
                if source not in found:
                    found.append(source)
        return found


def key(queue_op: Any) -> str:
    """What identifies a queue: two ops with one shared_name are the same queue."""
    shared = queue_op.get_attr("shared_name")
    return shared.decode() if shared else queue_op.name


def op_of(fetch: Any) -> Any:
    """The op of what a runner runs: a cond around an enqueue is given as its output tensor."""
    return getattr(fetch, "op", fetch)


def queue_op_of(runner: Any) -> Any:
    """The queue op of a runner, whose queue may be an object, a tensor or an op."""
    ref = getattr(runner.queue, "queue_ref", runner.queue)
    return getattr(ref, "op", ref)


def queue_of(handle: Any) -> Any:
    """The queue op behind a handle; None when it comes from elsewhere."""
    op = handle.op
    while op.type in _PASSING:
        op = op.inputs[0].op
    return op if op.type in QUEUES else None


def taken_from(op: Any) -> Any:
    """The queue op that `op` takes elements from: a dequeue, or a reader's next file."""
    if op.type in DEQUEUES:
        return queue_of(op.inputs[0])
    if op.type in READS:
        return queue_of(op.inputs[1])
    return None


def ancestors(ops: Iterable[Any], fed: Collection[Any] = ()) -> list[Any]:
    """`ops` and everything they need, nearest first, not looking behind fed ops."""
    found = list(dict.fromkeys(ops))
    seen = set(found)
    for op in found:
        if op in fed:
            continue
        for needed in [*(tensor.op for tensor in op.inputs), *op.control_inputs]:
            if needed not in seen:
                seen.add(needed)
                found.append(needed)
    return found


def collected_runners(graph: Any) -> list[Any]:
    """Every queue runner in any collection of the graph, each once."""
    found: dict[int, Any] = {}
    for name in graph.get_all_collection_keys():
        for item in graph.get_collection_ref(name):
            if isinstance(item, tf.train.QueueRunner):
                found.setdefault(id(item), item)
    return list(found.values())


def stage_name(queue_op: Any) -> str:
    """How a stage is called in a message: the scope its queue lives in."""
    scope: str = queue_op.name.rpartition("/")[0] or queue_op.name
    return scope.removesuffix("/queueio")  # the ready batches of the data engine are its batch's
