"""Why a queue is closed: the first real error upstream, or the natural end of the input.

TF1 says 'is closed and has insufficient elements' to the training step, whatever happened. The
exception stays the same object of the same type; its message grows by the reason, and the error
that caused it becomes its `__cause__`.
"""

from __future__ import annotations

import threading
import time
from typing import Any

import tensorflow.compat.v1 as tf

from queueio.graph import error_text
from queueio.graph.error_text import CONSEQUENCES
from queueio.graph.origin import origin
from queueio.graph.traversal import op_of, put_into, taken_from
from queueio.runtime import ledger
from queueio.runtime.diagnosis import feeds, natural_end, reopened, uninitialised
from queueio.runtime.ledger import RunRecord, SessionRecord, ThreadRecord
from queueio.runtime.notes import extend_message
from queueio.runtime.topology import (
    ENGINE_SCOPE,
    Topology,
    is_of_engine,
    key,
    stage_name,
)

RAISED = "raised in"
_TOLD = "_queueio_explained"
# A failing reader wakes its consumer a moment before its own thread has written down why.
PATIENCE = 0.2


def add_reason(error: BaseException, session: Any, op: Any = None) -> None:
    """Extend an error that a call of `session`, running `op`, is about to raise.

    Never raises itself, and adds its words once however often the error passes by.
    """
    _explain(error, session, op)
    real = isinstance(error, tf.errors.OpError)
    failing = error_text.failing_op(error, session.graph) if real else None
    if failing is not None and is_of_engine(failing) and taken_from(failing) is not None:
        error_text.speak_as(error, failing, failing.name.partition(f"/{ENGINE_SCOPE}/")[0])


def _explain(error: BaseException, session: Any, op: Any) -> None:
    if getattr(error, _TOLD, False) or not isinstance(error, tf.errors.OpError):
        return
    setattr(error, _TOLD, True)
    try:
        session = ledger.innermost(session)
        if isinstance(error, CONSEQUENCES):
            text, cause = _closed(error, session)
            if cause is not None and cause is not error:
                error.__cause__ = cause
        else:
            text = uninitialised.advice(error, session.graph, op) or locate(error, op, session)
    except Exception as failure:  # a diagnosis may fail, the program may not
        tf.logging.vlog(1, "queueio could not explain %r: %r", error, failure)
        return
    if text:
        extend_message(error, f"queueio: {text}")


def add_reason_in_thread(error: BaseException, record: ThreadRecord, sess: Any) -> None:
    """Say in an error of a queue runner's thread which stage, file and record it is about."""
    if getattr(error, _TOLD, False):
        return
    graph = ledger.innermost(sess).graph
    op = error_text.failing_op(error, graph)
    real = not isinstance(error, CONSEQUENCES) and op is not None and not is_of_engine(op)
    if real and uninitialised.advice(error, graph) is None:
        extend_message(error, f"queueio: {RAISED} {op.type} {op.name!r}, made at {origin(op)}")
        if told := feeds.unfed(error, op):
            extend_message(error, f"queueio: {told}")
    _explain(error, sess, record.enqueue_op)


def locate(error: BaseException, op: Any, session: Any) -> str | None:
    """File and record of an error, or that the last batch was too small, if somebody can tell."""
    try:
        from queueio import forensics

        found: object = None
        if op is not None:
            found = forensics.last_batch(error, op, session) or forensics.locate(error, op, session)
    except Exception as failure:  # without it the message is only shorter
        tf.logging.vlog(1, "queueio could not locate %r: %r", error, failure)
        return None
    return str(found) if found else None


def _closed(error: BaseException, session: Any) -> tuple[str | None, BaseException | None]:
    topology = Topology(session.graph)
    queue = _queue_of(error, session, topology)
    if queue is None:
        return None, None
    record = ledger.of(session)
    if queue in topology.stand_ins:
        queue, error = _seen_by_user(error, session, topology, queue)
    chain = topology.upstream(queue)
    runs = latest_runs(record, topology, chain)
    failed = _first_failure(runs)
    if failed is not None and not (record.ended_by and isinstance(failed.error, CONSEQUENCES)):
        return reopened.told(_because(failed, topology, session), record, chain), failed.error
    text, cause = _no_failure(error, session, topology, chain, runs)
    return text if record.ended_by else reopened.told(text, record, chain), cause


def _seen_by_user(
    error: BaseException, session: Any, topology: Topology, ready: str
) -> tuple[str, BaseException]:
    """The queue and the error that speak for the end of a queue of ready batches.

    Where TF1's queues do the work those are the example queue's, whose batches were passed on.
    """
    runner, name = topology.stand_ins[ready], topology.shown(ready)
    error_text.speak_of(
        error,
        topology.queues[name],
        instead_of=ready,
        fills=op_of(runner.enqueue_ops[0]),
        rows=runner.batch_size,
    )
    if runner.made_in(session):
        return ready, error
    passed_on = latest_runs(ledger.of(session), topology, [ready]).get(ready)
    ended = [t.error for t in passed_on.threads if t.error is not None] if passed_on else []
    return name, ended[0] if ended else error


def _no_failure(
    error: BaseException, session: Any, topology: Topology, chain: list[str], runs: dict[str, Any]
) -> tuple[str | None, BaseException | None]:
    record = ledger.of(session)
    reported = [e for run in runs.values() for e in getattr(run.coord, "exceptions", ())]
    if reported:
        first = reported[0]
        text = f"the queues were stopped by an error reported to the coordinator: {said(first)}"
        return text, first
    ends = [t for run in runs.values() for t in run.threads if t.state == "natural"]
    stopped = [run for run in runs.values() if run.coord and run.coord.should_stop()]
    if ends and not ((stopped or record.ended_by) and _was_cancelled(runs)):
        failures = _feeders_failed(record, topology, chain)
        text = natural_end.account_of_end(error, topology, chain, runs, failures)
        if "natural end" not in record.told:  # a MonitoredSession swallows the exception
            record.told.add("natural end")
            tf.logging.info("queueio: %s", text)
        return text, None
    if record.ended_by:
        text = (
            f"{record.ended_by} ended a call that waited in this session, and closed its queues: a"
            " closed queue stays closed. Go on in a new session."
        )
        return text, None
    if stopped:
        by = getattr(stopped[0].coord.__dict__.get("_queueio_extra"), "stopped_by", None)
        at = f" (at {by})" if by else ""
        return f"the queue was closed because the coordinator was asked to stop{at}.", None
    if getattr(session, "_closed", False):
        return "the session was closed while this call was waiting.", None
    failures = _feeders_failed(record, topology, chain)
    return natural_end.fed_by_hand(error, topology, chain[0], record, failures), None


def _feeders_failed(record: SessionRecord, topology: Topology, chain: list[str]) -> list[str]:
    """How threads of the program's own failed that put elements into queues of `chain`.

    One that closes its queue in a `finally` wakes the consumer a moment before it dies.
    """
    fed = {op.name for name in chain for op in topology.producers.get(name, ())}
    fed &= record.fed_by_hand.keys()
    deadline = time.monotonic() + PATIENCE
    for thread, ran in list(record.feeders.items()) if fed else ():
        if ran & fed and thread not in (threading.current_thread(), threading.main_thread()):
            thread.join(max(0.0, deadline - time.monotonic()))
    return record.failures(fed) if fed else []


def _was_cancelled(runs: dict[str, RunRecord]) -> bool:
    states = {t.state for run in runs.values() for t in run.threads}
    return bool(states & {"stopped", "cancelled", "failed"})


def _queue_of(error: BaseException, session: Any, topology: Topology) -> str | None:
    """The key of the queue that `error` is about."""
    op = error_text.failing_op(error, session.graph)
    if op is not None:
        queue = put_into(op) or taken_from(op)
        if queue is not None:
            return key(queue)
    name = error_text.queue_in(error)
    return topology.named(name) if name else None


def latest_runs(
    record: SessionRecord, topology: Topology, chain: list[str]
) -> dict[str, RunRecord]:
    """For each queue of `chain` the latest start of its runner in this session.

    One that found no input left, or a closed queue, says nothing of those before it.
    """
    runs: dict[str, RunRecord] = {}
    for run in list(record.runs):
        name = key(run.queue_op)
        before = runs.get(name)
        in_vain = before is not None and reopened.was_in_vain(run, [before])
        if name in chain and not (in_vain or (_has_ended(before) and _found_nothing(run))):
            runs[name] = run
    return runs


def _has_ended(run: RunRecord | None) -> bool:
    return run is not None and all(thread.state == "natural" for thread in run.threads)


def _found_nothing(run: RunRecord) -> bool:
    return not any(thread.enqueued or thread.state == "failed" for thread in run.threads)


def _first_failure(runs: dict[str, RunRecord]) -> ThreadRecord | None:
    deadline = time.monotonic() + PATIENCE
    while True:
        failed = [t for run in runs.values() for t in run.threads if t.state == "failed"]
        if failed:
            return min(failed, key=lambda t: t.ended_at or 0.0)
        alive = any(t.state == "running" for run in runs.values() for t in run.threads)
        if not alive or time.monotonic() > deadline:
            return None
        time.sleep(0.005)


def _because(failed: ThreadRecord, topology: Topology, session: Any) -> str:
    error = failed.error
    assert error is not None
    op = error_text.failing_op(error, session.graph)
    known = op is not None and not is_of_engine(op)
    stage = f"{op.type} {op.name!r} ({origin(op)})" if known else failed.name
    fed = [name for name, ops in topology.producers.items() if failed.enqueue_op in ops]
    into = f", on its way into {stage_name(topology.queues[fed[0]])!r}" if fed else ""
    return (
        "not the end of the input: the queue was closed because a stage before it failed.\n"
        f"  stage: {stage}{into}\n"
        f"  error: {said(error)}"
    )


def said(error: BaseException) -> str:
    """Type and words of an error, with what we added to them."""
    ours = str(getattr(error, "message", error)).split("\nqueueio: ")[1:]
    ours = [text for text in ours if not text.startswith(RAISED)]
    line = error_text.python_line(error)
    if line:
        ours.insert(0, f"raised at {line}")
    return "\n  ".join([f"{type(error).__name__}: {error_text.sentence(error)}", *ours])
