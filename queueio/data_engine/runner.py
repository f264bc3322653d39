"""The queue runner of a batch in the data engine: it decides late, and can still fall back."""

from __future__ import annotations

import contextlib
import functools
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from queueio import settings
from queueio.compile.marks import Times
from queueio.data_engine import report
from queueio.data_engine.asked import evaluators_of, inner_ops, say_apart
from queueio.data_engine.end import end_of_lifted, few_examples
from queueio.data_engine.engine_runner import EngineRunner
from queueio.data_engine.gate import Gate
from queueio.data_engine.position import Position
from queueio.data_engine.readers import check_unasked
from queueio.data_engine.room import Room
from queueio.data_engine.sealed import Sealed
from queueio.data_engine.steps import Steps
from queueio.errors import NotLifted, Refusal, message
from queueio.graph.index import Index
from queueio.graph.origin import origin
from queueio.graph.traits import row_of
from queueio.graph.traversal import ancestors, is_dequeue, upstream
from queueio.runtime import calls, ledger
from queueio.runtime.ledger import ThreadRecord
from queueio.runtime.threads.ends import quietly
from queueio.runtime.threads.queue_runner import QueueRunner, stand_in
from queueio.runtime.topology import is_of_engine

_LOOKS_EVERY = 0.05
"""Seconds; a look takes a millisecond."""
Positions = weakref.WeakKeyDictionary[Any, dict[str, bytes]]


class SmallJob(Exception):
    """A pipeline of so few examples that the queues deliver them sooner."""

    def __init__(self, count: int) -> None:
        super().__init__(
            message(
                f"it has {count:,} examples in all",
                "the queues are through with them before a dataset is built",
                "Set QUEUEIO_SMALL_JOB=0 to have tf.data do it all the same",
            )
        )


class IteratorRunner(EngineRunner):
    """Fills a queue from a tf.data iterator, which it initialises itself.

    Args:
      queue: the queue of ready batches.
      closes: what closes it and TF1's queue, and what cancels both.
      steps: what puts batches of the iterator's into it.
      source: the iterator.
      example_queue: the op of TF1's queue that it stands for.
      fills: an op that fills the example queue.
      dequeue: the op that takes a batch out of the example queue.
      place: the iterator's `Position`.
      title: what the report calls it.
    """

    def __init__(
        self,
        queue: Any,
        closes: tuple[Any, Any],
        steps: Steps,
        source: Sealed,
        example_queue: Any,
        fills: Any,
        dequeue: Any,
        place: Position,
        title: str,
    ) -> None:
        super().__init__(
            queue,
            [steps.enqueue],
            closes,
            stands_for=example_queue,
            fills=fills,
            read_by=dequeue,
        )
        self._steps, self._room = steps, Room(place, queue, len(steps.ops))
        self._source, self._place, self._title = source, place, title
        self._records: Any = weakref.WeakKeyDictionary()
        self._resumed: Positions = weakref.WeakKeyDictionary()
        self._taking_up: Positions = weakref.WeakKeyDictionary()
        self._gates: Any = weakref.WeakKeyDictionary()
        self._example_queue = example_queue

    def position(self, session: Any) -> dict[str, bytes] | None:
        """Where the pipeline stands in a session; None where it has not begun."""
        run = functools.partial(calls.run_unwatched, session)
        if session not in self._records:
            return self._resumed.get(session)
        unfinished = self._taking_up.get(session)
        return self._place.read(run, self._gates[session], self._records[session], unfinished)

    def resume(self, session: Any, contents: dict[str, bytes]) -> None:
        """Has the next start in a session go on where `position` was taken."""
        self._resumed[session] = contents

    def callable_for(self, sess: Any, enqueue_op: Any) -> Callable[[], object]:
        """Makes some batches; what goes wrong in the iterator is told of the user's own ops."""
        step: Any = functools.cache(lambda count: calls.make_unwatched(sess, self._step(count)))
        made = 0
        heaviest: int | None = None
        session = ledger.innermost(sess)
        gate = self._gates[session]
        run_here = functools.partial(calls.run_unwatched, session)
        tell = self._measured(session)
        give_back = functools.partial(self._place.give_back, run_here)

        def run() -> int:
            nonlocal made, heaviest
            gate.passed(give_back)
            with self._telling_of_users_ops(sess):
                try:
                    count = self._room.wait(run_here, heaviest)
                    _, *told = step(count)()
                except tf.errors.OpError:
                    self._records[session].enqueued += self._place.made(run_here) - made
                    gate.passed(give_back, over=True)
                    raise
            if self._steps.made is not None:
                count = int(told.pop())
            made += count
            tell()
            heaviest = max([heaviest or 0, *map(int, told)])
            return count

        return run

    def _step(self, count: int) -> list[Any]:
        """Makes `count` batches, or a stack of them.

        With the bytes of the heaviest, where they are weighed, and how many there are, where
        only the stack tells it.
        """
        number = [] if self._steps.made is None else [self._steps.made]
        return [self._steps.ops[count - 1], *self._place.heaviest[count - 1 : count], *number]

    def describe_end(self, run: Any, graph: Any) -> list[str]:
        """Lines on what was planned, delivered and left over."""
        batches = sum(thread.enqueued for thread in run.threads)
        session = next((s for s in ledger.sessions() if run in ledger.of(s).runs), None)
        return end_of_lifted(Index(graph), self._example_queue, self.read_by, batches, session)

    def _begin(self, session: Any, record: ThreadRecord) -> None:
        run = functools.partial(calls.run_unwatched, session)
        self._source.begin(run, *self._place.begins)
        self._gates[session], self._records[session] = Gate(), record
        resumed = self._resumed.pop(session, None)
        if resumed is not None:
            self._taking_up[session] = resumed
            for _ in self._place.take_up(run, resumed):
                record.enqueued += 1
            del self._taking_up[session]

    def _measured(self, session: Any) -> Callable[[], None]:
        """Tells the report what tf.data's work took so far, where it is time to."""
        times, due = Times(), time.monotonic()

        def tell() -> None:
            nonlocal due
            if self._source.model is None or time.monotonic() < due:
                return
            with contextlib.suppress(tf.errors.OpError, RuntimeError):  # it is being closed
                model = calls.run_unwatched(session, self._source.model)
                report.took(session.graph, self._title, times.look(model))
            due = time.monotonic() + _LOOKS_EVERY

        return tell


class BatchRunner(QueueRunner):
    """Stands in QUEUE_RUNNERS for TF1's runner of the example queue.

    To whoever reads it, it is that runner: its queue, its enqueue ops, its proto. Its threads
    are those of the iterator, or TF1's and one that passes their batches on (`forwarder`).

    Attributes:
      ready: the op of the queue that its finished batches wait in.
      batch_size: how many examples make a batch.
    """

    def __init__(
        self,
        title: str,
        classic: Any,
        ready: Any,
        steps: Steps,
        enqueue_dequeued: Any,
        source: Sealed,
        graph: Any,
        queue_op: Any,
        place: Any,
        resumes: bool,
    ) -> None:
        super().__init__(
            classic.queue,
            classic.enqueue_ops,
            classic.close_op,
            classic.cancel_op,
            classic.queue_closed_exception_types,
        )
        self.title, self._classic, self._queue_op = title, classic, queue_op
        self._resumes = resumes
        self.forwarder = QueueRunner(ready, [enqueue_dequeued])
        self.forwarder.shown_as = (queue_op.name, "pass_on")
        self.forwarder.of_engine = classic.of_engine = True
        self.ready = ready.queue_ref.op
        self.also_runs = (enqueue_dequeued,)
        self._graph = weakref.ref(graph)
        self._refusals: Any = weakref.WeakKeyDictionary()
        self._asked: Any = weakref.WeakSet()
        self._dequeue_op = _dequeue_before(enqueue_dequeued, queue_op)
        self.batch_size = int(tf.get_static_value(self._dequeue_op.inputs[1]))
        fills = classic.enqueue_ops[0]
        self._made = IteratorRunner(
            ready,
            (_closed(ready, classic.queue), _closed(ready, classic.queue, cancel=True)),
            steps,
            source,
            queue_op,
            fills,
            self._dequeue_op,
            place,
            title,
        )
        self._coords: Any = weakref.WeakKeyDictionary()
        self._starts = [_start_unless_served(upstream, self) for upstream in self._upstream()]

    def serves(self, sess: Any) -> bool:
        """Whether tf.data does the work in this session; decided at the first question."""
        session = ledger.innermost(sess)
        if session not in self._refusals:
            self._decide(session, self._refusal() or self._too_small(session))
        return self._refusals[session] is None

    def made_in(self, session: Any) -> bool:
        """Whether tf.data makes the batches in a session; False where nothing is decided yet."""
        return self._refusals.get(session, self) is None

    def _decide(self, session: Any, reason: Exception | None) -> None:
        self._refusals[session] = reason
        told = str(reason) if reason is not None else None
        report.add(session.graph, self.title, "queue" if told else "data", told,
                   self._resumes and not told)  # fmt: skip
        if reason is not None and not isinstance(reason, SmallJob):
            report.fall_back(self.title, reason, origin(self._queue_op))

    def inner(self) -> set[Any]:
        """The ops that fill the example queue and those before it, and what these change."""
        return inner_ops(self._evaluators())

    def _evaluators(self) -> list[Any]:
        """What the runners of the example queue and of those before it run."""
        return evaluators_of(Index(self._graph()), [self, *self._upstream()])

    def asked(self, session: Any, name: str, puts: bool) -> None:
        """A call of the program's own needs `name`, an op of `inner`; `puts`: it enqueues.

        Before the start the queues then do all of the work. After it, the stages before the batch
        are started beside the iterator, so that the call gets an answer.
        """
        why = f"the program itself runs {name!r}, an op before the batch"
        first = session not in self._asked
        self._asked.add(session)
        if session not in self._refusals:
            self._decide(session, NotLifted(why, "Fetch only what comes out of the batch"))
        elif self._refusals[session] is None and first:
            say_apart(self.title, why, origin(self._queue_op))
            coord = self._coords.get(session)
            for start in self._starts:
                self._made.once_begun(
                    session,
                    functools.partial(start, session, coord=coord, daemon=True, start=True),
                )
        if puts and first:
            self.forwarder.create_threads(session, self._coords.get(session), True, True)

    def closed_by(self, call: Any) -> None:
        """Where the program runs the example queue's close op, the batches end as well."""
        ends = {self.close_op: self._made.close_op, self.cancel_op: self._made.cancel_op}
        for op in call.ops():
            if op in ends and self.made_in(call.session):
                quietly(call.session, ends[op])

    def position(self, session: Any) -> dict[str, bytes] | None:
        """Where the pipeline stands; None where no checkpoint holds that, or it has not begun.

        TF1's queues begin anew after a restore, and so does what Python's functions feed.
        """
        holds = self._resumes and self._refusals.get(session) is None
        return self._made.position(session) if holds else None

    def resume(self, session: Any, contents: dict[str, bytes]) -> None:
        """Has tf.data go on from a position when the runner is started next."""
        self._made.resume(session, contents)

    def create_threads(
        self, sess: Any, coord: Any = None, daemon: bool = False, start: bool = False
    ) -> list[threading.Thread]:
        """The threads that fill the queue of ready batches; [] when they run already."""
        if stand_in(self, sess, coord, daemon, start) is not None:
            return []  # a queue behind the batches is filled instead
        if self.serves(sess):
            self._coords[ledger.innermost(sess)] = coord
            return self._made.create_threads(sess, coord, daemon, start)
        threads = self._classic.create_threads(sess, coord, daemon, start)
        return [*threads, *self.forwarder.create_threads(sess, coord, daemon, start)]

    @property
    def exceptions_raised(self) -> list[BaseException]:
        """What the threads raised without a coordinator."""
        runners = (self._made, self._classic, self.forwarder)
        return [error for runner in runners for error in runner.exceptions_raised]

    def _refusal(self) -> Exception | None:
        """Why the pipeline cannot be lifted now that the graph is complete; None if it can."""
        from queueio.lift.lifter import Lifter

        try:
            Lifter(self._graph()).stream_of(self._queue_op, self._dequeue_op)
            check_unasked(self._evaluators())
        except Refusal as refusal:
            return refusal
        return None

    def _too_small(self, session: Any) -> SmallJob | None:
        """Says so where the queues are through before a dataset is built, and no checkpoint is made
        that would hold where it stands."""
        most, graph = settings.current().small_job, session.graph
        own = (op for op in graph.get_operations() if not is_of_engine(op))
        if not most or any(row_of(op.type).restores for op in own):
            return None
        count = few_examples(Index(graph), self._queue_op, session, most)
        return None if count is None else SmallJob(count)

    def _upstream(self) -> list[Any]:
        return Index(self._graph()).runners_above(self._queue_op)


def _closed(ready: Any, queue: Any, cancel: bool = False) -> Any:
    """The op that closes both queues; `ready` first, for the program may have closed the other."""
    with tf.control_dependencies([ready.close(cancel_pending_enqueues=cancel)]):
        return queue.close(cancel_pending_enqueues=cancel)


def _dequeue_before(enqueue: Any, queue_op: Any) -> Any:
    for op in ancestors([enqueue]):
        if is_dequeue(op) and upstream(op) is queue_op:
            return op
    raise AssertionError(f"{enqueue.name} takes nothing from {queue_op.name}")


def _start_unless_served(upstream: Any, batches: BatchRunner) -> Any:
    """A runner that only this pipeline needs makes no threads where tf.data does its work.

    Returns:
      Its `create_threads` that makes them nevertheless.
    """
    stock = upstream.create_threads

    def create_threads(
        sess: Any, coord: Any = None, daemon: bool = False, start: bool = False
    ) -> list[threading.Thread]:
        if batches.serves(sess):
            return []
        threads: list[threading.Thread] = stock(sess, coord=coord, daemon=daemon, start=start)
        return threads

    upstream.create_threads = create_threads
    return stock
