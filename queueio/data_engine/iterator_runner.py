"""The thread that fills the queue of ready batches from a tf.data iterator."""

from __future__ import annotations

import contextlib
import functools
import time
import weakref
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from queueio.compile.marks import Times
from queueio.data_engine import inputs, report
from queueio.data_engine.end import end_of_lifted
from queueio.data_engine.engine_runner import EngineRunner
from queueio.data_engine.gate import Gate
from queueio.data_engine.position import OVER, PATIENCE, SUFFIX, NotAtGate, Place, Position
from queueio.data_engine.room import Room
from queueio.data_engine.sealed import Sealed
from queueio.data_engine.steps import Steps
from queueio.errors import message
from queueio.graph.error_text import sentence
from queueio.graph.hanging import BySession
from queueio.graph.index import Index
from queueio.graph.origin import origin
from queueio.graph.traversal import op_of, upstream
from queueio.runtime import calls, ledger
from queueio.runtime.ledger import ThreadRecord

_LOOKS_EVERY = 0.05
"""Seconds; a look takes a millisecond."""
_AGAIN = 0.2
"""Seconds for which a save waits where one before it waited in vain."""
ROOM = "Make room for temporary files, or name a folder that has some in TMPDIR, and restore again"
SAME_INPUT = "To go on where it was saved, restore it with the same input in the same graph"
Places = BySession[Place]


class IteratorRunner(EngineRunner):
    """Fills a queue from a tf.data iterator, which it initialises itself.

    Attributes:
      close_ready: the op that closes the queue, and the one that cancels what waits for it, too.

    Args:
      queue: the queue of ready batches.
      example_queue: TF1's queue, which is closed with it.
      steps: what puts batches of the iterator's into it.
      source: the iterator.
      fills: an op that fills the example queue.
      dequeue: the op that takes a batch out of TF1's queue, the example queue.
      place: the iterator's `Position`.
      title: what the report calls it.
      resumed: by session, where the next start goes on; it is taken out of it then.
    """

    def __init__(
        self,
        queue: Any,
        example_queue: Any,
        steps: Steps,
        source: Sealed,
        fills: Any,
        dequeue: Any,
        place: Position,
        title: str,
        resumed: Places,
    ) -> None:
        self._example_queue = upstream(dequeue)
        self.close_ready = [queue.close(cancel_pending_enqueues=cancel) for cancel in (False, True)]
        ends = []
        for cancel, ready in enumerate(self.close_ready):  # the program may have closed the other
            with tf.control_dependencies([ready]):
                ends.append(example_queue.close(cancel_pending_enqueues=bool(cancel)))
        super().__init__(
            queue,
            [steps.enqueue],
            ends,
            source,
            stands_for=self._example_queue,
            fills=fills,
            read_by=dequeue,
        )
        self._steps, self._place, self._title = steps, place, title
        self._records: BySession[Any] = BySession()
        self._resumed = resumed
        self._taking_up: BySession[Any] = BySession()
        self._gates: BySession[Any] = BySession()
        self._inputs: BySession[Any] = BySession()
        self._slow: Any = weakref.WeakSet()
        self._taken_up: Any = weakref.WeakSet()

    def position(self, session: Any) -> dict[str, bytes] | None:
        """Where the pipeline stands in a session; None where a restored run is to begin anew.

        That is so before it has begun, and when nobody can tell.
        """
        run = functools.partial(calls.run_unwatched, session)
        if session not in self._records:
            resumed = self._resumed.get(session)
            return None if isinstance(resumed, str) else resumed
        if self._records[session].state == "failed":
            self._not_held("an example failed, and those beside it are lost;")
            return None
        unfinished = self._taking_up.get(session)
        patience = _AGAIN if session in self._slow else PATIENCE
        try:
            place = self._place.read(
                run, self._gates[session], self._records[session], unfinished, patience
            )
        except NotAtGate:
            self._slow.add(session)
            self._not_held(
                f"its next batch was being made and did not come within {patience:g} s of the save,"
            )
            return None
        except (tf.errors.OpError, OSError) as error:  # nowhere to write, or too large a state
            self._not_held(f"its state could not be written: {sentence(error)};")
            return None
        if self._records[session].state == "natural" and "pending/0/0" not in place:
            place[OVER] = b""
        return inputs.marked(place, self._input(session))

    def _not_held(self, why: str) -> None:
        self._say(
            f"a checkpoint does not hold where pipeline {self._title!r} stands",
            f"{why} so a run that is restored from it begins its data anew",
        )

    def callable_for(self, sess: Any, enqueue_op: Any) -> Callable[[], object]:
        """Makes some batches; what goes wrong in the iterator is told of the user's own ops."""
        step: Any = functools.cache(
            lambda count: calls.make_unwatched(sess, self._step(count), here=True)
        )
        made = 0
        heaviest: int | None = None
        session = ledger.innermost(sess)
        gate = self._gates[session]
        run_here = functools.partial(calls.run_unwatched, session)
        tell = self._measured(session)
        ready = self._records[session].enqueued
        room = Room(session, self._place, self._steps.most, ready, gate)

        def run() -> int:
            nonlocal made, heaviest
            with self._telling_of_users_ops(sess):
                try:
                    count = self._rested(session, room, heaviest)
                    began = time.monotonic()
                    try:
                        _, waiting, *told = step(count)()
                    except tf.errors.OutOfRangeError:
                        if not self._begins_anew(session, run_here):
                            raise
                        _, waiting, *told = step(count)()
                except tf.errors.OpError:
                    with contextlib.suppress(RuntimeError):  # the session was closed
                        self._records[session].enqueued += self._place.made(run_here) - made
                    gate.passed(over=True)
                    raise
            if self._steps.made is not None:
                count = int(told.pop())
            made += count
            room.tell(int(waiting), count)
            tell(time.monotonic() - began)
            heaviest = max([heaviest or 0, *map(int, told)])
            return count

        return run

    def _rested(self, session: Any, room: Room, heaviest: int | None) -> int:
        """How many batches to make, as soon as there is room."""
        record = self._records[session]
        record.rests = True
        try:
            return room.wait(heaviest)
        finally:
            record.rests = False

    def _step(self, count: int) -> list[Any]:
        """Makes `count` batches, or a stack of them.

        With how many are ready then; the bytes of the heaviest, where they are weighed; and how
        many were made, where only the stack tells it.
        """
        if self._steps.made is not None:
            return [self._steps.ops[0], self._steps.waiting[0], self._steps.made]
        n = count - 1
        return [self._steps.ops[n], self._steps.waiting[n], *self._place.heaviest[n:count]]

    def describe_end(self, run: Any, graph: Any) -> list[str]:
        """Lines on what was planned, delivered and left over."""
        batches = sum(thread.enqueued for thread in run.threads)
        session = next((s for s in ledger.sessions() if run in ledger.of(s).runs), None)
        since = time.time() - (time.monotonic() - run.made_at)
        return end_of_lifted(
            Index(graph), self._example_queue, self.read_by, batches, session, since
        )

    def _begin(self, session: Any, record: ThreadRecord) -> None:
        run = functools.partial(calls.run_unwatched, session)
        if session in self._gates:
            raise self._begun_before(run)
        self._source.begin(run, *self._place.begins)
        self._gates[session], self._records[session] = Gate(), record
        resumed = self._resumed.pop(session, "")
        if not isinstance(resumed, str):
            self._take_up(session, record, run, resumed)
        elif resumed:
            self._say_anew(resumed)

    def _take_up(
        self, session: Any, record: ThreadRecord, run: Any, resumed: dict[str, bytes]
    ) -> None:
        """Goes on where a checkpoint was saved, or anew where what comes in is another input."""
        changed = inputs.changed(resumed, self._input(session))
        if changed:
            self._say_anew(f"the checkpoint was saved where another input stood: {changed}")
            return
        self._taking_up[session] = resumed
        try:
            for _ in self._place.take_up(run, resumed):
                record.enqueued += 1
            self._taken_up.add(session)
        except (
            tf.errors.NotFoundError,
            tf.errors.InvalidArgumentError,
            tf.errors.DataLossError,
            OSError,
        ) as error:
            if record.enqueued:
                raise
            self._source.begin(run, *self._place.begins)
            why = f"tf.data cannot take up where the checkpoint was saved: {sentence(error)}"
            self._say_anew(why, ROOM if isinstance(error, OSError) else SAME_INPUT)
            return
        self._taking_up.pop(session)
        tf.compat.v1.logging.warning(
            "queueio: pipeline %r goes on where the restored checkpoint was saved. To begin its"
            " data anew, as TF1's queues would, delete the '*%s' beside it.", self._title, SUFFIX
        )  # fmt: skip

    def _begins_anew(self, session: Any, run: Any) -> bool:
        """Where a checkpoint was saved when all had been taken, the run begins anew, as ever."""
        nothing_left = session in self._taken_up and not self._place.made(run)
        self._taken_up.discard(session)
        if nothing_left:
            self._source.begin(run, *self._place.begins)
            tf.compat.v1.logging.warning(
                "queueio: pipeline %r had been at the end of its data there, and begins it anew.",
                self._title,
            )
        return nothing_left

    def _input(self, session: Any) -> inputs.Input:
        """What comes in, as it is when that is first asked."""
        if session not in self._inputs:
            self._inputs[session] = inputs.of(self._source, self.read_by, session)
        found: inputs.Input = self._inputs[session]
        return found

    def _say_anew(self, why: str, do: str = SAME_INPUT) -> None:
        self._say(f"pipeline {self._title!r} begins its data anew", why, do)

    def _say(self, what: str, why: str, do: str = "") -> None:
        report.warn(message(what, why, do), origin(self._example_queue))

    def _begun_before(self, run: Callable[..., Any]) -> Exception:
        """What a second start in a session raises. TF1's threads find their queue closed there."""
        queue, fills = self._example_queue, op_of(self._fills)
        name = f"{queue.type.removesuffix('V2')} '{queue.name}'"
        if run(self._place.closed):
            what = f"{name} is closed"
            why = "its queue runners have run in this session, and a closed queue stays closed"
        else:
            what = f"{name} cannot be filled again"
            why = "tf.data, which filled it in this session, does not go on after an error"
        told = message(what, why, "Start them in a new session")
        error: Exception = tf.errors.CancelledError(fills.node_def, fills, told)
        return error

    def _measured(self, session: Any) -> Callable[[float], None]:
        """Tells the report what tf.data's work took so far, where it is time to.

        It is told how long each step took.
        """
        times, due = Times(), time.monotonic()

        def tell(seconds: float) -> None:
            nonlocal due
            times.steps += seconds
            if self._source.model is None or time.monotonic() < due:
                return
            with contextlib.suppress(tf.errors.OpError, RuntimeError):  # it is being closed
                model = calls.run_unwatched(session, self._source.model)
                report.took(session.graph, self._title, times.look(model))
            due = time.monotonic() + _LOOKS_EVERY

        return tell
