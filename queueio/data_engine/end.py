"""The natural end of a pipeline that tf.data ran: what was planned, delivered and left over."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from typing import Any

import tensorflow as tf

from queueio.forensics.records import COUNT_SECONDS, count_records
from queueio.forensics.sources import names_of
from queueio.graph.bodies import ending_ops
from queueio.graph.index import Index
from queueio.graph.origin import origin
from queueio.graph.traversal import (
    ancestors,
    is_counter,
    is_read,
    is_take,
    kind,
    op_of,
    upstream,
)
from queueio.runtime.diagnosis.natural_end import (
    lost_for_want_of_more,
    per_call,
    plan_in_words,
    planned_by,
)
from queueio.runtime.topology import stage_name
from queueio.words import times

_FEW_BYTES = 4 << 20
"""Bytes of all files, above which nobody counts whether there are few records."""
_MOMENT = 0.1
"""Seconds for which they are counted at most."""


def end_of_lifted(
    index: Index, queue: Any, dequeue: Any, batches: int, session: Any, since: float
) -> list[str]:
    """A line for each stage with a plan, one for the batch, and what was left over.

    Args:
      index: the graph's queues.
      queue: the op of the example queue.
      dequeue: the op that takes a batch out of it.
      batches: how many batches were made.
      session: for file names that only a variable holds.
      since: when the run began, in seconds since 1970: of a file that was changed then nobody knows
        what was read.
    """
    lines = [f"  {line}" for line in plans(index, queue)]
    size = int(tf.get_static_value(dequeue.inputs[1]))
    total = examples(index, queue, session, since=since)
    what = f"  {stage_name(queue)} ({origin(queue)}): "
    if "UpTo" in dequeue.type:
        fits = total is not None and -(-total // size) == batches
        how = f"delivered {total} in " if fits else ""
        return [*lines, f"{what}{how}{times(batches, 'batch', 'batches')}"]
    left = total - batches * size if total is not None else -1
    if not 0 <= left < size:  # a counter set by hand, files that changed: say what is known
        return [*lines, f"{what}delivered {batches * size}"]
    lines.append(f"{what}examples {total}, delivered {batches * size}, dropped {left}")
    return [*lines, *([lost_for_want_of_more(left)] if left else ())]


def examples(
    index: Index,
    queue: Any,
    session: Any,
    seconds: float = COUNT_SECONDS,
    since: float = math.inf,
) -> int | None:
    """How many examples come into a queue; None where only running it would tell.

    Args:
      index, queue, session, since: as for `end_of_lifted`.
      seconds: the longest time to count records.
    """
    fillers = {enqueue.op: evaluator for evaluator, enqueue in index.feeders(queue)}
    enqueues = [enqueue for _, enqueue in index.feeders(queue)]
    if len(fillers) != 1 or enqueues[0].outer is not enqueues[0].op:
        return None
    (op,) = fillers
    needed = ancestors([op])
    points = list(filter(is_take, needed))
    if any(op not in points and not is_counter(op) for op in ending_ops(needed)):
        return None  # when that one ends, only it knows
    plan = planned_by(op)
    if plan is not None:
        epochs, rows = plan
        return None if rows is None else epochs * rows
    if len(points) != 1 or per_call(op) != 1:
        return None
    return _taken(index, points[0], session, seconds, since)


def few_examples(index: Index, queue: Any, session: Any, most: int) -> int | None:
    """How many examples come into a queue, if it is quickly told that they are `most` or fewer.

    Args:
      index: the graph's queues.
      queue: the op of the example queue.
      session: for file names that only a variable holds.
      most: the largest number that counts as few.
    """
    feeders = [evaluator.op for evaluator, _ in index.feeders(queue)]
    reads = filter(is_read, ancestors(feeders))
    if sum(_size(name) for read in reads for name in names_of(read, session)) > _FEW_BYTES:
        return None
    count = examples(index, queue, session, seconds=_MOMENT)
    return count if count is not None and count <= most else None


def _size(name: str) -> float:
    """Bytes of a local file; of another one, too many."""
    return os.path.getsize(name) if os.path.isfile(name) else math.inf


def _changed_at(name: str) -> float:
    """When a local file was last written to, in seconds since 1970; -inf of any other."""
    return os.path.getmtime(name) if os.path.isfile(name) else -math.inf


def _taken(index: Index, point: Any, session: Any, seconds: float, since: float) -> int | None:
    """How many elements a stream point gives, one by one."""
    if kind(point) == "QueueDequeue":
        return examples(index, upstream(point), session, seconds, since)
    if kind(point) != "ReaderRead":
        return None
    if any(_changed_at(name) > since for name in names_of(point, session)):
        return None
    files = examples(index, upstream(point), session, seconds, since)
    counted = count_records(point, session, seconds)
    if files is None or counted is None or not counted[0] or files % counted[0]:
        return None
    return files // counted[0] * counted[1]


def plans(index: Index, queue: Any) -> Iterator[str]:
    """What was planned in the stages before a queue: `input_producer (…): planned 2 epochs`."""
    for runner in reversed(index.runners_above(queue)):
        above = index.filled_by(runner)[0]
        told = plan_in_words(op_of(runner.enqueue_ops[0]))
        if told and above is not queue:
            yield f"{stage_name(above)} ({origin(above)}): {told}"
