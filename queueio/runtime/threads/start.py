"""Start every queue runner that a graph has collected; `running` also ends them.

`add_queue_runner` and `start_queue_runners` are those of tf.train of TensorFlow 1.15.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import tensorflow.compat.v1 as tf
from tensorflow.python.client import session as session_lib

from queueio.graph.error_text import CONSEQUENCES
from queueio.graph.index import unchanged
from queueio.runtime.threads.coordinator import Coordinator

QUEUE_RUNNERS = tf.GraphKeys.QUEUE_RUNNERS


def add_queue_runner(qr: Any, collection: str = QUEUE_RUNNERS) -> None:
    """Add a queue runner to a collection of the default graph, for `start_queue_runners`.

    Args:
      qr: the `QueueRunner`.
      collection: the collection's name.
    """
    tf.add_to_collection(collection, qr)


def start_queue_runners(
    sess: Any = None,
    coord: Any = None,
    daemon: bool = True,
    start: bool = True,
    collection: str = QUEUE_RUNNERS,
) -> list[threading.Thread]:
    """Start the threads of all queue runners in `collection` of the session's graph.

    Runners whose threads run already are left alone.

    Args:
      sess: a `tf.Session`, by default the default session.
      coord: the Coordinator that the threads report to and stop for.
      daemon: whether the process may end while they run.
      start: whether they are started, too.
      collection: the collection's name.

    Returns:
      The list of new threads; [] for a MonitoredSession, which starts its own runners.

    Raises:
      RuntimeError: eager execution is on.
      ValueError: there is no session.
      TypeError: `sess` is no session.
    """
    if tf.executing_eagerly():
        raise RuntimeError(
            "Queues are not compatible with eager execution: there is no session to run them. "
            "Work inside `with tf.Graph().as_default():`, or import queueio.v1."
        )
    session = _session(sess)
    if session is None:
        return []
    with session.graph.as_default(), unchanged():
        runners = tf.get_collection(collection)
        if not runners:
            _warn_none(session.graph, collection)
        threads: list[threading.Thread] = []
        for runner in runners:
            threads += runner.create_threads(session, coord=coord, daemon=daemon, start=start)
    return threads


def _session(sess: Any) -> Any:
    """The session to use; None when it looks after its own queue runners."""
    sess = sess if sess is not None else tf.get_default_session()
    if sess is None:
        raise ValueError(
            "Cannot start queue runners: No default session is registered. "
            "Use `with sess.as_default()` or pass an explicit session to "
            "tf.start_queue_runners(sess=sess), which is tf.train.start_queue_runners today."
        )
    if isinstance(sess, session_lib.SessionInterface):
        return sess
    if isinstance(sess, (tf.train.MonitoredSession, tf.train.SingularMonitoredSession)):
        return None
    raise TypeError(
        f"sess must be a `tf.Session` object. Given class: {type(sess)}. "
        "Pass the session that runs your training step."
    )


def _warn_none(graph: Any, collection: str) -> None:
    tf.logging.warning(
        "start_queue_runners() found no queue runners: collection %r of the graph is empty. "
        "If the pipeline is built after this call, move the call below it; if it lives in "
        "another graph, start it with that graph's session.",
        collection,
    )


@contextmanager
def running(sess: Any, coord: Any = None, stop_grace_period_secs: float = 30.0) -> Iterator[Any]:
    """Run the queues of `sess.graph` for the length of a `with` block.

    It initialises nothing: run the initialisers before. On the way out all threads are stopped
    and joined. Any exception of the block that no thread's error caused goes its way.

    Args:
      sess: the `tf.Session`.
      coord: the Coordinator to use; a new one if not given.
      stop_grace_period_secs: how many seconds the threads have to end.

    Yields:
      The coordinator.

    Raises:
      Exception: a thread's error, in place of the OutOfRangeError or CancelledError of the block
        that it caused.
      RuntimeError: a thread would not end; with its stack.
    """
    coord = Coordinator() if coord is None else coord
    threads: list[Any] = []  # of a start that Ctrl-C ends, the coordinator knows them
    try:
        threads = start_queue_runners(sess, coord=coord)
        yield coord
    finally:
        from_block = sys.exc_info()[1]
        coord.request_stop()
        _join(coord, threads, stop_grace_period_secs, from_block)


def _join(coord: Any, threads: Any, grace: float, from_block: BaseException | None) -> None:
    try:
        coord.join(threads, stop_grace_period_secs=grace)
    except BaseException as from_thread:
        if from_block is None or isinstance(from_block, CONSEQUENCES):
            if from_thread is from_block:
                return
            from_thread.__suppress_context__ = True  # the consequence adds nothing
            raise
        if isinstance(from_thread, Exception):
            tf.logging.warning("While stopping the queues: %s", from_thread)
        else:
            raise
