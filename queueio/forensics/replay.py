"""Runs the failing ops again on one record at a time, to see which record they fail on.

No op is added to the graph: the read op's outputs are fed, and the failing op's output is
fetched. A queue on the way is bridged by feeding its dequeue with what its enqueue would have
put in. Nothing is replayed that could take from a queue, change a variable or call Python.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.forensics.records import Record
from queueio.forensics.sources import WHOLE_READS, ancestors, enqueues, is_stream, queue_of

_EFFECTS = re.compile(
    r"(Ref)?(Resource)?(Assign|CountUpTo|Scatter)|.*PyFunc|Queue(?!Dequeue)|Barrier|Stage|Unstage"
    r"|Print|Write|Save|Placeholder$|If$|While$|Case$|StatefulPartitionedCall"
)
_UNALTERED = ("Identity", "Reshape", "ExpandDims", "Squeeze", "Pack", "Unpack")


class CannotReplay(Exception):
    """The way from the record to the failing op has more than the record to it."""


def core(error: BaseException) -> str:
    """An error's own sentence, without TensorFlow's description of the node around it."""
    text = str(getattr(error, "message", None) or error)
    text = re.split(r"\s*\n?\s*\[\[", text.split("\nOriginal stack trace")[0])[0]
    if "Graph execution error:" in text:
        text = text.rpartition("\nNode: ")[2].partition("\n")[2] or text
    return text.strip()


def failed_op(error: BaseException, op: tf.Operation) -> tf.Operation:
    """The op that raised, as far as the error tells; else `op`."""
    found = getattr(error, "op", None)
    if found is not None and found.graph is op.graph:
        return found
    for name in re.findall(r"\[\[\{?\{?(?:node )?([^\s\]}]+)", str(getattr(error, "message", ""))):
        try:
            return op.graph.get_operation_by_name(name)
        except (KeyError, ValueError):
            continue
    return op


class Runner:
    """Runs parts of a graph in a session, or in a private one where there is none or it is closed.

    By `make_callable`: four times faster than `Session.run`, which matters for thousands of
    records, and past whatever watches that.
    """

    def __init__(self, session: Any, graph: tf.Graph) -> None:
        self._session, self._graph = session, graph
        self._callables: dict[Any, Any] = {}

    def __call__(self, fetches: list[tf.Tensor], feeds: dict[tf.Tensor, Any]) -> Any:
        key = (tuple(t.ref() for t in fetches), tuple(t.ref() for t in feeds))
        if key not in self._callables:
            self._callables[key] = self._made(fetches, list(feeds))
        return self._callables[key](*feeds.values())

    def _made(self, fetches: list[tf.Tensor], feeds: list[tf.Tensor]) -> Any:
        try:
            return self._session.make_callable(fetches, feeds)
        except (AttributeError, RuntimeError):
            self._session = tf.compat.v1.Session(graph=self._graph)
            return self._session.make_callable(fetches, feeds)


class Replay:
    """A way from a read op to a failing op."""

    def __init__(self, read: tf.Operation, failed: tf.Operation, ran: tf.Operation, run: Runner):
        """Args: the read op, the op that failed, the op that was run, and how to run."""
        self._read, self._run = read, run
        in_loop = failed._get_control_flow_context() is not None or not failed.outputs
        target = ran if in_loop else failed
        self.is_enqueue = target.type.startswith("QueueEnqueue")
        inputs = list(target.inputs)[1 if self.is_enqueue else 0 :]
        self._inputs: list[tf.Tensor] = inputs
        fetches = inputs if self.is_enqueue else target.outputs
        self._fetches = [t for t in fetches if t.dtype not in (tf.resource, tf.variant)]
        self._target, self._name = target, failed.name
        if _EFFECTS.match(target.type) and not self.is_enqueue:
            raise CannotReplay(f"{target.type} op {target.name} cannot be run again")
        self._points(self._inputs)

    def is_unaltered(self) -> bool:
        """Whether the failing op gets the record's bytes as they are."""
        between = ancestors(self._inputs[:1], self._stops)
        if not all(self._stops(op) or op.type in (*_UNALTERED, "Const") for op in between):
            return False
        for op in between:
            if op.type.startswith("QueueDequeue"):
                sources = [t for e in self._feeders(op) for t in e.inputs[1:]]
                if not all(t.op is self._read or t.op.type in _UNALTERED for t in sources):
                    return False
        return True

    def failure(self, record: Record) -> tf.errors.OpError | None:
        """The error that a record makes the op raise, if it is this op that raises.

        Raises:
          CannotReplay: if the way to the op cannot be run.
        """
        try:
            values = self._values(self._fetches, self._inputs, record)
        except tf.errors.OpError as error:
            at = failed_op(error, self._target)
            return error if at.name == self._name else None
        except (RuntimeError, ValueError, TypeError) as error:
            raise CannotReplay(str(error)) from error
        return self._misfit(values) if self.is_enqueue else None

    def _points(self, tensors: list[tf.Tensor]) -> list[tf.Operation]:
        """The stream points that tensors hang on; refuses ways with side effects."""
        points = []
        for op in ancestors(tensors, self._stops):
            if self._stops(op):
                points.append(op)
            elif _EFFECTS.match(op.type):
                raise CannotReplay(f"{op.type} op {op.name} lies on the way")
        return points

    def _stops(self, op: tf.Operation) -> bool:
        return is_stream(op) or op is self._read

    def _values(
        self, fetches: list[tf.Tensor], inputs: list[tf.Tensor], record: Record
    ) -> list[np.ndarray]:
        points = self._points(inputs)
        feeds: dict[tf.Tensor, Any] = {}
        for point in points:
            if point is self._read:
                feeds.update(self._record_feed(record))
            elif point.type.startswith("QueueDequeue"):
                feeds.update(self._dequeue_feed(point, record))
            else:
                raise CannotReplay(f"{point.name} reads from elsewhere")
        return list(self._run(fetches, feeds))

    def _record_feed(self, record: Record) -> dict[tf.Tensor, Any]:
        if self._read.type in WHOLE_READS:
            return {self._read.outputs[0]: record.value}
        many = "UpTo" in self._read.type
        shape: Callable[[bytes], Any] = (lambda v: [v]) if many else (lambda v: v)
        key, value = self._read.outputs
        return {key: shape(record.key.encode()), value: shape(record.value)}

    def _feeders(self, dequeue: tf.Operation) -> list[tf.Operation]:
        """The enqueue ops of a dequeue's queue that this reader's records go through."""
        found = []
        for enqueue in enqueues(queue_of(dequeue)):
            if any(self._leads(t) for t in enqueue.inputs[1:]):
                found.append(enqueue)
        return found

    def _leads(self, tensor: tf.Tensor) -> bool:
        seen = ancestors([tensor], self._stops)
        return self._read in seen or any(
            self._feeders(op) for op in seen if op.type.startswith("QueueDequeue")
        )

    def _dequeue_feed(self, dequeue: tf.Operation, record: Record) -> dict[tf.Tensor, Any]:
        feeders = self._feeders(dequeue)
        if not feeders:
            raise CannotReplay(f"{dequeue.name} is fed from elsewhere")
        tensors = list(feeders[0].inputs)[1:]
        values = self._values(tensors, tensors, record)
        if "EnqueueMany" in feeders[0].type:
            values = [v[0] for v in values]
        if "Many" in dequeue.type or "UpTo" in dequeue.type:
            rows = int(dequeue.outputs[0].shape[:1].num_elements() or 1)
            values = [np.stack([np.asarray(v)] * rows) for v in values]
        return dict(zip(dequeue.outputs, values, strict=True))

    def _misfit(self, values: list[np.ndarray]) -> tf.errors.OpError | None:
        """For an enqueue op: the component that does not fit the queue's shapes."""
        shapes = queue_of(self._target).get_attr("shapes")
        if self._target.type.startswith("QueueEnqueueMany"):
            values = [v[0] for v in values if len(v)]
        for index, (value, proto) in enumerate(zip(values, shapes, strict=False)):
            got, wanted = tf.TensorShape(np.shape(value)), tf.TensorShape(proto)
            if not wanted.is_compatible_with(got):
                text = f"component {index} has shape {got}, the queue takes {wanted}"
                return tf.errors.InvalidArgumentError(None, self._target, text)
        return None
