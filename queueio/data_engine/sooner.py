"""Pipelines that the queues are through with sooner than tf.data: the data engine leaves them."""

from __future__ import annotations

from typing import Any

from queueio import settings
from queueio.data_engine.end import few_examples
from queueio.errors import message
from queueio.graph.index import index_of
from queueio.graph.traits import row_of
from queueio.plan.node import Node, Slower, fold
from queueio.runtime.topology import is_of_engine
from queueio.words import times


class SoonerInQueues(Exception):
    """The queues are the faster way: no fallback that anyone is warned about."""

    def __init__(self, what: str, why: str) -> None:
        super().__init__(
            message(what, why, "Set QUEUEIO_SMALL_JOB=0 to have tf.data do it all the same")
        )

    @classmethod
    def few(cls, count: int) -> SoonerInQueues:
        """Of so few examples."""
        return cls(
            f"it has {times(count, 'example')} in all",
            "the queues are through with them before a dataset is built",
        )

    @classmethod
    def of(cls, plan: Node, queue_op: Any, session: Any) -> SoonerInQueues | None:
        """Why a pipeline is left to the queues; None where tf.data is to do it.

        Args:
          plan: the batch.
          queue_op: the op of its example queue.
          session: for file names that only a variable holds.
        """
        most, graph = settings.current().small_job, session.graph
        if not most:
            return None
        own = (op for op in graph.get_operations() if not is_of_engine(op))
        kept = any(row_of(op.type).restores for op in own)  # a checkpoint holds where it stands
        slower = next((one for one in fold(plan, _slower) if one.by_half or not kept), None)
        if slower is not None:
            return cls(
                f"it {slower.what}", "a queue's threads do so at a lower cost than tf.data's"
            )
        if kept:
            return None
        count = few_examples(index_of(graph), queue_op, session, most)
        return None if count is None else cls.few(count)


def _slower(node: Node, *inputs: tuple[Slower, ...]) -> tuple[Slower, ...]:
    here = node.slower_than_queues
    below = tuple(one for each in inputs for one in each)
    return below if here is None else (here, *below)
