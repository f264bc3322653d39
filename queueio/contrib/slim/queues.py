"""Queue runners for the length of a `with` block.

TF1's held its lock for ever once a thread had failed, so that the next block, of the next test, was
called nested; here the lock goes with the block.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import tensorflow as tf

from queueio.runtime.threads.coordinator import Coordinator

v1 = tf.compat.v1
_running = threading.Lock()
_GRACE_SECONDS = 120


class NestedQueueRunnerError(Exception):
    """A `QueueRunners` block stands inside another."""


@contextmanager
def QueueRunners(session: Any) -> Iterator[None]:
    """Starts all queue runners of the default graph, and stops them at the end of the block.

    Args:
      session: the session that they run in.

    Raises:
      NestedQueueRunnerError: another such block is being run, in this thread or another.
    """
    if not _running.acquire(blocking=False):
        raise NestedQueueRunnerError(
            "QueueRunners cannot be nested: another block runs. Leave it before the next begins."
        )
    try:
        coord = Coordinator()
        threads = _start(session, coord)
        try:
            yield
        finally:
            coord.request_stop()
            _stop(session, coord, threads)
    finally:
        _running.release()


def _start(session: Any, coord: Any) -> list[threading.Thread]:
    runners = v1.get_collection(v1.GraphKeys.QUEUE_RUNNERS)
    started = [r.create_threads(session, coord=coord, daemon=True, start=True) for r in runners]
    return [thread for threads in started for thread in threads]


def _stop(session: Any, coord: Any, threads: list[threading.Thread]) -> None:
    try:
        coord.join(threads, stop_grace_period_secs=_GRACE_SECONDS)
    except RuntimeError:  # some did not end in time: without a session they must
        session.close()
