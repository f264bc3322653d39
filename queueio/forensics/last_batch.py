"""An op that takes whole batches only, and the end of the input, where a batch is smaller."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.errors import message
from queueio.forensics.locate import quietly
from queueio.forensics.location import Budget
from queueio.forensics.records import FileRecord
from queueio.forensics.replay import CannotReplay, Replay, Runner
from queueio.forensics.search import Found, comparable, every_record
from queueio.forensics.sources import files_of, reads_of
from queueio.graph.error_text import failing_op
from queueio.graph.origin import origin

LOOK_SECONDS = 2.0
"""Smaller batches are tried for no longer than this."""


def last_batch(error: BaseException, op: Any, session: Any = None) -> str | None:
    """Says that no record is to blame for a failed run, but the size of the last batch.

    It is tried: the op takes a whole batch of the first record, and on one of fewer rows it fails
    with the very words of the error.

    Args:
      error: what the run raised; only a `tf.errors.InvalidArgumentError` is looked at.
      op: the op (or tensor) that was run.
      session: the session of the run, as for `locate`.

    Returns:
      The sentence, or None where that is not so, or not known. Never raises.
    """
    if not isinstance(error, tf.errors.InvalidArgumentError):
        return None
    op = getattr(op, "op", op)
    return quietly(lambda: _last_batch(error, failing_op(error, op.graph) or op, op, session))


def _last_batch(
    error: BaseException, failed: tf.Operation, op: tf.Operation, session: Any
) -> str | None:
    for read in reads_of(failed):
        try:
            replay = Replay(read, failed, op, Runner(session, op.graph))
            record = next(every_record(read, files_of(read, session), Found(Budget())), None)
            if record is not None and _fails_on_fewer(replay, record, comparable(error)):
                return _told(failed, replay.up_to)
        except CannotReplay:
            continue
    return None


def _fails_on_fewer(replay: Replay, record: FileRecord, wanted: str) -> bool:
    if replay.failure(record) is not None:
        return False
    budget = Budget(LOOK_SECONDS)
    for rows in range(1, max(replay.up_to.values(), default=0)):
        failure = replay.failure(record, rows)
        if failure is not None and comparable(failure) == wanted:
            return True
        if budget.spent():
            return False
    return False


def _told(failed: tf.Operation, up_to: dict[tf.Operation, int]) -> str:
    batch, whole = next(iter(up_to.items()))
    return message(
        f"{failed.type} {failed.name!r} ({origin(failed)}) takes whole batches of {whole} only, "
        f"and the last one is smaller: allow_smaller_final_batch=True, or dequeue_up_to "
        f"({origin(batch)})",
        do=f"Write -1, or tf.shape(x)[0], where {whole} stands for the size of the batch, or have "
        "the last elements dropped: allow_smaller_final_batch=False, or dequeue_many",
    )
