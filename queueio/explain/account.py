"""A pipeline and what can be said about it: its stages, and why it was refused if it was."""

from __future__ import annotations

from dataclasses import dataclass

from queueio.errors import NoEquivalent, NotLifted
from queueio.explain.outline import outline
from queueio.explain.stage import Stage, stages
from queueio.lift.index import Index
from queueio.lift.pipelines import Pipeline


@dataclass(frozen=True)
class Account:
    """What is told about one pipeline.

    Attributes:
      name: of the op that it ends in.
      last: its last stage, with all others above it.
      refusal: why it was not lifted, or None; then its stages are only what the graph shows.
    """

    name: str
    last: Stage
    refusal: NotLifted | NoEquivalent | None = None


def account(pipeline: Pipeline) -> Account:
    """Lifts a pipeline and tells its stages, or why not and what the graph shows of it."""
    try:
        return Account(pipeline.name, stages(pipeline.lift()))
    except (NotLifted, NoEquivalent) as refusal:
        return Account(pipeline.name, outline(pipeline.op, Index(pipeline.graph)), refusal)
