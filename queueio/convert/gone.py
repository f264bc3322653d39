"""What session calls get from within a pipeline, which a script without its queues has not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from queueio.convert.making import ops_behind
from queueio.graph.origin import origin
from queueio.graph.traversal import ancestors, is_queue, is_take, kind, run_by, type_of

_ASKS = {"QueueSize", "QueueIsClosed", "ReaderNumRecordsProduced", "ReaderNumWorkUnitsCompleted",
         "ReaderSerializeState"}  # fmt: skip


class Gone:
    """The ops of a graph that take from within some pipelines, or ask their queues and readers.

    Args:
      graph: the graph.
      last: the last ops of the pipelines.
    """

    def __init__(self, graph: Any, last: Sequence[Any]) -> None:
        behind = {op for end in last for op in ops_behind(end)}
        self._takes = {op for op in behind if is_take(op)} - set(last)
        self._asks = _asking(behind)
        self._graph = graph

    def missed(self, ops: list[Any], fed: set[Any]) -> tuple[list[str], list[tuple[str, str]]]:
        """What a session call of some ops would miss; `fed`: the ops whose results it is given.

        Returns:
          What it takes or asks, in words; and the summaries in which it asks, as `merged` has them.
        """
        if not self._takes | self._asks:
            return [], []
        needed = run_by(ops, fed)
        summed = {op for op in needed if op.type.endswith("Summary")}
        aside = set(ancestors(ops, (summed | fed).__contains__))
        words = [
            f"runs {_told(op)}: what it takes is missing in the batches, and would be in those of"
            " the changed script"
            for op in needed
            if op in self._takes
        ] + [
            f"runs {_told(op)}: it asks a queue or reader that the changed script has not"
            for op in needed
            if op in self._asks & aside
        ]
        return words, _telling(summed, self._asks - aside)

    def merged(self) -> list[tuple[str, str]]:
        """The summaries that ask, which the program has merged to write them: the name of each, and
        the lines that made what it asks."""
        made = _summaries(self._graph) if self._asks else set()
        merged = {op for op in made if any(tensor.consumers() for tensor in op.outputs)}
        return _telling(merged, self._asks)


def asking(graph: Any, last: Sequence[Any]) -> list[tuple[str, str, bool]]:
    """The summaries of a graph that ask queues or readers, as `Gone.merged` has them.

    Args:
      graph: the graph.
      last: the last ops of its pipelines, as far as session calls take from them.

    Returns:
      With each whether one of these pipelines comes through what it asks.
    """
    summaries = _summaries(graph)
    used = _asking({op for end in last for op in ops_behind(end)})
    idle = _asking(graph.get_operations()) - used
    return [
        (*each, through)
        for asks, through in ((idle, False), (used, True))
        for each in _telling(summaries, asks)
    ]


def _asking(ops: Iterable[Any]) -> set[Any]:
    """What asks the queues and readers among some ops."""
    handles = [op for op in ops if is_queue(op) or "Reader" in type_of(op)]
    used = (c for op in handles for tensor in op.outputs for c in tensor.consumers())
    return {op for op in used if kind(op) in _ASKS}


def _summaries(graph: Any) -> set[Any]:
    return {op for op in graph.get_operations() if op.type.endswith("Summary")}


def _telling(summaries: set[Any], asks: set[Any]) -> list[tuple[str, str]]:
    found = []
    for op in summaries if asks else ():
        asked = asks.intersection(ancestors([op], (summaries - {op}).__contains__))
        if asked:
            lines = {origin(each.inputs[0]).code_line for each in asked}
            found.append((op.name, "; ".join(sorted(lines))))
    return sorted(found)


def _told(op: Any) -> str:
    return f"{kind(op)} op {op.name!r}, made at {origin(op)}"
