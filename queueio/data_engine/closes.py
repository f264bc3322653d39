"""Ops with which a program closes a queue before the batch, which tf.data does not take from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from queueio.graph.handled import handling
from queueio.graph.index import Evaluator, Index
from queueio.graph.refusal import refuse
from queueio.graph.traversal import closed_queue, run_by, upstream
from queueio.runtime.topology import is_of_engine


def inputs_of(evaluators: Iterable[Evaluator]) -> set[Any]:
    """The queues that `evaluators` take from, themselves or through a reader."""
    return {upstream(point) for evaluator in evaluators for point in evaluator.points}


def closers(ops: Iterable[Any], index: Index, queues: set[Any]) -> Iterator[Any]:
    """Those of `ops` by which the program itself closes one of `queues`.

    What a queue runner's own ops run closes queues when it ends or is stopped, and is not among
    them: the runner of buckets closes the queues of all of them by a group of ops.
    """
    own = {op for runner in index.runners for op in (runner.close_op, runner.cancel_op)}
    runners = set(run_by(own - {None}, ()))
    for op in ops:
        if closed_queue(op) in queues and op not in runners and not is_of_engine(op):
            yield op


def closed_among(ops: Iterable[Any], queues: Callable[[], set[Any]]) -> list[Any]:
    """Those of the ops of a session call that close one of `queues`, whosever they are.

    `queues` is asked only where one closes any queue.
    """
    closing = [op for op in ops if closed_queue(op) is not None and not is_of_engine(op)]
    if not closing:
        return []
    wanted = queues()
    return [op for op in closing if closed_queue(op) in wanted]


def refuse_closer(op: Any, instead: str) -> Exception:
    """Says that batches would go on behind a queue that the program has closed.

    Args:
      op: one of its `closers`.
      instead: what to do.
    """
    name = closed_queue(op).name
    return refuse(op, f"it closes {name!r}, which ends the input: tf.data does not take from that"
                  " queue, and would go on", instead)  # fmt: skip


def check_unclosed(index: Index, evaluators: Iterable[Evaluator]) -> None:
    """Refuses a pipeline of which the graph has an op that ends its input.

    Args:
      index: the graph's queues.
      evaluators: what fills the batch's queue and those before it.

    Raises:
      NotLifted: which op.
    """
    for op in closers(handling(index.graph), index, inputs_of(evaluators)):
        raise refuse_closer(op, "Leave it out, and stop the input by coord.request_stop()")
