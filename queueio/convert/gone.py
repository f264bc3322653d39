"""What session calls get from within a pipeline, which a script without its queues has not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from queueio.convert.making import ops_behind
from queueio.graph.origin import origin
from queueio.graph.traversal import ancestors, is_queue, is_take, kind

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
        handles = [op for op in behind if is_queue(op) or "Reader" in op.type]
        used = (c for op in handles for tensor in op.outputs for c in tensor.consumers())
        self._asks = {op for op in used if kind(op) in _ASKS}
        self._graph = graph

    def missed(self, ops: list[Any], fed: set[Any]) -> tuple[list[str], list[str]]:
        """What a session call of some ops would miss; `fed`: the ops whose results it is given.

        Returns:
          What it takes or asks, in words; and the names of the summaries in which it asks.
        """
        if not self._takes | self._asks:
            return [], []
        needed = [op for op in ancestors(ops, fed.__contains__) if op not in fed]
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
        return words, self._telling(summed, self._asks - aside)

    def merged(self) -> list[str]:
        """The names of the summaries that ask, which the program has merged to write them."""
        if not self._asks:
            return []
        made = {op for op in self._graph.get_operations() if op.type.endswith("Summary")}
        merged = {op for op in made if any(tensor.consumers() for tensor in op.outputs)}
        return self._telling(merged, self._asks)

    def _telling(self, summaries: set[Any], asked: set[Any]) -> list[str]:
        return sorted(
            op.name
            for op in summaries
            if asked & set(ancestors([op], (summaries - {op}).__contains__))
        )


def _told(op: Any) -> str:
    return f"{kind(op)} op {op.name!r}, made at {origin(op)}"
