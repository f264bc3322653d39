"""Refuses ends that in TF1 stop more, or less, than one stream.

An op that raises OutOfRangeError stops the thread that ran it; the last thread of a queue runner
closes the queue. Where only the threads of one stream are concerned, to count the ends is enough
(queueio/compile/ends.py). Here is the rest: what else hangs on a thread, or on a runner.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from queueio.graph.bodies import ending_ops
from queueio.graph.index import Evaluator, Index
from queueio.graph.refusal import refuse
from queueio.graph.traversal import ancestors, upstream

_AN_END = "an end that it raises (StopIteration, in a Python function)"
_REMEDY = "leave examples out with keep_input where the op would raise an end"


def check_alike(fragments: Iterable[Any]) -> None:
    """Refuses ends of producers that differ and share what they take."""
    for op in (op for fragment in fragments for op in ending_ops(fragment.ops)):
        raise refuse(
            op,
            f"{_AN_END} stops one of several producers that differ, and leaves to the others what"
            " they share: which one it is, and so how the rest is treated, is a race",
            f"Give each producer an input of its own, or {_REMEDY}",
        )


def check_one_reader(fragment: Any, readers: int) -> None:
    """Refuses ends that take a reader with them."""
    for op in ending_ops(fragment.ops) if readers > 1 else ():
        raise refuse(
            op,
            f"{_AN_END} stops the thread of one of {readers} readers, and nobody reads the rest of"
            " its file",
            f"Use one reader and num_threads={readers}, or {_REMEDY}",
        )


def check_one_count(inside: Any, before: Iterable[Any], threads: int) -> None:
    """Refuses ends inside of a cond and before it, which several threads count as one."""
    ops = ending_ops(before) if threads > 1 else []
    if ops and ending_ops(inside.ops):
        raise refuse(
            ops[0],
            f"{_AN_END} stops one of {threads} threads, and so does one of an op inside of the"
            " cond that enqueues: tf.data would count them apart",
            f"Use num_threads=1, or {_REMEDY}",
        )


def check_one_runner(index: Index, queue: Any, feeders: Sequence[Evaluator]) -> None:
    """Refuses a queue that one queue runner may close while another one still fills it."""
    if len({feeder.runner for feeder in feeders}) > 1:
        for feeder in feeders:
            for op in _ends_of(index, feeder):
                raise refuse(
                    feeder.op,
                    f"it is not the only queue runner's that fills {queue.name!r}: when its input"
                    f" has ended (by {op.name!r}), its runner closes the queue, and the other"
                    " one fails",
                    "Give all enqueue ops of a queue to one QueueRunner",
                )


def _ends_of(index: Index, feeder: Evaluator) -> list[Any]:
    """The ops that may end what an evaluator puts in, further up included."""
    found: list[Any] = []
    waiting, seen = [feeder], {feeder}
    while waiting:
        evaluator = waiting.pop()
        points = set(evaluator.points)
        found += ending_ops(op for op in ancestors([evaluator.op]) if op not in points)
        for point in points:
            more = {e for e, _ in index.feeders(upstream(point))} - seen
            seen |= more
            waiting += more
    return found
