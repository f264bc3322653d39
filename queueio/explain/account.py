"""A pipeline and what can be said about it: its stages, and why it was refused if it was."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from queueio.errors import Refusal
from queueio.explain.outline import outline
from queueio.explain.stage import ToldStage, stages
from queueio.graph.index import Index
from queueio.lift.pipelines import Pipeline


@dataclass(frozen=True)
class Account:
    """What is told about one pipeline.

    Attributes:
      name: of the op that it ends in, and of its graph where others have pipelines, too.
      last: its last stage, with all others above it.
      refusal: why it was not lifted, or None; then its stages are only what the graph shows.
    """

    name: str
    last: ToldStage
    refusal: Refusal | None = None


def accounts(pipelines: Sequence[Pipeline], allow: Iterable[str] = ()) -> list[Account]:
    """What is told about each of several pipelines, told apart by their graphs.

    Args:
      pipelines: of one graph or several, in the order of their making.
      allow: as for `queueio.lift`.
    """
    graphs = list(dict.fromkeys(pipeline.graph for pipeline in pipelines))
    made = [account(pipeline, allow) for pipeline in pipelines]
    if len(graphs) == 1:
        return made
    return [
        replace(each, name=f"{each.name} of graph {graphs.index(pipeline.graph) + 1}")
        for each, pipeline in zip(made, pipelines, strict=True)
    ]


def account(pipeline: Pipeline, allow: Iterable[str] = ()) -> Account:
    """Lifts a pipeline and tells its stages, or why not and what the graph shows of it.

    Args:
      pipeline: the pipeline.
      allow: as for `queueio.lift`.
    """
    try:
        return Account(pipeline.name, stages(pipeline.lift(allow=allow)))
    except Refusal as refusal:
        return Account(pipeline.name, outline(pipeline.op, Index(pipeline.graph)), refusal)
