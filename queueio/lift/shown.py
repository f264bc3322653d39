"""Refuses pipelines that do more, whenever they run, than the examples that are lifted show.

All that an op needs runs with it, by whichever edge: what a read, a dequeue or a counter waits for,
what a cond waits for, what is grouped with an enqueue. None of that makes a component.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

from queueio.graph.bodies import does
from queueio.graph.index import Enqueue, Evaluator
from queueio.graph.refusal import refuse
from queueio.graph.traits import State, row_of
from queueio.graph.traversal import ancestors
from queueio.lift.reach import Reach

_INTO_A_MAP = ("AddSparseToTensorsMap", "AddManySparseToTensorsMap")
"""How a queue holds a sparse tensor, which is lifted as itself."""


def check_run(evaluator: Evaluator, lifted: Container[Any], of: Iterable[Enqueue]) -> None:
    """Refuses what acts or checks in each run of a thread's, and that no example shows.

    Args:
      evaluator: what the thread runs.
      lifted: the ops that are lifted.
      of: the enqueues whose elements they make; there may be others, which are lifted elsewhere.
    """
    puts = {op for enqueue in evaluator.enqueues for op in (enqueue.op, enqueue.outer)}
    mine = {id(enqueue) for enqueue in of}
    others = [e.op for e in evaluator.enqueues if id(e) not in mine]
    elsewhere = set(Reach([tensor for op in others for tensor in op.inputs]).ops)
    for op in ancestors([evaluator.op]):
        if op not in lifted and op not in puts and op not in elsewhere:
            _check(op, f"in each run of {evaluator.op.name!r}", "nothing that is enqueued",
                   "Let a tensor that is enqueued wait for it")  # fmt: skip


def check_fetch(fetches: Iterable[Any], at: Any, lifted: Container[Any]) -> None:
    """The same of what a session call runs.

    A batch that is made where ops wait for a check of an example waits for that, too: to fetch it
    takes that example, and TF1 lost it (1.15.5, asked).

    Args:
      fetches: the tensors, and the ops, that it fetches.
      at: the op whose batches they are.
      lifted: as above.
    """
    for op in ancestors(fetches):
        if op not in lifted:
            _check(
                op,
                f"whenever {at.name!r} is fetched",
                "no component",
                "Make the batch outside of the with, and let a component wait for it",
            )


def _check(op: Any, when: str, what: str, remedy: str) -> None:
    it_does = does(op)
    if it_does is not None:
        remedy += ": with tf.control_dependencies([op]): x = tf.identity(x)"
    elif row_of(op.type).state is State.WRITES and op.type not in _INTO_A_MAP:
        it_does, remedy = "changes state", "Keep what it changes outside of the input pipeline"
    if it_does is not None:
        raise refuse(op, f"it {it_does} {when}, and {what} is made of it or waits for it", remedy)
