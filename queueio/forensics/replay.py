"""Runs the failing ops again on one record at a time, to see which record they fail on.

No op is added to the graph: the read op's outputs are fed, and the failing op's output is
fetched. A queue on the way is bridged by feeding its dequeue with what its enqueue would have
put in. Nothing is replayed that could take from a queue, change a variable or call Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.forensics.records import FileRecord
from queueio.forensics.sources import WHOLE_READS, enqueues
from queueio.graph.error_text import failing_op, readable
from queueio.graph.index import Index
from queueio.graph.own_session import own_session
from queueio.graph.static_values import static_value
from queueio.graph.traits import State, row_of, traits_of
from queueio.graph.traversal import ancestors, is_dequeue, is_enqueue, is_take, root, upstream
from queueio.runtime.calls import run_unwatched


class CannotReplay(Exception):
    """The way from the record to the failing op has more than the record to it."""


def _acts(op: tf.Operation) -> bool:
    """Whether to run an op again would act, or leave something to later runs of the program."""
    row = traits_of(op)
    remembers = row.state is State.WRITES or (row.state is State.OWN and not row.seeded)
    calls = op.op_def.is_stateful and any(a.HasField("func") for a in op.node_def.attr.values())
    return row.effect is not None or remembers or calls or op.type == "Placeholder"


class Runner:
    """Runs parts of a graph in a session, or in a private one where there is none or it is closed.

    Past whatever watches its calls: these are not the program's.
    """

    def __init__(self, session: Any, graph: tf.Graph) -> None:
        runs = isinstance(session, tf.compat.v1.Session | tf.compat.v1.InteractiveSession)
        self._session = session if runs else None
        self._graph = graph

    def __call__(self, fetches: list[tf.Tensor], feeds: dict[tf.Tensor, Any]) -> Any:
        if self._session is None or self._session._closed:  # no public spelling
            self._session = own_session(self._graph)
        return run_unwatched(self._session, fetches, feeds)


def _array(value: Any) -> np.ndarray:
    """The value as an array; of bytes one of objects, as numpy's own drops their last NULs."""
    return np.array(value, object) if isinstance(value, bytes) else np.asarray(value)


class Way:
    """The way of records from a read op to whatever tensors hang on it."""

    def __init__(self, read: tf.Operation, run: Runner):
        """Args: the read op, and how to run."""
        self._read, self._run, self._index = read, run, Index(read.graph)
        self._rows: int | None = None
        self.up_to: dict[tf.Operation, int] = {}
        """The dequeues on the way that give what is left at the end, and their whole batches."""

    def values(self, fetches: list[tf.Tensor], record: FileRecord) -> list[np.ndarray]:
        """What the tensors are where the record is all that comes; of a batch, in each row.

        Raises:
          CannotReplay: the way cannot be run.
          tf.errors.OpError: it fails on the record.
        """
        return self._values(fetches, fetches, record)

    def _points(self, tensors: list[tf.Tensor]) -> list[tf.Operation]:
        """The stream points that tensors hang on; refuses ways with side effects."""
        self._check_run(tensors)
        return [op for op in ancestors(tensors, self._stops, control=False) if self._stops(op)]

    def _check_run(self, fetches: Iterable[Any]) -> None:
        """Refuses to run what acts, also by a control edge alone: a point is fed, not waited for.

        An enqueue in a cond is such an op, as the cond's result is no tensor that it makes.
        """
        run = [op for op in ancestors(fetches, self._stops) if not self._stops(op)]
        waits = {op for later in run for op in later.control_inputs if self._stops(op)}
        for op in [*run, *waits]:
            if op in waits or _acts(op):
                raise CannotReplay(f"{op.type} op {op.name} lies on the way")

    def _stops(self, op: tf.Operation) -> bool:
        return is_take(op) or op is self._read

    def _values(
        self, fetches: list[tf.Tensor], inputs: list[tf.Tensor], record: FileRecord
    ) -> list[np.ndarray]:
        points = self._points(inputs)
        feeds: dict[tf.Tensor, Any] = {}
        for point in points:
            if point is self._read:
                feeds.update(self._record_feed(record))
            elif is_dequeue(point):
                feeds.update(self._dequeue_feed(point, record))
            else:
                raise CannotReplay(f"{point.name} reads from elsewhere")
        fed = {tensor.ref(): value for tensor, value in feeds.items()}
        others = [t for t in fetches if t.ref() not in fed]
        got = iter(self._run(others, feeds) if others else [])
        return [fed[t.ref()] if t.ref() in fed else next(got) for t in fetches]

    def _record_feed(self, record: FileRecord) -> dict[tf.Tensor, Any]:
        if self._read.type in WHOLE_READS:
            return {self._read.outputs[0]: record.value}
        many = "UpTo" in self._read.type
        shape: Callable[[bytes], Any] = (lambda v: [v]) if many else (lambda v: v)
        key, value = self._read.outputs
        return {key: shape(record.key.encode()), value: shape(record.value)}

    def _feeders(self, dequeue: tf.Operation) -> list[tf.Operation]:
        """The enqueue ops of a dequeue's queue that this reader's records go through."""
        found = enqueues(upstream(dequeue), self._index)
        return [op for op in found if any(map(self._leads, op.inputs[1:]))]

    def _leads(self, tensor: tf.Tensor) -> bool:
        seen = ancestors([tensor], self._stops, control=False)
        return self._read in seen or any(self._feeders(op) for op in seen if is_dequeue(op))

    def _dequeue_feed(self, dequeue: tf.Operation, record: FileRecord) -> dict[tf.Tensor, Any]:
        feeders = self._feeders(dequeue)
        if not feeders:
            raise CannotReplay(f"{dequeue.name} is fed from elsewhere")
        tensors = list(feeders[0].inputs)[1:]
        values = self._values(tensors, tensors, record)
        if "EnqueueMany" in feeders[0].type:
            values = [v[0] for v in values]
        if "Many" in dequeue.type or "UpTo" in dequeue.type:
            rows = self._rows_of(dequeue)
            values = [np.stack([_array(v)] * rows) for v in values]
        return dict(zip(dequeue.outputs, values, strict=True))

    def _rows_of(self, dequeue: tf.Operation) -> int:
        """How many rows a dequeue gives: a whole batch, or what is asked for in its place."""
        whole = int(static_value(dequeue.inputs[1]) or 1)
        if "UpTo" not in dequeue.type:
            return whole
        self.up_to[dequeue] = whole
        return min(self._rows or whole, whole)


class Replay(Way):
    """A way from a read op to a failing op."""

    def __init__(self, read: tf.Operation, failed: tf.Operation, ran: tf.Operation, run: Runner):
        """Args: the read op, the op that failed, the op that was run, and how to run."""
        super().__init__(read, run)
        in_loop = failed._get_control_flow_context() is not None or not failed.outputs
        target = ran if in_loop else failed
        self.is_enqueue = is_enqueue(target)
        inputs = list(target.inputs)[1 if self.is_enqueue else 0 :]
        self._inputs: list[tf.Tensor] = inputs
        fetches = inputs if self.is_enqueue else target.outputs
        self._fetches = [t for t in fetches if t.dtype not in (tf.resource, tf.variant)]
        self._target, self._name = target, failed.name
        if not self.is_enqueue and _acts(target):
            raise CannotReplay(f"{target.type} op {target.name} cannot be run again")
        self._check_run(inputs if self.is_enqueue else [target])

    def is_unaltered(self) -> bool:
        """Whether the failing op gets the record's bytes as they are."""
        between = ancestors(self._inputs[:1], self._stops, control=False)
        if not all(
            self._stops(op) or op.type == "Const" or row_of(op.type).moves for op in between
        ):
            return False
        for op in between:
            if is_dequeue(op):
                sources = [t for e in self._feeders(op) for t in e.inputs[1:]]
                if not all(t.op is self._read or row_of(t.op.type).moves for t in sources):
                    return False
        return True

    def failure(self, record: FileRecord, rows: int | None = None) -> tf.errors.OpError | None:
        """The error that a record makes the op raise, if it is this op that raises.

        Args:
          record: the record, of which all batches on the way are full.
          rows: how many a batch has that may be smaller at the end; None for a whole one.

        Raises:
          CannotReplay: if the way to the op cannot be run.
        """
        self._rows = rows
        try:
            values = self._values(self._fetches, self._inputs, record)
        except tf.errors.OpError as error:
            at = failing_op(error, self._target.graph) or self._target
            return error if at.name == self._name or self._may_be_left_out(at) else None
        except (RuntimeError, ValueError, TypeError) as error:
            told = readable(error, self._target.graph)
            if isinstance(told, tf.errors.OpError):
                return told if told.op is None or told.op.name == self._name else None
            raise CannotReplay(str(error)) from error
        return self._misfit(values) if self.is_enqueue else None

    def _may_be_left_out(self, op: tf.Operation) -> bool:
        """Whether a queue can be the first to see what an op before it would have refused.

        Grappler takes a reshape of a vector to a vector for nothing, whatever its size.
        """
        return self.is_enqueue and bool(op.outputs) and row_of(op.type).views

    def _misfit(self, values: list[np.ndarray]) -> tf.errors.OpError | None:
        """For an enqueue op: the component that does not fit the queue's shapes."""
        shapes = root(self._target.inputs[0]).op.get_attr("shapes")
        if self._target.type.startswith("QueueEnqueueMany"):
            values = [v[0] for v in values if len(v)]
        for index, (value, proto) in enumerate(zip(values, shapes, strict=False)):
            got, wanted = tf.TensorShape(np.shape(value)), tf.TensorShape(proto)
            if not wanted.is_compatible_with(got):
                text = f"component {index} has shape {got}, the queue takes {wanted}"
                return tf.errors.InvalidArgumentError(None, self._target, text)
        return None
