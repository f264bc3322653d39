"""From an error of an op to the place in the input files that caused it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

import tensorflow as tf

from queueio.forensics.damaged import damaged
from queueio.forensics.decoded import diagnose, suspects
from queueio.forensics.location import LOOK_SECONDS, Budget, Location
from queueio.forensics.missing import NULL_INPUT, unmatched, unopened
from queueio.forensics.records import file_kind_of
from queueio.forensics.replay import CannotReplay, Replay, Runner
from queueio.forensics.search import Found, search
from queueio.forensics.sources import files_of, gives_records, reader_of, reads_of
from queueio.graph.error_text import failing_op, sentence
from queueio.graph.traversal import is_enqueue
from queueio.words import times

_ENDS = (tf.errors.OutOfRangeError, tf.errors.CancelledError, tf.errors.AbortedError)
_busy = threading.local()
_Found = TypeVar("_Found")


def locate(
    error: BaseException, op: Any, session: Any = None, seconds: float = LOOK_SECONDS
) -> Location | None:
    """Says which file and record made a run fail.

    Args:
      error: what the run raised; only a `tf.errors.OpError` that is no end of data is looked at.
      op: the op (or tensor) that was run, such as an enqueue op.
      session: the session of the run. Its variables give the file names of
        `match_filenames_once`, and the failing op is run in it again, one record at a time,
        without touching queues, readers or variables. None: a private session.
      seconds: the longest time to look through the files.

    Returns:
      The place; when the time was over before it was found, a Location that says so; None when
      the error does not come from a record, or the way from the files to the failing op is not
      known. Never raises.
    """
    if not isinstance(error, tf.errors.OpError) or isinstance(error, _ENDS):
        return None
    op = getattr(op, "op", op)
    return quietly(
        lambda: _locate(error, failing_op(error, op.graph) or op, op, session, Budget(seconds))
    )


def quietly(look: Callable[[], _Found]) -> _Found | None:
    """What `look` finds out about an error; None where it fails, or runs for a replayed record."""
    if getattr(_busy, "now", False):  # a replayed record failed, as it should
        return None
    _busy.now = True
    try:
        return look()
    except Exception:  # a diagnosis must never hide the error that it is about
        return None
    finally:
        _busy.now = False


def _locate(
    error: tf.errors.OpError, failed: tf.Operation, op: tf.Operation, session: Any, budget: Budget
) -> Location | None:
    text = sentence(error)
    if NULL_INPUT in text:
        return _producer_of(failed) or unmatched(op)
    for read in [failed] if gives_records(failed) else reads_of(failed):
        found = _from_read(error, text, read, failed, op, session, budget)
        if found is not None:
            return found
    return None


def _producer_of(assertion: tf.Operation) -> Location | None:
    """The filename queue's enqueue op that an Assert op guards, found by their scope."""
    scope = assertion.name.partition("/Assert")[0]
    for op in assertion.graph.get_operations():
        if op.name.startswith(scope + "/") and is_enqueue(op):
            return unmatched(op)
    return None


def _from_read(
    error: tf.errors.OpError,
    text: str,
    read: tf.Operation,
    failed: tf.Operation,
    op: tf.Operation,
    session: Any,
    budget: Budget,
) -> Location | None:
    if failed is read:  # it could not be opened or read at all
        return unopened(text, read, session) or damaged(text, read, session, budget)
    if not isinstance(error, tf.errors.InvalidArgumentError | tf.errors.DataLossError):
        return None
    try:
        replay = Replay(read, failed, op, Runner(session, op.graph))
    except CannotReplay:
        return None
    files = files_of(read, session)
    found = Found(budget)
    for suspect in suspects(text, failed, replay.is_unaltered()):
        found = search(error, replay, read, files, suspect, budget)
        if found.record is not None:
            return _described(error, found, failed, read, replay)
    return _gave_up(found, files) if budget.gave_up and files else None


def _gave_up(found: Found, files: list[str]) -> Location:
    more = f" and {times(len(files) - 1, 'more file')}" if len(files) > 1 else ""
    detail = f"the bad record was not found: {found.budget} and {times(found.looked_at, 'record')}"
    remedy = "queueio.forensics.locate(error, op, session, seconds=60) looks for longer"
    return Location(f"{files[0]}{more}", detail=detail, remedy=remedy)


def _described(
    error: tf.errors.OpError, found: Found, failed: tf.Operation, read: tf.Operation, replay: Replay
) -> Location:
    record, read_as = found.record, file_kind_of(reader_of(read))
    assert record is not None
    reason = found.error or error
    text = sentence(reason)
    failed = failing_op(reason, failed.graph) or failed
    detail, remedy = diagnose(
        text, failed, read_as, record, replay.is_unaltered(), every=found.every
    )
    also = found.also()
    detail = f"{detail} ({also})" if also else detail
    return Location(record.file, record.number, read_as.unit, detail, remedy)
