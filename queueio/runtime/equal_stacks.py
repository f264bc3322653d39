"""Has sessions compute `tf.stack` of equal tensors as it is written (graph/equal_stack.py).

What a call asks for is left alone by TensorFlow's optimiser. So a call asks for such stacks
besides, where its other ops need them: they are computed anyway.
"""

from __future__ import annotations

from typing import Any

from queueio.graph.equal_stack import is_misread
from queueio.graph.hanging import hanging
from queueio.runtime.calls import Along, SessionCall


class _Stacks:
    """The stacks of a graph that could be misread, and those that calls of a key run."""

    def __init__(self) -> None:
        self.version = self.looked = 0
        self.found = False
        self.run_by: dict[tuple[str, ...], list[Any]] = {}

    def any_in(self, graph: Any) -> bool:
        if self.version != graph.version:
            self.version = graph.version
            ops = graph.get_operations()
            self.found = self.found or any(map(is_misread, ops[self.looked :]))
            self.looked = len(ops)
        return self.found


def kept(call: SessionCall) -> Along | None:
    """Asks for the stacks that a call runs; one in a cond or loop of TF1 cannot be asked for."""
    graph = call.session.graph
    known = hanging(graph, "equal_stacks", _Stacks)
    if not known.any_in(graph):
        return None
    if call.key not in known.run_by:
        stacks = [op for op in call.runs() if is_misread(op) and graph.is_fetchable(op)]
        known.run_by[call.key] = stacks
    stacks = known.run_by[call.key]
    return Along(stacks, _nothing) if stacks else None


def _nothing(values: list[Any]) -> None:
    """The ops give none."""
