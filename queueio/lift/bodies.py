"""The functions that an op calls, as graphs: TF2's conds and loops, which TF1 did not have."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from tensorflow.python.framework import function_def_to_graph  # no public spelling

PASSING = frozenset({"Identity"})


@dataclass(frozen=True, eq=False)
class Body:
    """A function that an op calls, as a graph of its own."""

    call: Any
    attribute: str
    graph: Any

    @property
    def arguments(self) -> list[Any]:
        """The outer tensors that the function's inputs stand for."""
        tensors = list(self.call.inputs)
        return tensors[len(tensors) - len(self.graph.inputs) :]

    def outside(self, tensor: Any) -> Any | None:
        """The outer tensor that an inner one merely passes on, or None."""
        while tensor.op.type in PASSING:
            tensor = tensor.op.inputs[0]
        for inner, outer in zip(self.graph.inputs, self.arguments, strict=True):
            if inner is tensor:
                return outer
        return None

    def takers_of(self, position: int) -> Iterator[Any]:
        """The inner ops that take the op's input number `position`, if the function gets it."""
        index = position - (len(self.call.inputs) - len(self.graph.inputs))
        if index < 0:
            return
        waiting = [self.graph.inputs[index]]
        while waiting:
            for op in waiting.pop().consumers():
                if op.type in PASSING:
                    waiting += op.outputs
                else:
                    yield op


def bodies(op: Any, around: Any = None) -> Iterator[Body]:
    """The functions that an op calls, for ops that hand all their inputs on to them.

    Args:
      op: an op; one inside a function calls functions that may belong to the graph around it.
      around: that graph.
    """
    graphs = [op.graph] if around is None else [op.graph, around]
    for name, attr in sorted(op.node_def.attr.items()):
        if attr.HasField("func"):
            definitions = [definition_of(graph, attr.func.name) for graph in graphs]
            known = [each for each in definitions if each is not None]
            if known:
                yield Body(op, name, _graph(known[0]))


def _graph(definition: Any) -> Any:
    # In a thread of its own, so that no line of the caller's passes for the origin of its ops.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function_def_to_graph.function_def_to_graph, definition).result()


def definition_of(graph: Any, name: str) -> Any:
    """The FunctionDef of a function that an op of `graph` calls; None if the graph has it not."""
    function = graph._get_function(name)  # no public spelling
    if function is None:
        return None
    return getattr(function, "cached_definition", None) or function.definition
