"""How an enqueue thread ends: at the end of its input, or by an error."""

from __future__ import annotations

import threading
from contextvars import ContextVar
from typing import Any

import tensorflow.compat.v1 as tf

from queueio import settings
from queueio.errors import DataLossWarning
from queueio.graph import error_text
from queueio.runtime import ledger
from queueio.runtime.ledger import ThreadRecord
from queueio.runtime.notes import extend_message

SESSION_CLOSED = (
    "queueio: the session was closed while its queue runners were at work. Stop them first: "
    "coord.request_stop(), coord.join(threads), then close the session."
)

_closing = ContextVar("closing", default=False)


def leave(runner: Any, sess: Any, close: bool) -> None:
    """Count this thread out; close the queue when it is the last and its input has ended."""
    with runner._lock:
        runner._runs_per_session[sess] -= 1
        if close and runner._runs_per_session[sess] == 0:
            quietly(sess, runner._close_op)
            run = getattr(threading.current_thread(), "run_record", None)
            if run is not None:
                run.closed = True


def lost_input(runner: Any, sess: Any) -> Exception | None:
    """Warn of bytes that the readers of a stage passed over.

    Returns the error instead under `strict`, or where the user turned warnings into errors.
    """
    from queueio import forensics

    read_by = getattr(runner, "read_by", None)  # by tf.data, in place of the queues
    session, strict = ledger.innermost(sess), settings.current().strict
    try:
        forensics.audit_once(read_by or runner._queue, session, strict, read_by is not None)
    except (tf.errors.DataLossError, DataLossWarning) as loss:
        return loss
    except Exception as failure:  # a diagnosis may fail, the program may not
        tf.logging.vlog(1, "queueio could not audit %s: %r", runner.name, failure)
    return None


def quietly(sess: Any, op: Any) -> None:
    """Close a queue. It may be closed already, or the session gone: neither matters here."""
    token = _closing.set(True)
    try:
        sess.run(op)
    except Exception as error:  # a queue that is gone is closed enough
        tf.logging.vlog(1, "Ignored while closing a queue: %s", error)
    finally:
        _closing.reset(token)


def closes_quietly() -> bool:
    """Whether the call of a session that goes on in this thread is not the program's own."""
    return _closing.get()


def fail(runner: Any, sess: Any, record: ThreadRecord, error: BaseException, coord: Any) -> None:
    """Write down why a thread ended, then tell the coordinator, or the log when there is none.

    In this order, because the coordinator closes the queues, and whoever finds them closed asks.
    """
    from queueio.runtime.diagnosis import root_cause

    error = error_text.readable(error, ledger.innermost(sess).graph)
    stopping = coord is not None and coord.should_stop()
    cancelled = isinstance(error, tf.errors.CancelledError)
    if cancelled and stopping:
        record.end("cancelled", error)
    elif cancelled and getattr(ledger.innermost(sess), "_closed", False):
        extend_message(error, SESSION_CLOSED)
        record.end("cancelled", error)
    else:
        root_cause.add_reason_in_thread(error, record, sess)
        record.end("failed", error)
    if coord:
        coord.request_stop(error)
    elif record.state == "failed":
        tf.logging.error("Exception in QueueRunner: %s", error)
        with runner._lock:
            runner._exceptions_raised.append(error)
        raise error
