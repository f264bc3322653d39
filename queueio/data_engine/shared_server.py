"""Queues on a server of `tf.train.Server`: all sessions of that server have them in common."""

from __future__ import annotations

import weakref
from collections import defaultdict
from typing import Any

import tensorflow as tf

from queueio.graph.refusal import refuse

_Key = tuple[str, ...]
_sessions: defaultdict[_Key, Any] = defaultdict(weakref.WeakSet)


def check_only_session(session: Any, queue_op: Any) -> None:
    """Refuses to fill a queue from tf.data for a second session of its server.

    On TF1 the sessions share the queue, the epochs counted before it too: each example goes to one
    of them. An iterator belongs to a session, and each would read all of the files.

    Args:
      session: the one in which the queue's runner is about to start.
      queue_op: the queue.

    Raises:
      NotLifted: names the queue and the server.
    """
    target = tf.compat.as_str(session.sess_str)
    if not target:
        return
    name = queue_op.get_attr("shared_name").decode() or queue_op.name
    container = queue_op.get_attr("container").decode()
    sessions = _sessions[target, queue_op.device, container, name]
    if any(other is not session and not other._closed for other in sessions):
        raise refuse(
            queue_op,
            f"two sessions of {target!r} start its runners: TF1 has both take from one queue, and"
            " on the data engine each would read all of the files",
            "Set QUEUEIO_ENGINE=queue; or give each session a server of its own",
        )
    sessions.add(session)
