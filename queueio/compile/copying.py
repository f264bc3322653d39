"""Copies ops from one graph into the graph being traced, with the functions that they call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import attr_value_pb2, function_pb2, graph_pb2, node_def_pb2

PREFIX = "fragment"


def in_graph() -> tf.Graph:
    """The graph being traced now."""
    return tf.compat.v1.get_default_graph()


def copy_ops(
    graph: tf.Graph,
    ops: Sequence[tf.Operation],
    known: Mapping[str, Any],
    fetches: Sequence[str],
    rewrite: Callable[[graph_pb2.GraphDef], None] = lambda graph_def: None,
) -> list[tf.Tensor]:
    """Copies `ops`, changed by `rewrite`, and returns the copies of `fetches`, tensors by name.

    `known` maps names of tensors from outside `ops` to what replaces them here. The copies keep
    their names under `fragment/`, so that a runtime error still names the user's op.
    """
    used = {t.name for op in ops for t in op.inputs}
    wanted = [name for name in dict.fromkeys(fetches) if name not in known]
    mapped = {name: bring(v) for name, v in known.items() if name in used or name in fetches}
    graph_def = sub_graph_def(graph, ops)
    rewrite(graph_def)
    fetched = tf.graph_util.import_graph_def(
        graph_def,
        input_map={name: v for name, v in mapped.items() if name in used},
        return_elements=wanted,
        name=PREFIX,
    )
    copies = dict(zip(wanted, fetched or (), strict=True))
    return [mapped[name] if name in mapped else copies[name] for name in fetches]


def bring(value: Any) -> tf.Tensor:
    """`value` as a tensor of the graph being traced."""
    here = in_graph()
    if not isinstance(value, tf.Tensor) or not hasattr(value, "graph") or _eager(value):
        return tf.convert_to_tensor(value)
    if value.dtype._is_ref_dtype:  # no public spelling; a function cannot hold a reference
        with value.graph.as_default(), tf.control_dependencies(None):
            value = tf.identity(value)
    if value.graph is here:
        return value
    if not hasattr(here, "capture"):
        raise ValueError(
            f"{value.name} belongs to another graph: it can be captured only while a function "
            f"is traced inside that graph. Pass captures={{{value.name!r}: ...}} instead."
        )
    return here.capture(value)


def _eager(value: tf.Tensor) -> bool:
    return not tf.is_symbolic_tensor(value)


def sub_graph_def(graph: tf.Graph, ops: Iterable[tf.Operation]) -> graph_pb2.GraphDef:
    """The GraphDef of `ops` alone, with every function that they can reach."""
    ops = list(ops)
    names = {op.name for op in ops}
    result = graph_pb2.GraphDef()
    result.versions.CopyFrom(graph.graph_def_versions)
    functions: set[str] = set()
    for op in ops:
        node = result.node.add()
        node.CopyFrom(op.node_def)
        _trim(node, names)
        functions.update(_called(node.attr.values()))
    if functions:
        _add_functions(graph, functions, result.library)
    return result


def _trim(node: node_def_pb2.NodeDef, names: set[str]) -> None:
    """Drops what ties a node to its old surroundings: devices, colocation, lost control edges."""
    node.ClearField("device")
    node.attr.pop("_class", None)
    edges = [e for e in node.input if not e.startswith("^") or e[1:] in names]
    if len(edges) != len(node.input):
        del node.input[:]
        node.input.extend(edges)


def _called(attrs: Iterable[attr_value_pb2.AttrValue]) -> Iterable[str]:
    for attr in attrs:
        if attr.HasField("func"):
            yield attr.func.name
        for func in attr.list.func:
            yield func.name


def _add_functions(
    graph: tf.Graph, roots: set[str], library: function_pb2.FunctionDefLibrary
) -> None:
    known = {f.signature.name: f for f in graph.as_graph_def().library.function}
    stack, seen = sorted(roots), set(roots)
    while stack:
        definition = known.get(stack.pop())
        if definition is None:
            continue
        library.function.add().CopyFrom(definition)
        for node in definition.node_def:
            # A function may be called by its op type as well as by an attribute.
            for name in [node.op, *_called(node.attr.values())]:
                if name in known and name not in seen:
                    seen.add(name)
                    stack.append(name)
