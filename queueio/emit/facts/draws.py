"""Random draws with seeds: which belong together, and what their seeds are in the module.

Two random ops of one seed draw the same numbers as long as both draw once for each example. That
is how TF1 programs treat an image and its target alike. Calls of a map that run at once take
numbers as they come, so such draws must be made one example after another, in whichever maps,
or pipelines, of the program they are.
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from queueio.graph.bodies import nodes_run_by

Seeds = tuple[int, int]
_SHUFFLE = "RandomShuffle"


def seeds_of(node: Any) -> Seeds | None:
    """The seeds of a node that draws, the graph's and its own; None without seeds.

    Queues and datasets draw for themselves, in an order of their own.
    """
    attr = node.attr
    if "seed" not in attr or "seed2" not in attr or "Queue" in node.op or "Dataset" in node.op:
        return None
    found = int(attr["seed"].i), int(attr["seed2"].i)
    return None if found == (0, 0) else found


class Draws:
    """The seeded draws of a whole graph: what one pipeline draws may belong to another one's."""

    def __init__(self, graph: Any) -> None:
        self._drawing = Counter(_drawn(graph.get_operations()))
        self._numbers: dict[Seeds, int] = {}
        for _, seeds in self._drawing:
            self._number(seeds)
        self._graph = weakref.ref(graph)

    def seeded(self, fragments: Iterable[Any]) -> bool:
        """Whether any op of the fragments has a seed."""
        return any(True for each in fragments for _ in _drawn(each.ops))

    def paired(self, fragments: Iterable[Any]) -> bool:
        """Whether any op of the fragments draws what another op of the graph draws too."""
        drawn = (found for each in fragments for found in _drawn(each.ops))
        return any(self._drawing[found] > 1 for found in drawn)

    def number(self, seeds: Seeds | None) -> int | None:
        """The one number that a module gives as the seed: the op's own, where that is unique.

        Ops of two graph seeds draw independently of one another whatever their own seeds are.
        """
        return None if seeds is None else self._number(seeds)

    def lists(self, seeds: Seeds | None, length: int | None) -> list[Any]:
        """The ops that shuffle lists of a length by these seeds: all of them in one order."""
        graph = self._graph()
        if seeds is None or graph is None:
            return []
        shuffles = [op for op in graph.get_operations() if op.type == _SHUFFLE]
        mine = [op for op in shuffles if seeds_of(op.node_def) == seeds]
        return [op for op in mine if length_of(op.inputs[0]) == length]

    def _number(self, seeds: Seeds) -> int:
        if seeds not in self._numbers:
            number, taken = seeds[1], set(self._numbers.values())
            while number in taken:
                number += 1
            self._numbers[seeds] = number
        return self._numbers[seeds]


_KNOWN: weakref.WeakKeyDictionary[Any, tuple[int, Draws]] = weakref.WeakKeyDictionary()


def draws_of(graph: Any) -> Draws:
    """The draws of a graph as it is now."""
    version, found = _KNOWN.get(graph, (-1, None))
    if found is None or version != graph.version:
        found = Draws(graph)
        _KNOWN[graph] = graph.version, found
    return found


def seed_of(op: Any) -> int | None:
    """The seed that a module gives for an op; None without seeds."""
    return draws_of(op.graph).number(seeds_of(op.node_def))


def length_of(tensor: Any) -> int | None:
    """How many rows a list has, if the graph says it."""
    return tensor.shape[0] if tensor.shape.rank else None


def _drawn(ops: Iterable[Any]) -> Iterator[tuple[bool, Seeds]]:
    """The seeds of all draws of ops and of the functions that they call.

    Whole lists that are shuffled are told apart: no image flips with a list of files.
    """
    for op in ops:
        for node in () if "Dataset" in op.type else nodes_run_by(op):
            seeds = None if node is None else seeds_of(node)
            if seeds is not None:
                yield node.op == _SHUFFLE, seeds


def notes(ops: Iterable[Any], often: str) -> list[str]:
    """What is said of random ops, which `often` draw, as "for each example"; nothing of others."""
    if not any("seed2" in op.node_def.attr for op in ops):
        return []
    return [f"Random numbers are drawn anew {often}, as before; the numbers themselves are others."]
