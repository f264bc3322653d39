"""How many examples a map works on at once: one, where seeded draws must come in their order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from queueio.emit.facts.draws import draws_of
from queueio.emit.steps.lines import Lines
from queueio.plan.node import Node

_PAIRED = (
    "One example after another: random ops with one seed, here or elsewhere in the program, draw"
    " alike in no other way."
)
_SEEDED = (
    "One example after another, as one thread did it: the n-th gets the n-th draw of a seed in"
    " every run."
)


def pace(writer: Lines, node: Node, fragments: Any) -> tuple[dict[str, str], list[str]]:
    """The arguments of the map that runs a node's fragments, and what a reader should know."""
    draws = draws_of(writer.plan.graph)
    if draws.paired(fragments):
        return {}, [_PAIRED]
    if draws.seeded(fragments) and writer.threads.get(node, 1) == 1:
        return {}, [_SEEDED]
    return {"num_parallel_calls": "tf.data.AUTOTUNE"}, []


def threads_of(node: Node, threads: int = 1) -> Iterator[tuple[Node, int]]:
    """How many threads ran each stage of TF1's pipeline, from the last one down.

    What the training step itself runs, behind the last queue, one thread ran.
    """
    yield node, threads
    for below, own in zip(node.inputs, node.threads_of_inputs(threads), strict=True):
        yield from threads_of(below, own)
