"""The walk from fetches back to the sources, one stage at a time.

The lifter knows queues, enqueue ops and runners; what a queue or a read *is*, it asks the stages,
which registered for their op types and roles (queueio/plan/contract.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from queueio.compile.fragment import Fragment
from queueio.lift.enqueue import Put, put
from queueio.lift.feeders import Feeders, loop
from queueio.lift.index import Enqueue, Evaluator, Index, kind, root
from queueio.lift.reach import Reach
from queueio.lift.refusal import refuse
from queueio.lift.sparse import Stored, taken_from
from queueio.plan.contract import Role, lifter_of
from queueio.plan.node import Node


class Lifter:
    """Lifts streams of one graph; the `Walk` that stages are given.

    Args:
      graph: a `tf.Graph`.
      foreign: whether another process made it (a MetaGraph).
    """

    def __init__(self, graph: Any, *, foreign: bool = False) -> None:
        self.graph = graph
        self.foreign = foreign
        self.index = Index(graph)
        self._path: list[Any] = []
        self._running: list[Evaluator | None] = [None]
        self._feeders = Feeders(self.index)

    refuse = staticmethod(refuse)

    def readers_beside(self, op: Any) -> int:
        return self._feeders.readers_beside(op)

    def threads(self, queue_op: Any) -> int:
        return sum(evaluator.threads for evaluator, _ in self.index.feeders(queue_op))

    def constant(self, tensor: Any, what: str) -> Any:
        value = tf.get_static_value(tensor)
        if value is None:
            raise refuse(
                tensor.op,
                f"{what} is not a constant, so each session call may have another one",
                f"Give {what} as a Python number",
            )
        return value

    def elements(self, wanted: Sequence[Any], at: Any, controls: Sequence[Any] = ()) -> Node:
        """The stream whose components are `wanted`: tensors, or sparse ones in three parts."""
        tensors = [t for w in wanted for t in (w.parts if isinstance(w, Stored) else (w,))]
        specs = tuple(w.spec if isinstance(w, Stored) else _spec(w) for w in wanted)
        reach = Reach(tensors, controls)
        reach.check(run_by_runner=self._running[-1] is not None, foreign=self.foreign)
        if not reach.points:
            return self._source(reach, tensors, specs, at, many=False)
        streams = [self._point(op) for op in reach.points]
        stream = streams[0] if len(streams) == 1 else self._role(Role.ZIP)(self, at, streams)
        for counter in reach.counters:
            stream = self._role(Role.LIMIT)(self, counter, stream)
        return self._transform(reach, stream, tensors, specs, at)

    def source_of(self, wanted: Sequence[Any], at: Any, controls: Sequence[Any]) -> Node | None:
        """The rows of tensors that depend on no stream, or None if they do."""
        tensors = [t for t in wanted if not isinstance(t, Stored)]
        if len(tensors) != len(wanted):
            return None
        reach = Reach(tensors, controls)
        if reach.points:
            return None
        reach.check(run_by_runner=True, foreign=self.foreign)
        return self._source(reach, tensors, tuple(map(_row_spec, tensors)), at, many=True)

    def queue(self, handle: Any, consumer: Any) -> Node:
        op = root(handle).op
        lift = lifter_of(op.type)
        if lift is None:
            raise refuse(
                op,
                f"which queue {consumer.name!r} takes from is decided only when it runs",
                "Take from each queue, and choose among what came out",
            )
        if op in self._path:
            raise loop(op)
        self._feeders.check_consumers(op, consumer, self._running[-1])
        self._path.append(op)
        try:
            return lift(op, self)
        finally:
            self._path.pop()

    def stream_of(self, queue_op: Any, consumer: Any = None) -> Node:
        """The stream of a queue that only `consumer`, or nobody yet, takes from."""
        runs = self.index.evaluators_of.get(consumer)
        self._running.append(runs[0] if runs else None)
        try:
            return self.queue(queue_op.outputs[0], consumer)
        finally:
            self._running.pop()

    def feeds(self, queue_op: Any) -> Node:
        streams, widths = [], []
        for (evaluator, enqueue), width in self._feeders.groups(queue_op):
            self._running.append(evaluator)
            try:
                streams.append(self._enqueued(enqueue, evaluator))
            finally:
                self._running.pop()
            widths.append(width)
        if widths == [1]:
            return streams[0]
        return self._role(Role.JOIN)(self, queue_op, streams, tuple(widths))

    def sparse_components(self, queue_op: Any) -> frozenset[int]:
        """Which components of a queue are handles of sparse tensors."""
        found: set[int] = set()
        for enqueue in self.index.uses[queue_op].enqueues:
            taken = put(enqueue)
            if taken.inside is None:
                found |= {i for i, c in enumerate(taken.components) if isinstance(c, Stored)}
        return frozenset(found)

    def _enqueued(self, enqueue: Enqueue, evaluator: Evaluator) -> Node:
        taken, at = put(enqueue), enqueue.op if enqueue.body is None else enqueue.outer
        controls = [c for c in enqueue.op.control_inputs if enqueue.body is None]
        controls = [c for c in controls if not _is_pivot(c)]
        if enqueue.many and taken.condition is None and taken.rows is None:
            source = self.source_of(taken.components, at, controls)
            if source is not None:
                return source
        stream = self._put(taken, at, controls)
        if enqueue.many:
            stream = self._role(Role.ENQUEUE_MANY)(self, at, stream)
        if taken.rows is not None:
            stream = self._role(Role.KEEP_IF)(self, at, stream, True)
        return stream

    def _put(self, taken: Put, at: Any, controls: Sequence[Any]) -> Node:
        decides = [t for t in (taken.condition, taken.rows) if t is not None]
        stream = self.elements([*taken.components, *decides], at, controls)
        if taken.condition is not None:
            stream = self._role(Role.KEEP_IF)(self, at, stream, taken.branch)
        if taken.inside is not None:
            starts, ends = taken.inside
            fragment = Fragment.between(starts, ends)
            positions = tuple(range(len(starts)))
            specs = tuple(map(_spec, ends))
            stream = self._role(Role.TRANSFORM)(self, at, stream, fragment, positions, specs)
        return stream

    def _point(self, op: Any) -> Node:
        lift = lifter_of(op.type)
        if lift is None:
            raise refuse(op, "queueio does not know this way to take from a queue", "")
        return lift(op, self)

    def _source(
        self, reach: Reach, tensors: Sequence[Any], specs: tuple[Any, ...], at: Any, many: bool
    ) -> Node:
        fragment = Fragment.between([], tensors, outside=reach.counters)
        counter = min(reach.counters, key=lambda op: op.get_attr("limit"), default=None)
        return self._role(Role.SOURCE)(self, at, fragment, specs, counter, many)

    def _transform(
        self, reach: Reach, stream: Node, tensors: list[Any], specs: tuple[Any, ...], at: Any
    ) -> Node:
        ends = self._ends(reach)
        edge = set(reach.outside)
        tensors = [_plain(t, edge) for t in tensors]
        refs = [t.ref() for t in tensors]
        if refs == [None if e is None else e.ref() for e in ends] and len(specs) == len(
            stream.elements
        ):
            return stream
        needed = _needed(reach, tensors)
        takes = tuple(i for i, e in enumerate(ends) if e is not None and e.ref() in needed)
        starts = [ends[i] for i in takes]
        fragment = Fragment.between(starts, tensors, outside=reach.outside)
        self._check_whole(fragment, reach)
        return self._role(Role.TRANSFORM)(self, at, stream, fragment, takes, specs)

    def _ends(self, reach: Reach) -> list[Any]:
        """For each flat component of the points, the tensor that stands for it (None: unused)."""
        taken = {}
        for take in reach.takes:
            source = taken_from(take)
            if source is None:
                raise refuse(take, "the handles do not come straight from a queue", "")
            taken[source[0], source[1]] = take.outputs
        ends: list[Any] = []
        for op in reach.points:
            sparse = self.sparse_components(root(op.inputs[0]).op) if _dequeues(op) else ()
            for i, output in enumerate(op.outputs):
                if i in sparse:
                    ends += list(taken.get((op, i), [None] * 3))
                else:
                    ends.append(output)
        return ends

    def _check_whole(self, fragment: Fragment, reach: Reach) -> None:
        """Nothing of a stream may be left inside: a handle used by anything but its map."""
        for op in fragment.ops:
            if op in reach.points or op in reach.counters or op in reach.takes:
                raise refuse(
                    op,
                    "its result is used in a way that is neither an example nor a limit",
                    "Use the tensors of the example only",
                )

    def _role(self, role: Role) -> Any:
        lift = lifter_of(role)
        assert lift is not None, f"no stage plays {role}"
        return lift


def _dequeues(op: Any) -> bool:
    return kind(op).startswith("QueueDequeue")


def _is_pivot(op: Any) -> bool:
    return op.type in ("Switch", "Identity") and root(op.outputs[0]) is not op.outputs[0]


def _plain(tensor: Any, edge: set[Any]) -> Any:
    """`tensor` behind identities that only wait for the stream itself."""
    while tensor.op.type == "Identity" and all(c in edge for c in tensor.op.control_inputs):
        if repr(tensor.op.inputs[0].shape) != repr(tensor.shape):
            break  # set_shape was called on it
        tensor = tensor.op.inputs[0]
    return tensor


def _needed(reach: Reach, tensors: Sequence[Any]) -> set[Any]:
    refs = {t.ref() for t in tensors}
    for op in reach.inside:
        refs.update(t.ref() for t in op.inputs)
    return refs


def _spec(tensor: Any) -> Any:
    return tf.TensorSpec(tensor.shape, tensor.dtype.base_dtype)


def _row_spec(tensor: Any) -> Any:
    shape = tensor.shape
    return tf.TensorSpec(shape[1:] if shape.rank else shape, tensor.dtype.base_dtype)
