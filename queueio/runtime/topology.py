"""Which queue feeds which, as messages speak of it: the graph, read back from a queue to the files.

Only looked at when something has gone wrong, so nothing is cached.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import tensorflow.compat.v1 as tf

from queueio.graph.index import Index
from queueio.graph.origin import origin
from queueio.graph.runners import says_what_it_runs
from queueio.graph.traversal import ancestors, is_enqueue, is_queue, op_of, taken_from
from queueio.words import ENGINE_SCOPE, stage


class Topology:
    """The queues of one graph, what fills them and who runs that.

    `stand_ins`: by the key of a queue that only the data engine knows, the runner whose finished
    batches wait in it. What is told names that runner's own queue instead (`shown`).
    """

    def __init__(self, graph: Any) -> None:
        self.graph = graph
        collected = collected_runners(graph)
        index = Index(graph, collected, stand_ins=True)
        self.queues = {key(op): op for op in index.queues}
        self.runners: dict[str, list[Any]] = {}
        self.stand_ins: dict[str, Any] = {}
        for runner in collected:
            for queue in index.filled_by(runner):
                self.runners.setdefault(key(queue), []).append(runner)
            if getattr(runner, "ready", None) is not None:
                self.stand_ins[key(runner.ready)] = runner
                self.runners[key(runner.ready)] = [runner]
        self.producers: dict[str, list[Any]] = {}
        self.takers: dict[str, list[Any]] = {}
        for queue, use in index.uses.items():
            if is_queue(queue):
                self.producers.setdefault(key(queue), []).extend(each.at for each in use.enqueues)
                self.takers.setdefault(key(queue), []).extend(use.takers)
        for name, runners in self.runners.items():
            for op in {op_of(op) for runner in runners for op in runner.enqueue_ops}:
                if op not in self.producers.get(name, []):  # a cond around the enqueue
                    self.producers.setdefault(name, []).append(op)
        for runner in collected:
            for name in self.filled_by(runner.enqueue_ops):
                if runner not in self.runners.setdefault(name, []):
                    self.runners[name].append(runner)

    def named(self, text: str) -> str | None:
        """The key of the queue that TensorFlow calls by `text` in a message."""
        for name, op in self.queues.items():
            if text == name or text.endswith("_" + op.name):
                return name
        return None

    def sources_of(self, ops: Iterable[Any]) -> list[str]:
        """Keys of the queues that these ops take elements from, directly or on the way."""
        queues = filter(None, map(taken_from, ancestors(ops)))
        return list(dict.fromkeys(map(key, queues)))

    def filled_by(self, ops: Iterable[Any]) -> list[str]:
        """Keys of the queues that these ops put elements into, directly or on the way.

        One op may fill several: a group of enqueues, or one that waits for another. None of those
        that the data engine keeps for itself, which are full while all goes well.
        """
        run = set(ancestors(op for op in map(op_of, ops) if isinstance(op, tf.Operation)))
        return [
            name for name, producers in self.producers.items()
            if run.intersection(producers) and not self._is_hidden(name)
        ]  # fmt: skip

    def _is_hidden(self, name: str) -> bool:
        """Whether a queue is the data engine's, and stands for none of the user's."""
        queue = self.queues.get(name)
        return queue is not None and is_of_engine(queue) and name not in self.stand_ins

    def upstream(self, name: str) -> list[str]:
        """`name` and every queue that its elements come through, nearest first."""
        found = [name]
        for queue in found:
            sources = self.sources_of(self.producers.get(queue, ()))
            for source in [self.shown(queue)] if queue in self.stand_ins else sources:
                if source not in found:
                    found.append(source)
        return found

    def shown(self, name: str) -> str:
        """The queue that the user knows where `name` is."""
        runner = self.stand_ins.get(name)
        return name if runner is None else key(queue_op_of(runner))

    def stage(self, name: str) -> str:
        """How a message names a queue: the stage that it belongs to, and the line that made it."""
        queue = self.queues[name]
        return f"{stage_name(queue)!r} ({origin(queue)})"

    def before(self, name: str) -> list[Any]:
        """Every op of the user's that the elements of a queue come through."""
        queues = [queue for queue in self.upstream(name) if queue not in self.stand_ins]
        return ancestors(op for queue in queues for op in self.producers.get(queue, ()))


def key(queue_op: Any) -> str:
    """What identifies a queue: two ops with one shared_name are the same queue.

    Of an op that chooses a queue in the run (`QueueBase.from_list`), its name.
    """
    shared = queue_op.get_attr("shared_name") if is_queue(queue_op) else b""
    return str(shared.decode() if shared else queue_op.name)


def queue_op_of(runner: Any) -> Any:
    """The queue op of a runner, whose queue may be an object, a tensor or an op."""
    return op_of(getattr(runner.queue, "queue_ref", runner.queue))


def collected_runners(graph: Any) -> list[Any]:
    """Every queue runner in any collection of the graph, each once."""
    items = [i for name in graph.get_all_collection_keys() for i in graph.get_collection_ref(name)]
    return list(dict.fromkeys(i for i in items if says_what_it_runs(i)))


def silent_runners(graph: Any) -> list[str]:
    """The classes of what is collected as a queue runner and names no op that it runs."""
    items = graph.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
    return list(dict.fromkeys(type(i).__name__ for i in items if not says_what_it_runs(i)))


def is_conditional(enqueue_op: Any) -> bool:
    """Whether an enqueue op may run and enqueue nothing: a cond around it, or a partition."""
    return not is_enqueue(enqueue_op) or any(
        tensor.op.type == "DynamicPartition" for tensor in enqueue_op.inputs
    )


def stage_name(queue_op: Any) -> str:
    """How a stage is called in a message: after its scope, or its queue."""
    return stage(queue_op.name)


def is_of_engine(op: Any) -> bool:
    """Whether an op is one that the data engine added, of which nobody else knows."""
    return f"/{ENGINE_SCOPE}/" in op.name
