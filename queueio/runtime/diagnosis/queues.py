"""The queues of a session, asked and closed beside a call that they block.

The queues of tf.train come with the ops for it: a runner closes its queue, a summary reads its
size. Only for queues made by hand are ops added, and only when a call is already stuck.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import tensorflow.compat.v1 as tf

from queueio.graph.handled import handling
from queueio.graph.in_branches import is_runnable
from queueio.graph.traversal import (
    is_barrier_take,
    is_gradient_take,
    is_queue,
    kind,
    op_of,
    root,
)
from queueio.runtime import ledger
from queueio.runtime.calls import SessionCall, in_flight, run_unwatched
from queueio.runtime.topology import Topology, key

PATIENCE = 1.5
"""Seconds to wait for a session's answer."""
_SCOPE = "queueio_watch/"
_opening = threading.RLock()


def stop_session(session: Any, why: str) -> None:
    """Ask the session's coordinators to stop, then close its queues, cancelling what waits.

    The coordinators first: their threads then know that the cancellation is not an error.

    Args:
      session: the session.
      why: what ends it, for whoever finds its queues closed: the subject of a sentence.
    """
    session = ledger.innermost(session)
    ledger.of(session).ended_by = why
    for run in list(ledger.of(session).runs):
        if run.coord is not None:
            run.coord.request_stop()
    close(session)
    if getattr(session, "sess_str", "") or any(map(_waits_elsewhere, _calls_of(session))):
        # The shared queues of a cluster stay open for its other workers, and no op ends a wait for
        # gradients; our calls end all the same when our session does.
        session.close()


def _calls_of(session: Any) -> list[SessionCall]:
    return [c for c in list(in_flight.values()) if ledger.innermost(c.session) is session]


def _waits_elsewhere(call: SessionCall) -> bool:
    """Whether a call may wait for something that is in no queue."""
    return any(is_barrier_take(op) or is_gradient_take(op) for op in call.runs())


def close(session: Any) -> None:
    """Run the cancelling close of each queue of the graph; those closed already do not mind."""
    topology = Topology(session.graph)
    ops = [
        _canceller(topology, name)
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
            answers.append(run_unwatched(session, fetches))
        except (tf.errors.OpError, RuntimeError, ValueError) as error:
            tf.logging.vlog(1, "queueio: %s", error)


def size(topology: Topology, name: str) -> Any:
    """A tensor with the number of elements in the queue."""
    found = _existing(topology, name, "QueueSize", lambda op: True)
    return (found or _made(topology, name, "QueueSize")).outputs[0]


def is_closed(topology: Topology, name: str) -> Any:
    """A tensor that says whether the queue is closed."""
    found = _existing(topology, name, "QueueIsClosed", lambda op: True)
    return (found or _made(topology, name, "QueueIsClosed")).outputs[0]


def _canceller(topology: Topology, name: str) -> Any:
    """An op that closes the queue and cancels what waits to enqueue."""
    found = _existing(
        topology, name, "QueueClose", lambda op: op.get_attr("cancel_pending_enqueues")
    )
    return found or _made(topology, name, "QueueClose", cancel_pending_enqueues=True)


def _existing(topology: Topology, name: str, what: str, fits: Callable[[Any], bool]) -> Any:
    """An op of the graph that does it and nothing else: what it waits for would run as well."""
    for op in handling(topology.graph):
        if kind(op) == what and fits(op) and is_runnable(op) and not op.control_inputs:
            queue = root(op.inputs[0]).op
            if is_queue(queue) and key(queue) == name:
                return op
    return None


def _made(topology: Topology, name: str, what: str, **attributes: Any) -> Any:
    handle = topology.queues[name].outputs[0]
    make = getattr(tf.raw_ops, f"{what}V2" if handle.dtype == tf.resource else what)
    with opened(topology.graph, _SCOPE):
        made = make(handle=handle, **attributes)
    return op_of(made)


@contextmanager
def unopened() -> Iterator[None]:
    """Meanwhile no thread adds ops of ours to a graph, which somebody may be writing down."""
    with _opening:
        yield


@contextmanager
def opened(graph: Any, scope: str) -> Iterator[None]:
    """The graph as default, in `scope` (with its slash) and no other, unfinalised for a moment.

    One thread at a time: what a graph knows of its open scopes is the same for all threads. And
    none that writes the graph down, which fails at an op that is half made.
    """
    with _opening, graph._lock:  # no public spelling; as_graph_def holds it
        finalized = graph.finalized
        if finalized:
            graph._unsafe_unfinalize()
        try:
            with (
                graph.as_default(),
                graph.control_dependencies(None),
                graph.device(None),
                graph.name_scope(scope),
            ):
                yield
        finally:
            if finalized:
                graph.finalize()
