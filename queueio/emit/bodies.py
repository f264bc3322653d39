"""The functions that an op calls, as graphs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tensorflow.python.framework import function_def_to_graph  # no public spelling

from queueio.lift.bodies import Body, definition_of


def bodies(op: Any, outer: Any) -> list[Body]:
    """The functions of an op, by the names of its attributes.

    Args:
      op: an op; one inside a function calls functions that belong to the graph around it.
      outer: that graph.
    """
    found = []
    for name, attr in sorted(op.node_def.attr.items()):
        if attr.HasField("func"):
            for graph in (op.graph, outer):
                definition = definition_of(graph, attr.func.name)
                if definition is not None:
                    found.append(Body(op, name, _graph(definition)))
                    break
    return found


def _graph(definition: Any) -> Any:
    # In a thread of its own, so that no line of the caller's passes for the origin of its ops.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function_def_to_graph.function_def_to_graph, definition).result()
