"""Fills a queue of the program's own from a tf.data iterator, in place of its queue runner.

The queue stays what it is: its capacity, its shuffling or padding, its size, its closing and
every op that takes from it are TF1's. Only what comes in is made by tf.data.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import tensorflow as tf

from queueio.compile.dataset import to_stream
from queueio.compile.kernels.budget import untuned
from queueio.compile.kernels.empty_rows import may_be_empty
from queueio.compile.stream import Captures
from queueio.data_engine.end import plans
from queueio.data_engine.engine_runner import EngineRunner
from queueio.data_engine.sealed import Sealed
from queueio.graph.index import Index
from queueio.graph.origin import origin
from queueio.plan.tree import PlanTree
from queueio.runtime import calls, ledger
from queueio.runtime.diagnosis.natural_end import plan_in_words
from queueio.runtime.ledger import ThreadRecord
from queueio.runtime.threads.empty_rows import in_its_place
from queueio.runtime.topology import op_of, queue_op_of, stage_name

v1 = tf.compat.v1
_AT_ONCE = 8
"""Single elements that one run of the op puts in: a run costs more than an element."""


class Ops(NamedTuple):
    """What fills a queue.

    Attributes:
      fill: puts the iterator's next elements into the queue, and counts them.
      begin: begins the count anew.
      source: the iterator.
      made: how many elements were put in (int64 scalar).
    """

    fill: Any
    begin: Any
    source: Sealed
    made: Any


def build(queue_op: Any, plan: PlanTree) -> Ops:
    """Adds the ops that fill a queue with a plan's elements to the default graph."""
    many = False

    def dataset(captures: Captures) -> tf.data.Dataset:
        nonlocal many
        stream = to_stream(plan, captures)
        many = stream.chunked and stream.singly is None and _takes_rows(queue_op, plan)
        made = stream.dataset if many else (stream.singly or stream.elements)()
        return untuned(made.prefetch(1 if many else 2))

    source = Sealed(plan, dataset)
    count = v1.Variable(
        tf.zeros([], tf.int64), trainable=False, collections=[], use_resource=True, name="made"
    )
    done: list[Any] = []
    for _ in range(1 if many else _AT_ONCE):
        with tf.control_dependencies(done):
            parts = source.iterator.get_next()
        with tf.control_dependencies([_enqueue(queue_op, parts, many)]):
            rows = tf.shape(parts[0], out_type=tf.int64)[0] if many else 1
            done = [count.assign_add(rows, read_value=False)]
    return Ops(done[0], count.initializer, source, count.read_value())


def _takes_rows(queue_op: Any, plan: PlanTree) -> bool:
    """Whether many elements can be put into the queue at once.

    It must know their shapes; and none of them may be empty.
    """
    return bool(queue_op.get_attr("shapes")) and not may_be_empty(plan.root.elements)


def _enqueue(queue_op: Any, parts: Any, many: bool) -> Any:
    """The op that puts an element, or rows of elements, into a queue of TF1's or of today's."""
    new = queue_op.outputs[0].dtype == tf.resource
    name = f"QueueEnqueue{'Many' * many}{'V2' * new}"
    made = getattr(tf.raw_ops, name)(
        handle=queue_op.outputs[0], components=list(parts), name="enqueue"
    )
    return getattr(made, "op", made)


class Filler(EngineRunner):
    """The thread that runs them.

    Args:
      classic: the queue runner that it stands for.
      queue_op: the queue.
      ops: what fills it.
    """

    by_data = True

    def __init__(self, classic: Any, queue_op: Any, ops: Ops) -> None:
        super().__init__(
            classic.queue if queue_op_of(classic) is queue_op else queue_op,
            [ops.fill],
            (classic.close_op, classic.cancel_op, tuple(classic.queue_closed_exception_types)),
            ops.source,
            stands_for=queue_op,
            fills=op_of(classic.enqueue_ops[0]),
            read_by=queue_op,
        )
        self._ops, self._classic = ops, classic

    def callable_for(self, sess: Any, enqueue_op: Any) -> Callable[[], object]:
        """Runs the op; what goes wrong in the iterator is told of the user's own ops."""
        make = calls.make_unwatched(sess, in_its_place(self, enqueue_op), here=True)

        def run() -> None:
            with self._telling_of_users_ops(sess):
                make()

        return run

    def describe_end(self, run: Any, graph: Any) -> list[str]:
        """Lines on what was planned, and what was put in."""
        session = next((s for s in ledger.sessions() if run in ledger.of(s).runs), None)
        told = [plan_in_words(self._fills)]
        if session is not None:
            told.append(f"enqueued {calls.run_unwatched(session, self._ops.made)}")
        stage = f"{stage_name(self.read_by)} ({origin(self.read_by)})"
        above = plans(Index(graph, [self._classic]), self.read_by)
        return [f"  {line}" for line in (*above, f"{stage}: {', '.join(filter(None, told))}")]

    def _begin(self, session: Any, record: ThreadRecord) -> None:
        run = functools.partial(calls.run_unwatched, session)
        self._ops.source.begin(run, self._ops.begin)
