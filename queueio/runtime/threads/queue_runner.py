"""QueueRunner: one thread per enqueue op, each filling a queue until its input ends.

The rules are those of tf.train.QueueRunner of TensorFlow 1.15. A thread runs its op again and
again. When the op says that its input is closed, the thread ends, and the last one to end so
closes the queue, which is how the end of the files travels down to the training step. Any other
error goes to the coordinator, and a further thread, `close_on_stop`, cancels the queue when the
coordinator stops, so that nobody stays blocked. What differs: the error is written down before the
queue is closed, so whoever finds it closed can be told why; and `close_on_stop` ends with the
threads it serves.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import tensorflow.compat.v1 as tf
from tensorflow.core.protobuf import queue_runner_pb2

from queueio import settings
from queueio.runtime import calls, ledger
from queueio.runtime.ledger import ThreadRecord
from queueio.runtime.threads.empty_rows import in_its_place, lasting_op
from queueio.runtime.threads.ends import fail, leave, lost_input, quietly
from queueio.runtime.threads.thread import make_threads, wait_for_stop_or_end

stand_ins: list[Callable[..., list[threading.Thread] | None]] = []
"""Asked before a runner makes its threads: those to return instead, or None."""


def stand_in(
    runner: Any, sess: Any, coord: Any, daemon: bool, start: bool
) -> list[threading.Thread] | None:
    """The threads that do a runner's work in its place; None: it shall make its own.

    Args:
      runner: the queue runner.
      sess, coord, daemon, start: what its `create_threads` was given.
    """
    for ask in stand_ins:
        instead = ask(runner, sess, coord, daemon, start)
        if instead is not None:
            return instead
    return None


class QueueRunner(tf.train.QueueRunner):
    """Holds the enqueue ops of one queue and makes the threads that run them.

    Made from its parts, or from a saved `QueueRunnerDef`.
    """

    of_engine = False
    """Whether the data engine runs it for a runner of the program."""

    def __init__(
        self,
        queue: Any = None,
        enqueue_ops: Sequence[Any] | None = None,
        close_op: Any = None,
        cancel_op: Any = None,
        queue_closed_exception_types: tuple[type, ...] | None = None,
        queue_runner_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        """Makes the runner; the threads come with `create_threads`.

        Args:
          queue: a `tf.QueueBase`.
          enqueue_ops: a list of operations, one thread each.
          close_op: closes the queue (default `queue.close()`).
          cancel_op: ends waiting enqueues, too (`queue.close(cancel_pending_enqueues=True)`).
          queue_closed_exception_types: what a closed input raises, a tuple; `OutOfRangeError`
            only by default: `CancelledError` is none unless you say so.
          queue_runner_def: a `QueueRunnerDef`, in place of all of the above.
          import_scope: the scope that its ops were imported under.

        Raises:
          RuntimeError: eager execution is on.
          ValueError: both a proto and a queue are given, or the queue or its ops are missing.
          TypeError: the types are not TensorFlow errors.
        """
        # Not super().__init__: it warns that queue runners are deprecated, which our user knows.
        if tf.executing_eagerly():
            raise RuntimeError(
                "QueueRunners are not supported when eager execution is enabled: a queue lives in "
                "a graph. Build inside `with tf.Graph().as_default():`, or import queueio.v1. "
                "Instead, please use tf.data to get data into your model, where you can."
            )
        if queue_runner_def is not None and (queue or enqueue_ops):
            raise ValueError("queue_runner_def and queue are mutually exclusive: give one of them.")
        if queue_runner_def is not None:
            self._init_from_proto(queue_runner_def, import_scope)
        else:
            self._init_from_args(
                queue, enqueue_ops, close_op, cancel_op, queue_closed_exception_types
            )
        self.engine = settings.current().engine
        self._lock = threading.Lock()
        self._runs_per_session: Any = weakref.WeakKeyDictionary()
        self._exceptions_raised: list[BaseException] = []

    def _init_from_args(
        self,
        queue: Any = None,
        enqueue_ops: Sequence[Any] | None = None,
        close_op: Any = None,
        cancel_op: Any = None,
        queue_closed_exception_types: tuple[type, ...] | None = None,
    ) -> None:
        if not queue or not enqueue_ops:
            raise ValueError(
                f"Must provide queue and enqueue_ops: got queue={queue!r} and "
                f"enqueue_ops={enqueue_ops!r}. Each op is run by a thread of its own, so that "
                "num_threads=0 leaves none: use 1 or more."
            )
        self._queue = queue
        self._enqueue_ops = enqueue_ops
        self._queue_closed_exception_types = closed_types(queue_closed_exception_types)
        self._close_op = queue.close() if close_op is None else close_op
        self._cancel_op = (
            queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op
        )

    def _init_from_proto(self, queue_runner_def: Any, import_scope: str | None = None) -> None:
        graph = tf.get_default_graph()

        def find(name: str) -> Any:
            return graph.as_graph_element(f"{import_scope}/{name}" if import_scope else name)

        self._queue = find(queue_runner_def.queue_name)
        self._enqueue_ops = [find(name) for name in queue_runner_def.enqueue_op_name]
        self._close_op = find(queue_runner_def.close_op_name)
        self._cancel_op = find(queue_runner_def.cancel_op_name)
        # Files from before 2016 have no such field: an empty list means the default.
        self._queue_closed_exception_types = closed_types(
            tuple(
                tf.errors.exception_type_from_error_code(code)
                for code in queue_runner_def.queue_closed_exception_types
            )
            or None
        )

    def _run(self, sess: Any, enqueue_op: Any, coord: Any = None) -> None:
        """Run `enqueue_op` until its input ends, the coordinator stops, or it fails."""
        record = ledger.current() or ThreadRecord(threading.current_thread().name, enqueue_op)
        close = False
        try:
            made_by_runner = getattr(self, "callable_for", None)
            if made_by_runner is None:
                enqueue = calls.make_unwatched(sess, in_its_place(self, enqueue_op))
            else:  # it knows its ops by what it was given
                enqueue = made_by_runner(sess, enqueue_op)
            should_stop = coord.should_stop if coord else _never
            while not should_stop():
                before = record.enqueued
                made = enqueue()
                # Once, even when a wrapped session counted it, too.
                record.enqueued = before + (made if isinstance(made, int) else 1)
            record.end("stopped")
        except self._queue_closed_exception_types as error:  # type: ignore[misc]
            asked = isinstance(error, tf.errors.CancelledError) and coord and coord.should_stop()
            loss = None if asked else lost_input(self, sess)
            # strict: an end that lost data is a failure. The coordinator cancels the queue, not
            # closing it as if complete; where there is none, nobody else would ever close it.
            close = loss is None or not coord
            if loss is None:
                record.end("cancelled" if asked else "natural", error)
            else:
                fail(self, sess, record, loss, coord)
        except Exception as error:  # whatever it is, the coordinator must know
            fail(self, sess, record, error, coord)
        finally:
            leave(self, sess, close)

    def _close_on_stop(self, sess: Any, cancel_op: Any, coord: Any) -> None:
        """Cancel the queue when the coordinator stops; end when there is nothing to cancel."""
        run = getattr(threading.current_thread(), "run_record", None)
        wait_for_stop_or_end(coord, run)
        if coord.should_stop():
            quietly(sess, cancel_op)

    def create_threads(
        self, sess: Any, coord: Any = None, daemon: bool = False, start: bool = False
    ) -> list[threading.Thread]:
        """Make one thread per enqueue op, and one that closes the queue when `coord` stops.

        Args:
          sess: the `tf.Session` that they run their op in.
          coord: the Coordinator that they report to and stop for; None without one.
          daemon: whether the process may end while they run.
          start: whether they are started, too.

        Returns:
          The threads; [] when those of an earlier call still run in `sess`.

        Raises:
          BaseException: what a signal's handler raised meanwhile, after all have begun.
        """
        instead = stand_in(self, sess, coord, daemon, start)
        if instead is not None:
            return instead
        with self._lock:
            if self._runs_per_session.get(sess, 0) > 0:
                return []
            self._runs_per_session[sess] = len(self._enqueue_ops)
            self._exceptions_raised = []
            # Here and not in the threads: the program may be writing its graph down meanwhile.
            if not hasattr(self, "_lasting"):
                distinct = {id(op): op for op in self._enqueue_ops}
                self._lasting = {key: lasting_op(op) for key, op in distinct.items()}
        threads: list[threading.Thread] = list(make_threads(self, sess, coord))
        left = iter(threads)
        try:
            _begin(left, coord, daemon, start)
        except BaseException:  # Ctrl-C: those that run wait for the last one, which cancels them
            _begin(left, coord, daemon, start)
            raise
        return threads

    def to_proto(self, export_scope: str | None = None) -> Any:
        """This runner as data, as a MetaGraph holds it.

        Args:
          export_scope: the scope to leave off its ops' names.

        Returns:
          A `QueueRunnerDef`; None when its queue is outside of `export_scope`.
        """
        if export_scope is not None and not self.queue.name.startswith(export_scope):
            return None

        def strip(name: str) -> str:
            return name.removeprefix(f"{export_scope}/") if export_scope else name

        return queue_runner_pb2.QueueRunnerDef(
            queue_name=strip(self.queue.name),
            enqueue_op_name=[strip(op.name) for op in self.enqueue_ops],
            close_op_name=strip(self.close_op.name),
            cancel_op_name=strip(self.cancel_op.name),
            queue_closed_exception_types=[
                tf.errors.error_code_from_exception_type(kind)
                for kind in self._queue_closed_exception_types
            ],
        )

    @staticmethod
    def from_proto(queue_runner_def: Any, import_scope: str | None = None) -> QueueRunner:
        """The runner that `to_proto` described, in the default graph.

        Args:
          queue_runner_def: the `QueueRunnerDef`.
          import_scope: the scope that its ops were imported under.

        Returns:
          The runner.

        Raises:
          KeyError: the graph has no such ops.
        """
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)


def _begin(threads: Iterator[threading.Thread], coord: Any, daemon: bool, start: bool) -> None:
    for thread in threads:
        if coord:
            coord.register_thread(thread)
        thread.daemon = thread.daemon or daemon
        if start:
            thread.start()


def closed_types(types: tuple[type, ...] | None) -> tuple[type, ...]:
    """Check what means 'my input is closed'; None gives TF1's default."""
    if types is None:
        return (tf.errors.OutOfRangeError,)
    if (
        isinstance(types, tuple)
        and types
        and all(isinstance(kind, type) and issubclass(kind, tf.errors.OpError) for kind in types)
    ):
        return types
    raise TypeError(
        "queue_closed_exception_types, when provided, must be a tuple of tf.error types, but saw:"
        f" {types!r}. "
        "For example queue_closed_exception_types=(tf.errors.OutOfRangeError,)."
    )


def _never() -> bool:
    return False
