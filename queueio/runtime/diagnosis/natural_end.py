"""The natural end of an input: what was planned, what was delivered, what was left over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from queueio.graph import error_text
from queueio.graph.origin import origin
from queueio.graph.static_values import static_value
from queueio.graph.traversal import ancestors, is_counter, kind, type_of
from queueio.runtime.ledger import RunRecord, SessionRecord
from queueio.runtime.topology import Topology, stage_name
from queueio.words import times


def account_of_end(
    error: BaseException,
    topology: Topology,
    chain: list[str],
    runs: dict[str, RunRecord],
    failures: Sequence[str] = (),
) -> str:
    """Text for the OutOfRangeError of a step whose input has ended as planned.

    Args:
      error: what the step raises.
      topology: of the session's graph.
      chain: the keys of the queues that its elements come through, nearest first.
      runs: the latest start of the runner of each, by its key.
      failures: how threads of the program that fed one of them failed.
    """
    who = "a" if any(map(_goes_on, runs.values())) else "every"
    lines = [f"the natural end of the input, not an error: {who} stage before it has ended."]
    if failures:
        lines = [f"the end of the input, which may lack examples: {'; '.join(failures)}."]
    left = left_over(error, topology.graph)
    for name in reversed(chain):
        if name in runs and runs[name].describe_end is not None:
            lines += runs[name].describe_end(runs[name], topology.graph)
        elif name in runs:
            over = left if name == chain[0] else 0
            lines.append("  " + _stage(topology.queues[name], runs[name], over))
    lines += _odd_ends(runs, topology.graph)
    if left:
        lines.append(lost_for_want_of_more(left))
    return "\n".join(lines)


def lost_for_want_of_more(left: int) -> str:
    """What happened to the examples that did not fill a batch, and what to do."""
    return f"{_lost(left)} Pass allow_smaller_final_batch=True to get a smaller last batch."


def _lost(left: int) -> str:
    last = "last element is" if left == 1 else f"last {left} elements are"
    return f"  The {last} lost for want of more to fill a batch."


def fed_by_hand(
    error: BaseException,
    topology: Topology,
    name: str,
    record: SessionRecord,
    failures: Sequence[str] = (),
) -> str | None:
    """Text for the end of a queue that has no runner: the program filled and closed it."""
    producers = topology.producers.get(name, ())
    often = sum(record.fed_by_hand.get(op.name, 0) for op in producers)
    if name in topology.runners or not often:
        return None
    text = (
        f"the end of what the program itself put into {stage_name(topology.queues[name])!r}: it "
        f"ran the enqueue op {times(often, 'time')} and then closed the queue."
    )
    if failures:
        text += f"\n  Examples may be lacking: {'; '.join(failures)}."
    left = left_over(error, topology.graph)
    return f"{text}\n{_lost(left)} Take them with dequeue_up_to." if left else text


def _stage(queue: Any, run: RunRecord, left: int) -> str:
    """`input_producer (train.py:3: …): planned 2 epochs of 3 = 6, enqueued 6`."""
    parts = []
    if told := plan_in_words(run.threads[0].enqueue_op):
        parts.append(told)
    count = enqueued(run)
    if _goes_on(run):  # a list that is too long for its queue goes in piece by piece, uncounted
        parts.append("has not ended, the rest of it is not used")
    elif count is None:
        parts.append(
            f"{times(sum(thread.enqueued for thread in run.threads), 'run')} of its enqueue op"
        )
    else:
        parts.append(f"enqueued {count}")
        if left:
            parts.append(f"delivered {count - left}, dropped {left}")
    return f"{stage_name(queue)} ({origin(queue)}): {', '.join(parts)}"


def _goes_on(run: RunRecord) -> bool:
    """Whether a stage had more to give when another one ended."""
    return all(thread.state not in ("natural", "failed") for thread in run.threads)


def plan_in_words(enqueue: Any) -> str:
    """`planned 2 epochs of 3 = 6` for an enqueue op with an epoch counter; "" for any other."""
    plan = planned_by(enqueue)
    if plan is None:
        return ""
    epochs, elements = plan
    total = f" of {elements} = {epochs * elements}" if elements is not None else ""
    return f"planned {times(epochs, 'epoch')}{total}"


def planned_by(op: Any) -> tuple[int, int | None] | None:
    """(epochs, elements per epoch) of an enqueue op with an epoch counter; None for any other."""
    for needed in ancestors([op]):
        if is_counter(needed):
            return int(needed.get_attr("limit")), per_call(op)
    return None


def enqueued(run: RunRecord) -> int | None:
    """Elements put into the queue; None when an enqueue op adds an unknown number."""
    total = 0
    for thread in run.threads:
        size = per_call(thread.enqueue_op)
        if size is None:
            return None
        total += size * thread.enqueued
    return total


def per_call(op: Any) -> int | None:
    """Elements that one run of an enqueue op adds; None when only the run can tell."""
    if kind(op) == "QueueEnqueue":
        return 1
    if kind(op) != "QueueEnqueueMany":
        return None
    shape = tf.TensorShape(op.inputs[1].shape)
    return tf.compat.dimension_value(shape[0]) if shape.rank else None


def _odd_ends(runs: dict[str, RunRecord], graph: Any) -> list[str]:
    """OutOfRange is also what a broken op may raise; then the end came early, in silence."""
    lines = []
    for run in runs.values():
        for thread in run.threads:
            if thread.state != "natural" or thread.error is None:
                continue
            op = error_text.failing_op(thread.error, graph)
            if op is None or _ends_streams(op):
                continue
            said = error_text.sentence(thread.error)
            lines.append(
                f"  but look at {op.type} {op.name!r} ({origin(op)}): it raised {said!r}, which "
                "counts as an end only because of its type"
            )
    return list(dict.fromkeys(lines))


def _ends_streams(op: Any) -> bool:
    return is_counter(op) or type_of(op).startswith(("Queue", "Reader", "Iterator", "If", "While"))


def left_over(error: BaseException, graph: Any) -> int:
    """Elements that stay in a closed queue because they are fewer than a step takes.

    TensorFlow says 'requested N, current size M'. A dequeue that was waiting had taken some
    already, and N is what it still wanted; those go back into the queue too.
    """
    counts = error_text.requested_and_left(error)
    if counts is None:
        return 0
    requested, left = counts
    op = error_text.failing_op(error, graph)
    wanted = None
    if op is not None and op.type.startswith("QueueDequeueMany"):
        wanted = static_value(op.inputs[1])
    return left + (max(0, int(wanted) - requested) if wanted is not None else 0)
