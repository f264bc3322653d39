"""Ops made once more.

copy_ops   many at once, in the graph being traced, with the functions that they call
again      one, on other tensors; arguments, how that is spelled
node_on    one, on other inputs of a GraphDef
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import attr_value_pb2, function_pb2, graph_pb2, node_def_pb2

from queueio.graph.equal_stack import as_concat, is_misread
from queueio.graph.parallel_stack import PARALLEL, as_sequential
from queueio.graph.reference import ASKS, LEADS_REFERENCES, as_of_value
from queueio.graph.traits import op_def_of

PREFIX = "fragment"
_IN_PYTHON = {
    "dim": "axis", "e": "y", "input": "condition", "reduction_indices": "axis",
    "split_dim": "axis", "squeeze_dims": "axis", "t": "x",
}  # fmt: skip
"""Names of inputs and attributes that Python calls otherwise than the graph, in some ops."""


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


def again(op: tf.Operation, inputs: Sequence[Any], **attrs: Any) -> list[tf.Tensor]:
    """What the same op with the same attributes makes of other inputs; `attrs` override.

    Unlike a copy it is made for these inputs: of their shapes, and eagerly where that is the mode.

    Raises:
      AttributeError: the op is none that `tf.raw_ops` has.
    """
    if op.type == ASKS:
        return [tf.constant(True)]
    kind = LEADS_REFERENCES.get(op.type, op.type)
    made = getattr(tf.raw_ops, kind)(**arguments(op, inputs) | attrs)
    if made is None or isinstance(made, tf.Operation):
        return []
    return list(tf.nest.flatten(made))


def arguments(op: tf.Operation, values: Sequence[Any], *, defaults: bool = True) -> dict[str, Any]:
    """The arguments of `tf.raw_ops.<type>` for an op like `op`, with `values` as its inputs.

    Args:
      op: the op.
      values: one for each input, in order.
      defaults: whether to give attributes that have their default value.
    """
    given, rest, found, read_off = op.node_def.attr, list(values), dict[str, Any](), set[str]()
    parameters = inspect.signature(getattr(tf.raw_ops, op.type)).parameters
    for arg in op_def_of(op).input_arg:
        name = arg.name if arg.name in parameters else _IN_PYTHON[arg.name]
        read_off |= {arg.type_attr, arg.number_attr, arg.type_list_attr}
        if arg.number_attr:
            count = int(op.get_attr(arg.number_attr))
        elif arg.type_list_attr:
            count = len(op.get_attr(arg.type_list_attr))
        else:
            found[name] = rest.pop(0)
            continue
        found[name], rest = rest[:count], rest[count:]
    for attr in op_def_of(op).attr:
        if attr.name in read_off or attr.name not in given:
            continue
        if defaults or given[attr.name] != attr.default_value:
            name = attr.name if attr.name in parameters else _IN_PYTHON[attr.name]
            found[name] = op.get_attr(attr.name)
    return found


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


def sub_graph_def(
    graph: tf.Graph, ops: Iterable[tf.Operation], *, shaped: bool = False
) -> graph_pb2.GraphDef:
    """The GraphDef of `ops` alone, with every function that they can reach.

    Args:
      graph: holds them.
      ops: what to copy.
      shaped: whether nodes tell the shapes that their ops have here, of which an import infers
        those of the ops behind them: what `set_shape` said is in no node otherwise.
    """
    ops = list(ops)
    names = {op.name for op in ops}
    result = graph_pb2.GraphDef()
    result.versions.CopyFrom(graph.graph_def_versions)
    functions: set[str] = set()
    for op in ops:
        node = node_on(op)
        node.input[:] = [e for e in node.input if not e.startswith("^") or e[1:] in names]
        if shaped:
            tell_shapes(node, op.outputs)
        result.node.extend(_nodes(op, node, names))
        functions.update(_called(node.attr.values()))
    if functions:
        _add_functions(graph, functions, result.library)
    return result


def tell_shapes(node: node_def_pb2.NodeDef, tensors: Iterable[tf.Tensor]) -> None:
    """Notes at a node the shapes of what it gives; an import reads them and takes the note away."""
    node.attr["_output_shapes"].list.shape.extend(t.shape.as_proto() for t in tensors)


def _nodes(
    op: tf.Operation, node: node_def_pb2.NodeDef, around: set[str]
) -> list[node_def_pb2.NodeDef]:
    """What stands for an op in a copy: `node`, or others that do what it does in TF1's session."""
    if is_misread(op):
        return as_concat(node, around)
    if op.type == ASKS or op.type in LEADS_REFERENCES:
        return [as_of_value(node, around)]
    return as_sequential(node, around) if op.type == PARALLEL else [node]


def node_on(
    op: tf.Operation, inputs: Iterable[str] | None = None, name: str = ""
) -> node_def_pb2.NodeDef:
    """The node of an op, on other inputs, without what ties it to its old surroundings.

    That is its device and the ops that it shall stand beside.
    """
    node = op.node_def  # made anew each time that it is asked for
    node.name = name or node.name
    if inputs is not None:
        node.input[:] = list(inputs)
    node.ClearField("device")
    node.attr.pop("_class", None)
    return node


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
