"""Cancel every queue of a session, so that whatever waits for one returns."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from queueio.runtime import extra_ops, ledger, watch
from queueio.runtime.topology import Topology

_TIMEOUT = 2000  # milliseconds


def stop_session(session: Any) -> None:
    """Ask the session's coordinators to stop, then close its queues, cancelling what waits.

    The coordinators first: their threads then know that the cancellation is not an error.
    """
    session = ledger.innermost(session)
    for run in list(ledger.of(session).runs):
        if run.coord is not None:
            run.coord.request_stop()
    close_queues(session)


def close_queues(session: Any) -> None:
    """Run the cancelling close of each queue of the graph; those closed already do not mind."""
    topology = Topology(session.graph)
    for name, queue in topology.queues.items():
        # A queue with a shared name in a cluster belongs to other workers too.
        if getattr(session, "sess_str", "") and queue.get_attr("shared_name"):
            continue
        run_quietly(session, extra_ops.cancel(topology, name))


def run_quietly(session: Any, fetches: Any) -> Any:
    """Run something small beside the blocked call; None when that fails."""
    try:
        return watch.run_unwatched(session, fetches, options=tf.RunOptions(timeout_in_ms=_TIMEOUT))
    except (tf.errors.OpError, RuntimeError, ValueError) as error:
        tf.logging.vlog(1, "queueio: %s", error)
        return None
