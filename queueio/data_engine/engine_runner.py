"""A thread of the data engine: it makes its iterator itself, and tells errors of the user's ops."""

from __future__ import annotations

import contextlib
import functools
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import tensorflow as tf

from queueio.data_engine.begun import Begun
from queueio.data_engine.failure import as_in_queues, at_begin
from queueio.data_engine.sealed import Sealed
from queueio.graph.error_text import readable
from queueio.graph.hanging import BySession
from queueio.runtime import calls, ledger
from queueio.runtime.ledger import ThreadRecord
from queueio.runtime.threads.ends import fail, leave
from queueio.runtime.threads.queue_runner import QueueRunner


class EngineRunner(QueueRunner):
    """Runs what an iterator makes, in place of a queue runner of the program.

    Args:
      queue: the queue that is filled.
      enqueues: the op that fills it, in a list.
      ends: the op that closes it, the one that cancels it, and what else a runner may be given.
      source: the iterator.
      stands_for: the op of the queue that the program's runner fills.
      fills: the op with which it does so.
      read_by: the op that takes out of it, or the queue's own.
    """

    of_engine = True

    def __init__(
        self,
        queue: Any,
        enqueues: list[Any],
        ends: Sequence[Any],
        source: Sealed,
        *,
        stands_for: Any,
        fills: Any,
        read_by: Any,
    ) -> None:
        super().__init__(queue, enqueues, *ends)
        self._fills, self.read_by = fills, read_by
        self.shown_as = (stands_for.name, fills.name)
        self._source, self._begun = source, Begun()
        self._shared: Any = weakref.WeakSet()
        self._over: BySession[Any] = BySession()
        self._ending = threading.Lock()

    def once_begun(self, session: Any, start: Callable[[], object]) -> None:
        """Starts a stage before it beside the iterator, as soon as that has begun.

        Where that is at its end already, the stage finds the epochs that the iterator found: the
        program may have taken the first batch only.
        """
        with self._ending:
            if session not in self._shared and session in self._over:
                self._source.give_back(_runs(session), self._over[session])
            self._shared.add(session)
        self._begun.once(session, start)

    def create_threads(
        self, sess: Any, coord: Any = None, daemon: bool = False, start: bool = False
    ) -> list[threading.Thread]:
        """The threads; [] as well where TF1's would find no more input, and end.

        They would find their queue closed where the epoch counters were set anew: a thread says so.
        """
        if self._all_was_read(ledger.innermost(sess)):
            return []
        return super().create_threads(sess, coord, daemon, start)

    def _all_was_read(self, session: Any) -> bool:
        if session not in self._over:
            return False
        return session in self._shared or not self._source.left(_runs(session))

    def _ends(self, session: Any) -> None:
        """The input is at its end, and the epoch counters where the stages would have left them."""
        with self._ending:
            self._over[session] = {}
            if session not in self._shared:
                with contextlib.suppress(tf.errors.OpError, RuntimeError):  # it is being closed
                    self._over[session] = self._source.use_up(_runs(session))

    def works_in(self, session: Any) -> bool:
        """Whether its thread runs in a session."""
        counted = self._runs_per_session.items()
        return any(ledger.innermost(sess) is session and runs for sess, runs in counted)

    def _begin(self, session: Any, record: ThreadRecord) -> None:
        """Makes the iterator in a session; `record`: of the thread that will run it."""
        raise NotImplementedError

    def _run(self, sess: Any, enqueue_op: Any, coord: Any = None) -> None:
        record = ledger.current() or ThreadRecord(threading.current_thread().name, enqueue_op)
        session = ledger.innermost(sess)
        if coord and coord.should_stop():  # then TF1's thread does not look at its queue either
            record.end("stopped")
            self._begun.has(session)
            leave(self, sess, close=False)
            return
        record.builds = True
        try:
            self._begin(session, record)
        except Exception as error:  # e.g. a counter that was never initialised
            try:
                fail(self, sess, record, at_begin(error, self._fills), coord)
            finally:
                leave(self, sess, close=False)
            return
        finally:
            record.builds = False
            self._begun.has(session)
        super()._run(sess, enqueue_op, coord)

    @contextlib.contextmanager
    def _telling_of_users_ops(self, sess: Any) -> Iterator[None]:
        try:
            yield
        except (tf.errors.OpError, UnicodeDecodeError) as raised:
            error = readable(raised, ledger.innermost(sess).graph)
            if not isinstance(error, tf.errors.OpError):
                raise
            if isinstance(error, tf.errors.OutOfRangeError):
                self._ends(ledger.innermost(sess))
            told = as_in_queues(error, sess, self._fills, self.read_by)
            if told is raised:
                raise
            raise told from None


def _runs(session: Any) -> Callable[..., Any]:
    """The session's `run`, not watched."""
    return functools.partial(calls.run_unwatched, session)
