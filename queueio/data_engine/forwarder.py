"""The thread that passes batches of TF1's example queue on, where the queues do the work."""

from __future__ import annotations

import threading
from typing import Any

import tensorflow as tf

from queueio.graph.hanging import BySession
from queueio.runtime import calls, ledger
from queueio.runtime.threads.ends import fail, leave
from queueio.runtime.threads.queue_runner import QueueRunner
from queueio.runtime.threads.thread import make_threads

_CLOSED = (tf.errors.OutOfRangeError, tf.errors.CancelledError)


class Forwarder(QueueRunner):
    """Moves batches from the example queue to that of ready ones, to the last.

    The program knows nothing of its thread: TF1 has none there. So no coordinator waits for it,
    and none stops it: whatever the example queue holds when an error or the program stops the
    others, can still be taken, as from TF1's queue. It ends with the example queue or the session.
    """

    of_engine = True

    def __init__(self, ready: Any, enqueue_dequeued: Any, queue_op: Any) -> None:
        super().__init__(ready, [enqueue_dequeued])
        self.shown_as = (queue_op.name, "pass_on")
        self._coords: BySession[Any] = BySession()

    def create_threads(
        self, sess: Any, coord: Any = None, daemon: bool = False, start: bool = False
    ) -> list[threading.Thread]:
        """Starts the thread, whatever `start` says, and returns nothing.

        `coord` is told of an error in making a batch.
        """
        with self._lock:
            if self._runs_per_session.get(sess, 0) > 0:
                return []
            self._runs_per_session[sess] = 1
        if coord is not None:
            self._coords[sess] = coord
        (thread,) = make_threads(self, sess, None)
        thread.daemon = True
        thread.start()
        return []

    def _run(self, sess: Any, enqueue_op: Any, coord: Any = None) -> None:
        record = ledger.current()
        assert record is not None
        try:
            enqueue = calls.make_unwatched(sess, enqueue_op, here=True)
            while True:
                enqueue()
                record.enqueued += 1
        except _CLOSED as error:
            record.end("natural", error)
        except Exception as error:  # e.g. examples that do not make a batch
            fail(self, sess, record, error, self._coords.get(sess))
        finally:
            leave(self, sess, close=True)
