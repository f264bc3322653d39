"""The queues that a program takes from itself: filled by tf.data, or why not.

A batch function's queue is taken over as it is built (takeover.py). Every other queue is looked
at when queue runners are started: what the runners of a last queue would put into it, tf.data
puts in instead (filler.py), and the runners before it rest. Which queue and which engine that was
is told when a session call takes from it.
"""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import tensorflow as tf

from queueio import settings
from queueio.data_engine import asked, filler, report
from queueio.data_engine.closes import check_unclosed, closed_among, inputs_of
from queueio.data_engine.counted_by_all import check_counted_alone
from queueio.data_engine.readers import check_unasked
from queueio.data_engine.rewrites import check_rewrites
from queueio.data_engine.takes import is_of_tokens, name_of, takes_of
from queueio.errors import Refusal
from queueio.graph.choosing import refuse_chosen
from queueio.graph.hanging import BySession, hanging
from queueio.graph.index import INSTEAD, Index, index_of
from queueio.graph.origin import origin
from queueio.graph.refusal import refuse
from queueio.graph.runners import collected, has_its_own_way
from queueio.graph.traversal import (
    is_barrier_take,
    is_dequeue,
    is_queue,
    is_read,
    taken_from,
    upstream,
)
from queueio.graph.unnoticed import unnoticed
from queueio.lift.barriers import refuse_barrier
from queueio.lift.fetches import lift_into
from queueio.runtime import ledger
from queueio.runtime.diagnosis.queues import opened
from queueio.runtime.threads.ends import closes_quietly, quietly
from queueio.runtime.threads.queue_runner import QueueRunner
from queueio.runtime.topology import queue_op_of

v1 = tf.compat.v1
_lock = threading.RLock()


class OwnQueue:
    """A queue that a runner of the program fills, and tf.data in its stead.

    Attributes:
      upstream: the runners of the queues before it, which rest while tf.data does the work.
      state: the ops of the variables and tables that tf.data reads meanwhile.

    Args:
      queue_op: the queue.
      runners: those that fill it.
    """

    def __init__(self, queue_op: Any, runners: list[Any]) -> None:
        self._op, self._runners = queue_op, runners
        self.upstream: list[Any] = []
        self._filler: filler.Filler | None = None
        self.state: set[Any] = set()
        self._refusals: BySession[Any] = BySession()
        self._coords: BySession[Any] = BySession()
        self._asked: Any = weakref.WeakSet()

    def refusal(self, session: Any) -> Exception | None:
        """Why TF1's queues do the work in a session; None where tf.data does."""
        if session not in self._refusals:
            try:
                self._make_ready(session)
                self._refusals[session] = None
            except Refusal as refused:
                self._refusals[session] = refused.with_traceback(None)  # that holds the session
        found: Exception | None = self._refusals[session]
        return found

    def rests(self, runner: Any, session: Any) -> bool:
        """Whether a runner has nothing to do in a session, because tf.data does its work."""
        if session in self._asked or self.refusal(session) is not None:
            return False
        return runner in self.upstream

    def create_threads(
        self, sess: Any, coord: Any, daemon: bool, start: bool
    ) -> list[threading.Thread]:
        """The threads that fill the queue; [] when they run already."""
        assert self._filler is not None
        self._coords[ledger.innermost(sess)] = coord
        return self._filler.create_threads(sess, coord, daemon, start)

    def inner(self) -> set[Any]:
        """The ops that fill the queue and those before it, and what these take from."""
        return asked.inner_of(self, self._op.graph, self._evaluators)

    def inputs(self) -> set[Any]:
        """The queues before the one that is filled."""
        return inputs_of(self._evaluators())

    def _evaluators(self) -> list[Any]:
        index = index_of(self._op.graph, self._runners)
        return asked.evaluators_of(index, [*self._runners, *self.upstream])

    def asked(self, session: Any, name: str, puts: bool) -> None:
        """A call of the program's own needs `name`, an op of `inner`: the stages before start."""
        if session in self._asked or self._refusals.get(session, self) is not None:
            return
        self._asked.add(session)
        why = f"the program itself runs {name!r}, an op before it"
        asked.say_apart(self._op.name, why, origin(self._op))
        coord = self._coords.get(session)
        assert self._filler is not None
        for runner in self.upstream:
            start = functools.partial(runner.create_threads, session, coord, True, True)
            self._filler.once_begun(session, start)

    def works_in(self, session: Any) -> bool:
        """Whether tf.data is filling it in a session now."""
        return self._filler is not None and self._filler.works_in(session)

    def closed_by(self, call: Any) -> bool:
        """Where the program closes a queue before it, it ends after it. Its own needs no help.

        Returns whether a call closes one.
        """
        closing = closed_among(call.ops(), self.inputs)
        if closing and self.works_in(call.session) and not closes_quietly():
            end = self._runners[0].cancel_op  # close_op waits for our own thread
            call.then.append(functools.partial(quietly, call.session, end))
        return bool(closing)

    def _make_ready(self, session: Any) -> None:
        """Raises NotLifted or NoEquivalent where the queue cannot be filled by tf.data."""
        _check(self._op, self._runners)
        plan = lift_into(self._op, self._runners)
        if any(isinstance(spec, tf.SparseTensorSpec) for spec in plan.root.elements):
            raise refuse(
                self._op,
                "sparse tensors come into it as handles of a map, which tf.data would have to fill",
                "Put them in dense (tf.sparse_tensor_to_dense; of unlike lengths, padded), or take"
                " them out with tf.train.batch, or use queueio.lift(batch).to_dataset()",
            )
        self.upstream = index_of(self._op.graph, self._runners).runners_above(self._op)
        evaluators = self._evaluators()
        check_unasked(evaluators)
        check_unclosed(index_of(self._op.graph, self._runners), evaluators)
        check_counted_alone(evaluators)
        check_rewrites(session, plan, self._op)
        _check_untouched(self, session)
        if self._filler is None:
            graph, scope = self._op.graph, f"{self._op.name}{INSTEAD}"
            with opened(graph, scope), graph.device(self._op.device), unnoticed(graph):
                ops = filler.build(self._op, plan)
            self.state, first = plan.state, self._runners[0]
            self._filler = filler.Filler(first, self._op, ops)
            asked.add(graph, self)


def stand_in(
    runner: Any, sess: Any, coord: Any, daemon: bool, start: bool
) -> list[threading.Thread] | None:
    """What takes the place of a queue runner's threads under the data engine; None: nothing."""
    if getattr(runner, "of_engine", False) or _engine(runner) != "data":
        return None
    session = ledger.innermost(sess)
    collected = _collected(runner, session.graph)
    if collected is not None:
        made: list[threading.Thread] = collected.create_threads(sess, coord, daemon, start)
        return made
    with _lock:
        index = index_of(session.graph, [runner])
        queues = _look(index)
        own = next(filter(None, map(queues.get, index.filled_by(runner))), None)
        rests = any(queue.rests(runner, session) for queue in list(queues.values()))
        if not rests and (own is None or own.refusal(session) is not None):
            return None
    if own is None or rests:
        return []
    return own.create_threads(sess, coord, daemon, start)


def _collected(runner: Any, graph: Any) -> Any:
    """The graph's own runner of which another one is a copy, as by `from_proto`; None if none is.

    The engine knows its runners by themselves: a copy would fill a queue that nobody takes from.
    """
    runners = collected(graph, ())
    if has_its_own_way(runner) or any(known is runner for known in runners):
        return None
    ops = list(runner.enqueue_ops)
    return next((known for known in runners if list(known.enqueue_ops) == ops), None)


def _engine(runner: Any) -> str:
    """That of the time when it was built; of a runner that TensorFlow built, that of now."""
    return getattr(runner, "engine", None) or settings.current().engine


def _look(index: Index) -> dict[Any, OwnQueue]:
    """The last queues of a graph that have runners."""
    found = _known(index.graph)
    for queue_op, runners in _last(index):
        if queue_op not in found:
            found[queue_op] = OwnQueue(queue_op, runners)
    return found


def _known(graph: Any) -> dict[Any, OwnQueue]:
    """The queues of a graph that were looked at."""
    return hanging(graph, "own_queues", dict)


def _last(index: Index) -> Iterator[tuple[Any, list[Any]]]:
    """Queues with runners whose elements no enqueue op takes, or not all of them."""
    by_queue: dict[Any, list[Any]] = {}
    for runner in index.runners:
        for queue_op in index.filled_by(runner):
            by_queue.setdefault(queue_op, []).append(runner)
    for queue_op, runners in by_queue.items():
        takers = index.uses[queue_op].takers
        own = [op for op in takers if op not in index.inner and is_dequeue(op)]
        if (own or not takers) and not any(map(_decided, runners)):
            yield queue_op, runners


def _decided(runner: Any) -> bool:
    """Whether a batch function has seen to it already."""
    return hasattr(runner, "forwarder") or hasattr(runner, "refusal")


def _check(queue_op: Any, runners: list[Any]) -> None:
    """Refuses what a thread of ours could not do in the place of the runners."""
    if not is_queue(queue_op):
        raise refuse_chosen(queue_op, queue_op, "this is")
    if queue_op.get_attr("shared_name"):
        raise refuse(queue_op, "shared_name shares it with other processes of a cluster",
                     "Leave shared_name out where one process reads the data")  # fmt: skip
    if len(runners) > 1:
        raise refuse(queue_op, f"{len(runners)} queue runners fill it, and the first to end closes"
                     " it for all", "Give all enqueue ops to one QueueRunner")  # fmt: skip
    for runner in runners:
        if type(runner)._run is not QueueRunner._run:
            raise refuse(queue_op, f"{type(runner).__name__} runs its enqueue ops in its own way",
                         "Use tf.train.QueueRunner itself")  # fmt: skip


def _check_untouched(own: OwnQueue, session: Any) -> None:
    """Refuses where part of the input is in the queues before it, which nobody would empty."""
    record = ledger.of(session)
    inner = {op.name: op for op in own.inner()}
    for name in record.fed_by_hand:
        if name in inner:
            raise refuse(inner[name], "the program itself ran it before the queue runners were"
                         " started", "Leave it to the queue runner")  # fmt: skip
    started = {
        run.queue_op for run in record.runs if any(t.state != "created" for t in run.threads)
    }
    for runner in own.upstream:
        queue_op = queue_op_of(runner)
        if queue_op in started:
            raise refuse(queue_op, "its queue runner was started before that of the last queue",
                         "Add all runners with tf.train.add_queue_runner, and start them with"
                         " start_queue_runners")  # fmt: skip


_told: weakref.WeakKeyDictionary[Any, set[str]] = weakref.WeakKeyDictionary()


def notice(call: Any) -> bool:
    """Tells, at a session call that takes from a queue, which engine fills it and why.

    Returns:
      Whether that is told of all queues that the call takes from.

    Raises:
      NotLifted, NoEquivalent: under `strict`, where it is not tf.data.
    """
    session = ledger.innermost(call.session)
    told, found = _told.setdefault(session, set()), takes_of(call)
    for take, name in found.items():
        if name not in told and _tell(take, session):
            told.add(name)
    return all(name in told for name in found.values())


def _tell(take: Any, session: Any) -> bool:
    """False where it cannot be told yet."""
    graph, queue_op = session.graph, taken_from(take)
    known = collected(graph)
    of_batches = {queue_op_of(r.forwarder) for r in known if hasattr(r, "forwarder")}
    index = index_of(graph)
    if queue_op is not None and is_of_tokens(queue_op, index):
        return True
    runners = [runner for runner in known if queue_op in index.filled_by(runner)]
    for runner in runners:
        if hasattr(runner, "forwarder"):
            runner.check_takers(session)
    if queue_op in of_batches or any(map(_decided, runners)) or not _of_data_engine(runners):
        return True
    with _lock:
        own = _known(graph).get(queue_op)
        refusal = _refusal(take, queue_op, own, session)
    if refusal is None and own is None:
        return False
    engine, reason = ("data", None) if refusal is None else ("queue", str(refusal))
    report.add(graph, name_of(take), engine, reason)
    if refusal is not None:
        report.fall_back(name_of(take), refusal, origin(take))
    return True


def _of_data_engine(runners: list[Any]) -> bool:
    if not runners:
        return settings.current().engine == "data"
    return any(_engine(runner) == "data" for runner in runners)


def _refusal(take: Any, queue_op: Any, own: OwnQueue | None, session: Any) -> Exception | None:
    """Why tf.data does not make what an op takes; None if it does, or may do so later."""
    if is_barrier_take(take):
        return refuse_barrier(take)
    if is_read(take):
        return refuse(take, "each session call reads a record for itself, so nothing can be made"
                      " ahead of it",
                      "Put the record through tf.train.batch or a queue of its own")  # fmt: skip
    if queue_op is None:
        return refuse_chosen(take, upstream(take), "it takes from")
    if own is not None:
        return own.refusal(session)
    try:
        lift_into(queue_op)
    except Refusal as refused:
        return refused
    if any(run.queue_op is queue_op for run in ledger.of(session).runs):
        return refuse(take, "what it takes is on its way into another queue, or is taken before the"
                      " runners of all queues are known", "Fetch what comes out last")  # fmt: skip
    return None
