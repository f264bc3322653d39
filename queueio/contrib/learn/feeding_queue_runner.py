"""A queue runner whose threads feed their enqueue ops with values of Python's."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from queueio.runtime import calls
from queueio.runtime.threads.empty_rows import in_its_place
from queueio.runtime.threads.queue_runner import QueueRunner

Feed = Callable[[], dict[Any, Any]]
_CLOSED = (tf.errors.OutOfRangeError, tf.errors.CancelledError)


class FeedingQueueRunner(QueueRunner):
    """Holds the enqueue ops of a queue, and for each a function that gives its feeds.

    Args:
      queue: a `tf.QueueBase`.
      enqueue_ops: operations, one thread each.
      close_op, cancel_op: default to closing the queue, and to closing and cancelling it.
      feed_fns: for each op a function without arguments that returns a feed_dict, or None. When it
        raises OutOfRangeError its thread ends as it does with a closed input.
      queue_closed_exception_types: what else means that; OutOfRangeError and CancelledError by
        default.

    Raises:
      ValueError: `feed_fns` is not as long as `enqueue_ops`.
    """

    def __init__(
        self,
        queue: Any = None,
        enqueue_ops: Sequence[Any] | None = None,
        close_op: Any = None,
        cancel_op: Any = None,
        feed_fns: Sequence[Feed | None] | None = None,
        queue_closed_exception_types: tuple[type, ...] | None = None,
    ) -> None:
        closed = queue_closed_exception_types or _CLOSED
        super().__init__(
            queue, enqueue_ops, close_op, cancel_op, queue_closed_exception_types=closed
        )
        ops = list(enqueue_ops or ())
        feeds = [None] * len(ops) if feed_fns is None else list(feed_fns)
        if len(feeds) != len(ops):
            raise ValueError(
                "If feed_fns is not None, it must have the same length as enqueue_ops:"
                f" {len(feeds)} and {len(ops)}."
            )
        self._feeds: dict[Any, deque[Feed | None]] = {op: deque() for op in ops}
        for op, feed in zip(ops, feeds, strict=True):
            self._feeds[op].append(feed)

    def fed_to(self, enqueue_op: Any) -> Feed | None:
        """The function that gives the feeds of an op; None where it has none, or several."""
        feeds = self._feeds.get(enqueue_op)
        return feeds[0] if feeds and len(feeds) == 1 else None

    def feeds_op(self, enqueue_op: Any) -> bool:
        """Whether some function gives the feeds of an op."""
        return any(feed is not None for feed in self._feeds.get(enqueue_op, ()))

    def callable_for(self, sess: Any, enqueue_op: Any) -> Callable[[], object]:
        """What one thread calls again and again: the op with the next feeds of its function."""
        with self._lock:  # an op may be there several times, each time with its own function
            feed = self._feeds[enqueue_op][0]
            self._feeds[enqueue_op].rotate(-1)
        enqueue_op = in_its_place(self, enqueue_op)
        if feed is None:
            return calls.make_unwatched(sess, enqueue_op)
        if not isinstance(sess, (tf.compat.v1.Session, tf.compat.v1.InteractiveSession)):
            return lambda: sess.run(enqueue_op, feed_dict=feed())  # what wraps a session
        return lambda: calls.run_unwatched(sess, enqueue_op, feed_dict=feed())

    def _init_from_proto(self, queue_runner_def: Any, import_scope: str | None = None) -> None:
        raise NotImplementedError(f"{type(self).__name__} cannot be made from a proto.")

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Raises NotImplementedError: what Python feeds is not in the graph."""
        raise NotImplementedError(
            f"{type(self).__name__} does not support serialization to proto: its feeds come from"
            " functions of Python, which a MetaGraph cannot hold. Save before it is built."
        )
