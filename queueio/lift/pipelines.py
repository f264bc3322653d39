"""Which queue pipelines a graph holds: found from the ops that take out of a queue last."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import tensorflow as tf

from queueio.graph.called import as_called
from queueio.graph.index import Index
from queueio.graph.traversal import ancestors, is_barrier_take, is_dequeue, is_take, kind
from queueio.lift.behind import made_of
from queueio.lift.fetches import lift
from queueio.lift.sparse import taken_from
from queueio.lift.towers import of_one_step
from queueio.plan.tree import PlanTree


@dataclass(frozen=True, eq=False)
class Pipeline:
    """A queue pipeline, whole: from its sources to the op that hands its examples to the model."""

    op: Any
    """The last dequeue, or read, of the pipeline."""
    fetches: list[Any] = field(repr=False)
    """What that op gives: tensors, and sparse tensors where their handles came out."""
    beside: tuple[Pipeline, ...] = field(default=(), repr=False)
    """Where its queue feeds the towers of a model, those of the other towers."""

    @property
    def given(self) -> Any:
        """The fetches as the program got them: a dict where it batched one; a list of towers'."""
        own = as_called(self.op, self.fetches)
        return [own, *(each.given for each in self.beside)] if self.beside else own

    @property
    def name(self) -> str:
        """The op's name, such as `shuffle_batch`."""
        return str(self.op.name)

    @property
    def graph(self) -> Any:
        """The graph that holds it."""
        return self.op.graph

    @property
    def behind(self) -> list[Any]:
        """The ops that the program has between this pipeline and its model; see behind.py."""
        parts = [
            part
            for tower in (self, *self.beside)
            for each in tower.fetches
            for part in (
                (each.indices, each.values, each.dense_shape)
                if isinstance(each, tf.SparseTensor)
                else (each,)
            )
        ]
        return made_of(parts, self.graph)

    def lift(self, *, allow: Iterable[str] = ()) -> PlanTree:
        """The plan of the pipeline.

        Args:
          allow: as for `queueio.lift`.

        Raises:
          NotLifted, NoEquivalent: as for `queueio.lift`.
        """
        plan: PlanTree = lift(self.given, graph=self.graph, allow=allow)
        return plan


def model_inputs(graph: Any) -> list[Pipeline]:
    """The queue pipelines of a graph, those that feed the towers of one model as one."""
    found = {each.op: each for each in pipelines(graph)}
    return [
        replace(found[op], beside=tuple(found[other] for other in others))
        for op, *others in of_one_step(found)
    ]


def pipelines(graph: Any) -> list[Pipeline]:
    """The queue pipelines of a graph, in the order of their making.

    A pipeline ends in a dequeue or read that no enqueue op needs, or takes out of a barrier. Two
    such ops are two pipelines, also where they take from one queue.
    """
    index = Index(graph)
    takes = [op for op in graph.get_operations() if kind(op).startswith("TakeManySparse")]
    return [
        Pipeline(op, _fetches(op, takes))
        for op in graph.get_operations()
        if (is_barrier_take(op) or (is_take(op) and not _counts_taken(op)))
        and op not in index.inner
        and op.outputs
    ]


def _counts_taken(op: Any) -> bool:
    """Whether as many elements are taken as a barrier's batch says: tokens, which nobody reads."""
    return is_dequeue(op) and any(map(is_barrier_take, ancestors(t.op for t in op.inputs[1:])))


def _fetches(op: Any, takes: list[Any]) -> list[Any]:
    """The op's outputs, handles of sparse tensors replaced by what is taken from the map."""
    found = list(op.outputs)
    for take in takes:
        source = taken_from(take)
        if source is not None and source[0] is op:
            found[source[1]] = tf.SparseTensor(*take.outputs)
    return found
