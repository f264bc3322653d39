"""The queue runner of a batch in the data engine: it decides late, and can still fall back."""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from queueio import settings
from queueio.data_engine import beside, report
from queueio.data_engine.asked import evaluators_of, inner_of, say_apart
from queueio.data_engine.closes import check_unclosed, closed_among, inputs_of
from queueio.data_engine.counted_by_all import check_counted_alone
from queueio.data_engine.forwarder import Forwarder
from queueio.data_engine.iterator_runner import IteratorRunner, Places
from queueio.data_engine.position import Place
from queueio.data_engine.readers import check_unasked
from queueio.data_engine.rewrites import check_rewrites
from queueio.data_engine.shared_server import check_only_session
from queueio.data_engine.sooner import SoonerInQueues
from queueio.errors import NotLifted, Refusal, message
from queueio.graph.hanging import BySession
from queueio.graph.index import INSTEAD, index_of
from queueio.graph.origin import origin
from queueio.graph.refusal import refuse
from queueio.graph.traversal import ancestors, is_dequeue, upstream
from queueio.graph.unnoticed import unnoticed
from queueio.plan.tree import PlanTree
from queueio.runtime import ledger
from queueio.runtime.diagnosis.queues import opened
from queueio.runtime.threads.ends import closes_quietly, quietly
from queueio.runtime.threads.queue_runner import QueueRunner, stand_in

Build = Callable[[Any, Any, Places], IteratorRunner]


class BatchRunner(QueueRunner):
    """Stands in QUEUE_RUNNERS for TF1's runner of the example queue.

    To whoever reads it, it is that runner: its queue, its enqueue ops, its proto. Its threads
    are those of the iterator, or TF1's and one that passes their batches on (`forwarder`); or TF1's
    alone, where the program takes examples itself (`beside`).

    Attributes:
      ready: the op of the queue that its finished batches wait in.
      batch_size: how many examples make a batch.
      state: the ops of the variables and tables that tf.data reads while it makes batches.

    Args:
      title: the scope of the batch.
      classic: TF1's runner.
      ready: the queue of finished batches.
      enqueue_dequeued: the op that puts a batch of the example queue into it.
      build: adds the iterator and its ops to the graph, given the queue, the op that takes a batch
        out of it and positions to resume. Where the queues do the work after all, nobody waits
        for them to be built.
      queue_op: the op of the example queue.
      plan: what it builds.
    """

    def __init__(
        self,
        title: str,
        classic: Any,
        ready: Any,
        enqueue_dequeued: Any,
        build: Build,
        queue_op: Any,
        plan: PlanTree,
    ) -> None:
        super().__init__(
            classic.queue,
            classic.enqueue_ops,
            classic.close_op,
            classic.cancel_op,
            classic.queue_closed_exception_types,
        )
        self.title, self._classic, self._queue_op = title, classic, queue_op
        self._resumes, self.state, self._plan = plan.resumes, plan.state, plan
        self.forwarder = Forwarder(ready, enqueue_dequeued, queue_op)
        classic.of_engine = True
        self.ready = ready.queue_ref.op
        self.also_runs = (enqueue_dequeued,)
        self._graph = weakref.ref(queue_op.graph)
        self._refusals: BySession[Any] = BySession()
        self._asked: Any = weakref.WeakSet()
        self._ahead: Any = weakref.WeakSet()
        self._beside: Any = weakref.WeakSet()
        self._dequeue_op = _dequeue_before(enqueue_dequeued, queue_op)
        self.batch_size = int(tf.get_static_value(self._dequeue_op.inputs[1]))
        self._build, self._lock = build, threading.Lock()
        self._filler: IteratorRunner | None = None
        self._resumed: Places = BySession()
        self._coords: BySession[Any] = BySession()
        beside.notice(classic.queue, self)
        self._starts = [_start_unless_served(upstream, self) for upstream in self._upstream()]

    def serves(self, sess: Any) -> bool:
        """Whether tf.data does the work in this session; decided at the first question."""
        session = ledger.innermost(sess)
        if session not in self._refusals:
            self._decide(session, self._left_to_queues(session))
        return self._refusals[session] is None

    def made_in(self, session: Any) -> bool:
        """Whether tf.data makes the batches in a session; False where nothing is decided yet."""
        return self._refusals.get(session, self) is None

    def passes_on(self, session: Any) -> bool:
        """Whether a call that takes a batch passes it on itself (`beside`)."""
        if session in self._beside:
            return True
        return not self._is_ahead(session) and self._has_takers()

    def check_takers(self, session: Any) -> None:
        """Refuses what takes examples where batches were made ahead of it.

        Raises:
          NotLifted: names the op, which was made after the start.
        """
        for op in self._takers() if self._is_ahead(session) else ():
            raise refuse(op, f"it takes examples that batches of {self.title!r} have been made of;"
                         " it was made after the queue runners were started",
                         "Make it before start_queue_runners")  # fmt: skip

    def _is_ahead(self, session: Any) -> bool:
        return session in self._ahead or self.made_in(session)

    def _takers(self) -> list[Any]:
        return beside.takers(index_of(self._graph()), self._queue_op, {self._dequeue_op})

    def _has_takers(self) -> bool:
        """Whether the program takes examples itself, or what they are made of: records, names.

        A batch that were made ahead of a call would leave it less than TF1's did.
        """
        index, evaluators = index_of(self._graph()), self._evaluators()
        ours = {self._dequeue_op, *(point for each in evaluators for point in each.points)}
        queues = {self._queue_op, *inputs_of(evaluators)}
        return any(beside.takers(index, queue, ours) for queue in queues)

    @property
    def _made(self) -> IteratorRunner:
        """What fills the queue of finished batches from tf.data; made when first asked for."""
        with self._lock:
            if self._filler is None:
                graph = self.ready.graph
                with (
                    opened(graph, f"{self.title}{INSTEAD}"),
                    graph.device(self.ready.device),
                    unnoticed(graph),
                ):
                    self._filler = self._build(self._classic, self._dequeue_op, self._resumed)
            return self._filler

    def _decide(self, session: Any, reason: Exception | None) -> None:
        self._refusals[session] = reason
        told = str(reason) if reason is not None else None
        report.add(session.graph, self.title, "queue" if told else "data", told,
                   self._resumes and not told)  # fmt: skip
        if reason is not None and not isinstance(reason, SoonerInQueues):
            report.fall_back(self.title, reason, origin(self._queue_op))

    def inner(self) -> set[Any]:
        """The ops that fill the example queue and those before it, and what these change."""
        return inner_of(self, self._graph(), self._evaluators)

    def inputs(self) -> set[Any]:
        """The queues before the example queue."""
        return inputs_of(self._evaluators())

    def _evaluators(self) -> list[Any]:
        """What the runners of the example queue and of those before it run."""
        return evaluators_of(index_of(self._graph()), [self, *self._upstream()])

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
            self._pass_on(session, self._coords.get(session))

    def works_in(self, session: Any) -> bool:
        """Whether tf.data is making batches in a session now."""
        return self._filler is not None and self._filler.works_in(session)

    def closed_by(self, call: Any) -> bool:
        """Where the program closes the example queue or one before it, the batches end after it.

        Not before it: what ends them closes the example queue too, which is closed only once.
        Before the start the queues then do all of the work: there the runners find it closed.

        Returns whether a call closes one.
        """
        closing = closed_among(call.ops(), lambda: {self._queue_op, *self.inputs()})
        if not closing or closes_quietly():
            return bool(closing)
        if call.session not in self._refusals:
            why = f"the program runs {closing[0].name!r}, which closes its queue, before the start"
            self._decide(call.session, NotLifted(why, "Close it after start_queue_runners"))
            self._pass_on(call.session, None)
        elif self.made_in(call.session):
            made = self._made
            for op in closing:
                ready = made.close_ready[op.get_attr("cancel_pending_enqueues")]
                call.then.append(functools.partial(quietly, call.session, ready))
        return True

    def position(self, session: Any) -> dict[str, bytes] | None:
        """Where the pipeline stands; None where no checkpoint holds that, or it has not begun.

        TF1's queues begin anew after a restore, and so does what Python's functions feed.
        """
        holds = self._resumes and self._refusals.get(session) is None
        if not holds:
            return None
        if self._filler is not None:
            return self._filler.position(session)
        resumed = self._resumed.get(session)
        return None if isinstance(resumed, str) else resumed

    def resume(self, session: Any, place: Place) -> None:
        """Has tf.data go on from a position when the runner is started next."""
        if session not in self._coords:
            self._resumed[session] = place
        elif not isinstance(place, str):
            told = message(
                f"pipeline {self.title!r} does not go on where the checkpoint was saved",
                "its queue runners were started before saver.restore in this session",
                "Call restore first, then start_queue_runners",
            )
            report.warn(told, origin(self._queue_op))

    def is_resumed(self, session: Any) -> bool:
        """Whether the next start goes on from a position."""
        return bool(self._resumed.get(session))

    def create_threads(
        self, sess: Any, coord: Any = None, daemon: bool = False, start: bool = False
    ) -> list[threading.Thread]:
        """The threads that fill the queue of ready batches; [] when they run already."""
        self.check_takers(ledger.innermost(sess))
        if stand_in(self, sess, coord, daemon, start) is not None:
            return []  # a queue behind the batches is filled instead
        if self.serves(sess):
            check_only_session(ledger.innermost(sess), self._queue_op)
            self._coords[ledger.innermost(sess)] = coord
            return self._made.create_threads(sess, coord, daemon, start)
        threads: list[threading.Thread] = self._classic.create_threads(sess, coord, daemon, start)
        self._pass_on(sess, coord)
        return threads

    def _pass_on(self, sess: Any, coord: Any) -> None:
        session = ledger.innermost(sess)
        if self._has_takers():
            self._beside.add(session)
            beside.add(self)
        else:
            self._ahead.add(session)
            self.forwarder.create_threads(sess, coord)

    @property
    def exceptions_raised(self) -> list[BaseException]:
        """What the threads raised without a coordinator."""
        runners = (self._filler, self._classic, self.forwarder)
        return [error for runner in runners if runner for error in runner.exceptions_raised]

    def _left_to_queues(self, session: Any) -> Exception | None:
        """Why the queues do the work; None where tf.data does.

        A small job is over before its graph is lifted once more, which only `strict` asks for.
        """
        sooner = SoonerInQueues.of(self._plan.root, self._queue_op, session)
        if sooner is not None and not settings.current().strict:
            return sooner
        return self._refusal(session) or sooner

    def _refusal(self, session: Any) -> Exception | None:
        """Why the pipeline cannot be lifted now that the graph is complete; None if it can."""
        from queueio.lift.lifter import Lifter

        try:
            Lifter(self._graph()).stream_of(self._queue_op, self._dequeue_op)
            evaluators = self._evaluators()
            check_unasked(evaluators)
            check_unclosed(index_of(self._graph()), evaluators)
            check_counted_alone(evaluators)
            check_rewrites(session, self._plan, self._queue_op)
        except Refusal as refusal:
            return refusal
        return None

    def _upstream(self) -> list[Any]:
        return index_of(self._graph()).runners_above(self._queue_op)


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
