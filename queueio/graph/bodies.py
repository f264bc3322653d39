"""The functions that an op calls, as graphs: TF2's conds and loops, which TF1 did not have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import tensorflow as tf
from tensorflow.python.framework import function_def_to_graph  # no public spelling

from queueio.graph.traits import calls_functions, row_of, traits_of
from queueio.graph.traversal import root, takers


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
        tensor = root(tensor)
        for inner, outer in zip(self.graph.inputs, self.arguments, strict=True):
            if inner is tensor:
                return outer
        return None

    def takers_of(self, position: int) -> Iterator[Any]:
        """The inner ops that take the op's input number `position`, if the function gets it."""
        index = position - (len(self.call.inputs) - len(self.graph.inputs))
        if index >= 0:
            yield from takers(self.graph.inputs[index])


def bodies(op: Any, around: Any = None) -> Iterator[Body]:
    """The functions that an op calls, for ops that hand all their inputs on to them.

    Args:
      op: an op; one inside a function calls functions that may belong to the graph around it.
      around: that graph.
    """
    graphs = [op.graph] if around is None else [op.graph, around]
    for name, attr in sorted(op.node_def.attr.items()):
        if attr.HasField("func"):
            found = [(definition_of(graph, attr.func.name), graph) for graph in graphs]
            known = [each for each in found if each[0] is not None]
            graph = _graph(*known[0]) if known else None
            if graph is not None:
                yield Body(op, name, graph)


def nodes_run_by(op: Any) -> Iterator[Any]:
    """The NodeDefs of an op and of all ops in the functions that it calls; None for unknown ones.

    Unlike `bodies` it makes no graphs, so it is cheap, and it goes as deep as the calls do.
    """
    waiting, seen = [op.node_def], set[str]()
    while waiting:
        node = waiting.pop()
        yield node
        attributes = node.attr.values()
        called = [a.func for a in attributes if a.HasField("func")]
        called += [function for a in attributes for function in a.list.func]
        for name in {function.name for function in called} - seen:
            seen.add(name)
            definition = definition_of(op.graph, name)
            if definition is None:
                yield None
            else:
                waiting += definition.node_def


def does(op: Any) -> str | None:
    """What comes of an op besides its outputs, in words that follow "it"; None for nothing."""
    row = traits_of(op)
    if row.effect is not None:
        return row.effect.value
    if calls_functions(op):  # before node_def is asked for, which copies the value of a constant
        checks = any(node is not None and row_of(node.op).checks for node in nodes_run_by(op))
    else:
        checks = row.checks
    return "checks what comes" if checks else None


def ending_ops(ops: Iterable[Any], around: Any = None) -> list[Any]:
    """Those of the ops that may end a stream, by themselves or by a function that they call."""
    return [op for op in ops if traits_of(op).ends or _calls_one(op, around or op.graph)]


def _calls_one(op: Any, around: Any) -> bool:
    if not calls_functions(op):
        return False  # before node_def is asked for, which copies the value of a constant
    called = (body.graph.get_operations() for body in bodies(op, around))
    return any(ending_ops(ops, around) for ops in called)


def _graph(definition: Any, around: Any) -> Any | None:
    """A function as a graph; None where TensorFlow cannot make one of it.

    That is so where an op asks what is behind a handle: a definition does not say that of its
    arguments.
    """
    # In a thread of its own, so that no line of the caller's passes for the origin of its ops.
    with ThreadPoolExecutor(1) as pool:
        made = pool.submit(function_def_to_graph.function_def_to_graph, definition)
        if isinstance(made.exception(), ValueError):
            made = pool.submit(_within, around, definition)
    return None if isinstance(made.exception(), ValueError) else made.result()


def _within(around: Any, definition: Any) -> Any:
    """The same where the function calls others: these are looked for in the default graph."""
    with around.as_default():
        return function_def_to_graph.function_def_to_graph(definition)


def definition_of(graph: Any, name: str) -> Any:
    """The FunctionDef of a function that an op of `graph` calls; None if the graph has it not."""
    function = graph._get_function(name)  # no public spelling
    if function is None:
        return None
    try:
        return getattr(function, "cached_definition", None) or function.definition
    except tf.errors.InvalidArgumentError:
        # Asked for, it is made known to this process, which may have another of the same name.
        library = graph.as_graph_def().library.function
        return next((each for each in library if each.signature.name == name), None)
