"""Which queue pipelines a graph holds: found from the ops that take out of a queue last."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import tensorflow as tf

from queueio.lift.fetches import lift
from queueio.lift.index import Index, ancestors, kind
from queueio.lift.sparse import taken_from
from queueio.plan.tree import Plan


@dataclass(frozen=True, eq=False)
class Pipeline:
    """A queue pipeline, whole: from its sources to the op that hands its examples to the model."""

    op: Any
    """The last dequeue, or read, of the pipeline."""
    fetches: list[Any] = field(repr=False)
    """What that op gives: tensors, and sparse tensors where their handles came out."""

    @property
    def name(self) -> str:
        """The op's name, such as `shuffle_batch`."""
        return str(self.op.name)

    @property
    def graph(self) -> Any:
        """The graph that holds it."""
        return self.op.graph

    def lift(self) -> Plan:
        """The plan of the pipeline.

        Raises:
          NotLifted, NoEquivalent: as for `queueio.lift`.
        """
        return lift(self.fetches, graph=self.graph)


def pipelines(graph: Any) -> list[Pipeline]:
    """The queue pipelines of a graph, in the order of their making.

    A pipeline ends in a dequeue or read that no enqueue op needs. Two such ops are two pipelines,
    also where they take from one queue.
    """
    index = Index(graph)
    enqueues = [enqueue.outer for use in index.uses.values() for enqueue in use.enqueues]
    inner = set(ancestors(enqueues + [evaluator.op for evaluator in index.evaluators]))
    takes = [op for op in graph.get_operations() if kind(op).startswith("TakeManySparse")]
    return [
        Pipeline(op, _fetches(op, takes))
        for op in graph.get_operations()
        if kind(op).startswith(("QueueDequeue", "ReaderRead")) and op not in inner and op.outputs
    ]


def _fetches(op: Any, takes: list[Any]) -> list[Any]:
    """The op's outputs, handles of sparse tensors replaced by what is taken from the map."""
    found = list(op.outputs)
    for take in takes:
        source = taken_from(take)
        if source is not None and source[0] is op:
            found[source[1]] = tf.SparseTensor(*take.outputs)
    return found
