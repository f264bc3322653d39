"""Cancel every queue of a session, so that whatever waits for one returns."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

import tensorflow.compat.v1 as tf

from queueio.runtime import extra_ops, ledger, watch
from queueio.runtime.topology import Topology

PATIENCE = 1.5
"""Seconds to wait for a session's answer."""


def stop_session(session: Any) -> None:
    """Ask the session's coordinators to stop, then close its queues, cancelling what waits.

    The coordinators first: their threads then know that the cancellation is not an error.
    """
    session = ledger.innermost(session)
    for run in list(ledger.of(session).runs):
        if run.coord is not None:
            run.coord.request_stop()
    close_queues(session)
    if getattr(session, "sess_str", ""):
        # The shared queues of a cluster stay open for its other workers; our calls end all the
        # same when our session does.
        session.close()


def close_queues(session: Any) -> None:
    """Run the cancelling close of each queue of the graph; those closed already do not mind."""
    topology = Topology(session.graph)
    ops = [
        extra_ops.cancel(topology, name)
        for name, queue in topology.queues.items()
        # A queue with a shared name in a cluster belongs to other workers too.
        if not (getattr(session, "sess_str", "") and queue.get_attr("shared_name"))
    ]
    ask(session, ops)


def ask(session: Any, each: Iterable[Any]) -> list[Any]:
    """Run small things one by one beside a blocked call; what fails is left out.

    In a thread of its own: when every thread of the session's pool is blocked, not even the
    time-out of a run is kept, and whoever asks must not be blocked with it.
    """
    answers: list[Any] = []
    asking = threading.Thread(
        target=_ask, args=(session, list(each), answers), name="queueio-question", daemon=True
    )
    asking.start()
    asking.join(PATIENCE)
    return list(answers)


def _ask(session: Any, each: list[Any], answers: list[Any]) -> None:
    for fetches in each:
        try:
            answers.append(watch.run_unwatched(session, fetches))
        except (tf.errors.OpError, RuntimeError, ValueError) as error:
            tf.logging.vlog(1, "queueio: %s", error)
