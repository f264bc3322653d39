"""The queue runner of a batch in the data engine: it decides late, and can still fall back."""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from queueio.data_engine import report
from queueio.data_engine.end import describe
from queueio.data_engine.failure import as_in_queues
from queueio.data_engine.gate import Gate
from queueio.errors import NoEquivalent, NotLifted
from queueio.lift.index import Index
from queueio.origin import origin
from queueio.runtime import ledger, watch
from queueio.runtime.ends import fail, leave
from queueio.runtime.ledger import ThreadRecord
from queueio.runtime.queue_runner import QueueRunner


class IteratorRunner(QueueRunner):
    """Fills a queue from a tf.data iterator, which it initialises itself.

    Args:
      queue: the queue of ready batches.
      enqueue_op: puts the iterator's next batch into it.
      initializer: the iterator's.
      example_queue: the op of TF1's queue that it stands for.
      fills: an op that fills the example queue.
      dequeue: the op that takes a batch out of the example queue.
      place: the iterator's `Position`.
    """

    def __init__(
        self,
        queue: Any,
        enqueue_op: Any,
        initializer: Any,
        example_queue: Any,
        fills: Any,
        dequeue: Any,
        place: Any,
    ) -> None:
        super().__init__(queue, [enqueue_op])
        self._initializer, self._place = initializer, place
        self._records: Any = weakref.WeakKeyDictionary()
        self._resumed: Any = weakref.WeakKeyDictionary()
        self._gates: Any = weakref.WeakKeyDictionary()
        self._example_queue, self._fills, self.read_by = example_queue, fills, dequeue

    def position(self, session: Any) -> dict[str, bytes] | None:
        """Where the pipeline stands in a session; None where it has not begun."""
        run = functools.partial(watch.run_unwatched, session)
        if session not in self._records:
            return self._resumed.get(session)
        return self._place.read(run, self._gates[session], self._records[session])

    def resume(self, session: Any, contents: dict[str, bytes]) -> None:
        """Has the next start in a session go on where `position` was taken."""
        self._resumed[session] = contents

    def callable_for(self, sess: Any, enqueue_op: Any) -> Callable[[], object]:
        """Runs the op; what goes wrong in the iterator is told of the user's own ops."""
        make = watch.make_unwatched(sess, enqueue_op)
        session = ledger.innermost(sess)
        gate = self._gates[session]
        give_back = functools.partial(
            self._place.give_back, functools.partial(watch.run_unwatched, session)
        )

        def run() -> None:
            gate.passed(give_back)
            try:
                make()
            except tf.errors.OpError as error:
                gate.passed(give_back, over=True)
                told = as_in_queues(error, sess, self._fills, self.read_by)
                if told is error:
                    raise
                raise told from None

        return run

    def describe_end(self, run: Any, graph: Any) -> list[str]:
        """Lines on what was planned, delivered and left over."""
        batches = sum(thread.enqueued for thread in run.threads)
        session = next((s for s in ledger.sessions() if run in ledger.of(s).runs), None)
        return describe(Index(graph), self._example_queue, self.read_by, batches, session)

    def _run(self, sess: Any, enqueue_op: Any, coord: Any = None) -> None:
        record = ledger.current() or ThreadRecord(threading.current_thread().name, enqueue_op)
        session = ledger.innermost(sess)
        run = functools.partial(watch.run_unwatched, session)
        try:
            run(self._initializer)
            self._place.begin(run)
            self._gates[session], self._records[session] = Gate(), record
            resumed = self._resumed.pop(session, None)
            for _ in self._place.take_up(run, resumed) if resumed is not None else ():
                record.enqueued += 1
        except Exception as error:  # e.g. a counter that was never initialised
            fail(self, sess, record, error, coord)
            leave(self, sess, close=False)
            return
        super()._run(sess, enqueue_op, coord)


class BatchRunner(QueueRunner):
    """Stands in QUEUE_RUNNERS for TF1's runner of the example queue.

    To whoever reads it, it is that runner: its queue, its enqueue ops, its proto. Its threads
    are those of the iterator, or TF1's and one that passes their batches on.
    """

    def __init__(
        self,
        title: str,
        classic: Any,
        ready: Any,
        enqueue_made: Any,
        enqueue_dequeued: Any,
        initializer: Any,
        graph: Any,
        queue_op: Any,
        place: Any,
    ) -> None:
        super().__init__(
            classic.queue,
            classic.enqueue_ops,
            classic.close_op,
            classic.cancel_op,
            classic.queue_closed_exception_types,
        )
        self.title, self._classic, self._queue_op = title, classic, queue_op
        self._forward = QueueRunner(ready, [enqueue_dequeued])
        self.also_runs, self.runs_instead = (enqueue_dequeued,), (enqueue_made,)
        self._graph = weakref.ref(graph)
        self._refusals: Any = weakref.WeakKeyDictionary()
        self._dequeue_op = _dequeue_before(enqueue_dequeued, queue_op)
        fills = classic.enqueue_ops[0]
        self._made = IteratorRunner(
            ready, enqueue_made, initializer, queue_op, fills, self._dequeue_op, place
        )
        for upstream in self._upstream():
            _start_unless_served(upstream, self)

    def serves(self, sess: Any) -> bool:
        """Whether tf.data does the work in this session; decided at the first question."""
        session = ledger.innermost(sess)
        if session not in self._refusals:
            self._refusals[session] = self._refusal()
            reason = self._refusals[session]
            report.add(
                session.graph, self.title, "queue" if reason else "data", reason and str(reason)
            )
            if reason is not None:
                from queueio.data_engine.takeover import fall_back

                fall_back(self.title, reason, origin(self._queue_op))
        return self._refusals[session] is None

    def position(self, session: Any) -> dict[str, bytes] | None:
        """Where the pipeline stands; None where TF1's queues run it, or it has not begun."""
        refusal = self._refusals.get(session)
        return self._made.position(session) if refusal is None else None

    def resume(self, session: Any, contents: dict[str, bytes]) -> None:
        """Has tf.data go on from a position when the runner is started next."""
        self._made.resume(session, contents)

    def create_threads(
        self, sess: Any, coord: Any = None, daemon: bool = False, start: bool = False
    ) -> list[threading.Thread]:
        """The threads that fill the queue of ready batches; [] when they run already."""
        if self.serves(sess):
            return self._made.create_threads(sess, coord, daemon, start)
        threads = self._classic.create_threads(sess, coord, daemon, start)
        return threads + self._forward.create_threads(sess, coord, daemon, start)

    @property
    def exceptions_raised(self) -> list[BaseException]:
        """What the threads raised without a coordinator."""
        runners = (self._made, self._classic, self._forward)
        return [error for runner in runners for error in runner.exceptions_raised]

    def _refusal(self) -> Exception | None:
        """Why the pipeline cannot be lifted now that the graph is complete; None if it can."""
        from queueio.lift.lifter import Lifter

        try:
            Lifter(self._graph()).stream_of(self._queue_op, self._dequeue_op)
        except (NotLifted, NoEquivalent) as refusal:
            return refusal
        return None

    def _upstream(self) -> list[Any]:
        from queueio.lift.index import Index

        return Index(self._graph()).runners_above(self._queue_op)


def _dequeue_before(enqueue: Any, queue_op: Any) -> Any:
    from queueio.lift.index import ancestors, kind, root

    for op in ancestors([enqueue]):
        if kind(op).startswith("QueueDequeue") and root(op.inputs[0]).op is queue_op:
            return op
    raise AssertionError(f"{enqueue.name} takes nothing from {queue_op.name}")


def _start_unless_served(upstream: Any, batches: BatchRunner) -> None:
    """A runner that only this pipeline needs makes no threads where tf.data does its work."""
    stock = upstream.create_threads

    def create_threads(
        sess: Any, coord: Any = None, daemon: bool = False, start: bool = False
    ) -> list[threading.Thread]:
        if batches.serves(sess):
            return []
        threads: list[threading.Thread] = stock(sess, coord=coord, daemon=daemon, start=start)
        return threads

    upstream.create_threads = create_threads
