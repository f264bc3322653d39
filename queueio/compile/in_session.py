"""A fragment as a session runs it: with the same rewrites by TensorFlow's optimiser.

    x / 255. - 0.1 - 0.3      becomes      x * 0.003921569 - 0.4

A session optimises what it runs, and did so under TF 1.15: it multiplies by reciprocals, adds up
constants first, and merges `log(softmax(x))` into one op, each of which may change the last bits.
A function of tf.data is not optimised that way. To give the model the numbers that the queue gave,
the same optimiser, with a session's own settings, rewrites a fragment before it is run anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import attr_value_pb2, graph_pb2
from tensorflow.core.protobuf import config_pb2, meta_graph_pb2, rewriter_config_pb2
from tensorflow.python.grappler import tf_optimizer  # no public spelling

from queueio.compile.kernels.as_written import mapped
from queueio.graph.bodies import nodes_run_by
from queueio.graph.copying import node_on, sub_graph_def, tell_shapes
from queueio.graph.fragment import Fragment
from queueio.graph.traits import calls_functions, row_of
from queueio.graph.traversal import ancestors

_ENDS = "queueio_ends"
# The optimiser rewrites some ops only where it knows that they run on a processor.
_DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"


def in_session(fragment: Fragment) -> Fragment:
    """`fragment` as a session's optimiser leaves it, in a graph of its own.

    It is `fragment` itself where it computes nothing with floats: nothing else can come out
    differently. Captures stay the tensors of the user's graph. What stands inside of functions
    (bodies of `tf.function`, TF2's conds and loops) is left as it is, but where the optimiser
    gave a single call a function of its own.
    """
    if not any(computes(op) for op in fragment.ops):
        return fragment
    graph_def = _optimised(fragment)
    if graph_def is None or _is_constant(graph_def):
        return fragment
    try:
        return _fragment(fragment, graph_def)
    except ValueError:  # no graph: a session, too, goes on with the nodes as they were
        return fragment


def rewritten_alike(fragment: Fragment, options: Any) -> bool:
    """Whether a session with these rewrite options makes the same of a fragment as one without.

    Args:
      fragment: the user's ops.
      options: a RewriterConfig.
    """
    if not any(map(computes, fragment.ops)):
        return True
    if options.disable_meta_optimizer:  # what is asked here rewrites all the same
        return False
    usual, other = _optimised(fragment), _optimised(fragment, options)
    if usual is None or other is None:
        return usual is other
    return _nodes_of(usual) == _nodes_of(other)


def _nodes_of(graph_def: graph_pb2.GraphDef) -> dict[str, bytes]:
    """The nodes and functions, which come in any order, by their names."""
    nodes = {node.name: node.SerializeToString(deterministic=True) for node in graph_def.node}
    functions = graph_def.library.function
    return nodes | {f.signature.name: f.SerializeToString(deterministic=True) for f in functions}


def _is_constant(graph_def: graph_pb2.GraphDef) -> bool:
    """Whether all of it became a constant, as `ones_like` of a known shape does."""
    end = _end_of(graph_def)
    return end.op != "IdentityN" or len(end.input) != len(end.attr["T"].list.type)


def computes(op: tf.Operation) -> bool:
    """Whether an op computes with floats."""
    kinds = [t.dtype.base_dtype for t in op.inputs]
    return row_of(op.type).computes and any(k.is_floating or k.is_complex for k in kinds)


def computes_within(op: tf.Operation) -> bool:
    """The same of an op, or of one in the functions that it calls; True of unknown ones."""
    if not calls_functions(op):
        return computes(op)
    return any(node is None or _may_compute(node) for node in nodes_run_by(op))


def _may_compute(node: Any) -> bool:
    """Whether a node may compute with floats, as far as its attributes tell."""
    kinds = [k for attr in node.attr.values() for k in (attr.type, *attr.list.type) if k]
    floats = any(tf.as_dtype(k).is_floating or tf.as_dtype(k).is_complex for k in kinds)
    return floats and row_of(node.op).computes


def mapped_ops(
    dataset: tf.data.Dataset,
    function: Callable[..., Any],
    ops: Iterable[tf.Operation],
    calls: int = 0,
) -> tf.data.Dataset:
    """`Dataset.map` of a function that runs `ops` of the user's, in order.

    What computes with floats is rewritten for each iterator, though a session's rewrites are made:
    TensorFlow has other kernels for some ops, with other last bits, and chooses them then.
    """
    dense = all(isinstance(s, tf.TensorSpec) for s in tf.nest.flatten(dataset.element_spec))
    if dense and not any(map(computes_within, ops)):
        return mapped(dataset, function, calls)
    if not calls:
        return dataset.map(function)
    return dataset.map(function, calls, deterministic=True)


def _optimised(fragment: Fragment, options: Any = None) -> graph_pb2.GraphDef | None:
    """The nodes of the fragment and what it takes from, rewritten; None where that fails.

    A session too goes on with the nodes as they are where its optimiser fails.
    """
    entering = {t.op for t in (*fragment.inputs, *fragment.captures)}
    before = set(ancestors(entering, control=False)) - set(fragment.ops)
    ops = [*sorted(before, key=lambda op: op.name), *fragment.ops]
    graph_def = sub_graph_def(fragment.graph, ops)
    _end(graph_def, fragment.outputs)
    for node in graph_def.node:
        node.device = _DEVICE
        node.attr.pop("_lower_using_switch_merge", None)  # conds stay conds
    kept = [_ENDS, *(op.name for op in entering)]
    telling = [op for op in fragment.ops if _tells_shape(op)]
    kept += [op.name for op in telling]
    try:
        result = tf_optimizer.OptimizeGraph(
            _config(options), _meta_graph(graph_def, kept), verbose=False
        )
    except tf.errors.OpError:
        return None
    _keep_functions(result, graph_def)
    _retell(result, telling)
    _let_outputs_wait(result, fragment, entering)
    return result


def _let_outputs_wait(
    graph_def: graph_pb2.GraphDef, fragment: Fragment, entering: set[tf.Operation]
) -> None:
    """What the end waits for is waited for by the outputs that did so.

    The optimiser takes away an `identity` that waits for a check, and what takes its result waits
    instead. Where that is the end, which is no op of the fragment, the check would not be made.
    """
    end = _end_of(graph_def)
    waits = {name[1:] for name in end.input if name[0] == "^"} - {op.name for op in entering}
    taken = [name for name in end.input if name[0] != "^"]
    if end.op != "IdentityN" or len(taken) == len(end.input):
        return
    unknown = waits - {op.name for op in fragment.ops}  # the optimiser made it of several, perhaps
    for i, output in enumerate(fragment.outputs):
        needed = {op.name for op in ancestors([output], entering.__contains__)}
        if awaited := sorted(waits & needed | unknown):
            inputs = [taken[i], *(f"^{name}" for name in awaited)]
            taken[i] = f"{_ENDS}_{i}"
            node = graph_def.node.add(name=taken[i], op="Identity", input=inputs, device=_DEVICE)
            node.attr["T"].type = end.attr["T"].list.type[i]
    end.ClearField("input")
    end.input.extend(taken)


def _keep_functions(result: graph_pb2.GraphDef, before: graph_pb2.GraphDef) -> None:
    """Functions as they were, beside those that the optimiser made for single conds and loops."""
    named = {function.signature.name for function in before.library.function}
    made = [each for each in result.library.function if each.signature.name not in named]
    result.library.CopyFrom(before.library)
    result.library.function.extend(made)


def _tells_shape(op: tf.Operation) -> bool:
    """Whether it says what a record holds; the optimiser may think that it does nothing."""
    return (
        op.type == "Reshape"
        and not op.inputs[0].shape.is_fully_defined()
        and tf.get_static_value(op.inputs[1]) is not None
    )


def _retell(graph_def: graph_pb2.GraphDef, telling: Iterable[tf.Operation]) -> None:
    """Makes reshapes of these ops again, so that a record of another length fails as it did."""
    nodes = {node.name: node for node in graph_def.node}
    for op in telling:
        node = nodes[op.name]
        if node.op == "Const":  # all that it takes is known, and has the shape
            continue
        shape = graph_def.node.add(name=f"{op.name}/queueio_shape", op="Const")
        value = tf.make_tensor_proto(tf.get_static_value(op.inputs[1]))
        shape.attr["dtype"].type = value.dtype
        shape.attr["value"].tensor.CopyFrom(value)
        if _waits(op.inputs[1].op):
            # A constant in the body of a loop belongs to the loop by what it waits for.
            shape.input.append(f"^{node.input[0].partition(':')[0]}")
        waits = [name for name in node.input if name[0] == "^"]
        node.CopyFrom(node_on(op, [node.input[0], shape.name, *waits]))


def _waits(op: tf.Operation) -> bool:
    return any(before.control_inputs for before in ancestors([op], control=False))


def _end(graph_def: graph_pb2.GraphDef, outputs: Iterable[tf.Tensor]) -> None:
    """An op that takes all outputs, as the queue's would: those themselves may be rewritten."""
    node = graph_def.node.add(name=_ENDS, op="IdentityN", input=[t.name for t in outputs])
    kinds = [t.dtype.base_dtype.as_datatype_enum for t in outputs]
    node.attr["T"].CopyFrom(
        attr_value_pb2.AttrValue(list=attr_value_pb2.AttrValue.ListValue(type=kinds))
    )


def _end_of(graph_def: graph_pb2.GraphDef) -> Any:
    (end,) = (node for node in graph_def.node if node.name == _ENDS)
    return end


def _config(options: Any = None) -> config_pb2.ConfigProto:
    config = config_pb2.ConfigProto()
    rewrites = config.graph_options.rewrite_options
    if options is not None:
        rewrites.CopyFrom(options)
    rewrites.function_optimization = rewriter_config_pb2.RewriterConfig.OFF
    return config


def _meta_graph(graph_def: graph_pb2.GraphDef, kept: list[str]) -> Any:
    meta_graph = meta_graph_pb2.MetaGraphDef(graph_def=graph_def)
    meta_graph.collection_def["train_op"].node_list.value.extend(kept)
    return meta_graph


def _fragment(old: Fragment, graph_def: graph_pb2.GraphDef) -> Fragment:
    graph = _imported(graph_def)
    if _tell_shapes(graph_def, graph, old.ops):
        graph = _imported(graph_def)
    named = {op.name: op for op in graph.get_operations()}
    inputs = [_same(graph, t) for t in old.inputs]
    outputs = list(named[_ENDS].inputs)
    for was, now in zip(old.outputs, outputs, strict=True):
        now.set_shape(was.shape)
    captured = [_same(graph, t) for t in old.captures]
    new = Fragment.between(inputs, outputs, captured)
    return replace(new, captures=old.captures)


def _imported(graph_def: graph_pb2.GraphDef) -> tf.Graph:
    with tf.Graph().as_default() as graph:
        tf.graph_util.import_graph_def(graph_def, name="")
    return graph


def _tell_shapes(
    graph_def: graph_pb2.GraphDef, graph: tf.Graph, ops: Iterable[tf.Operation]
) -> bool:
    """Notes at the nodes what the user's code knows of their shapes (`set_shape`), so that those
    behind them are inferred from it as well; False where `graph`, made of them, knows all that.
    """
    nodes = {node.name: node for node in graph_def.node}
    named = {op.name: op for op in graph.get_operations()}
    told = False
    for op in ops:
        copy = named.get(op.name)
        if copy is None or not _as_before(copy, op):
            continue
        pairs = zip(op.outputs, copy.outputs, strict=True)
        if any(was.shape.rank is not None and was.shape != now.shape for was, now in pairs):
            tell_shapes(nodes[op.name], op.outputs)
            told = True
    return told


def _as_before(copy: tf.Operation, op: tf.Operation) -> bool:
    """Whether it is the same op: the optimiser uses a name again for something else."""
    pairs = zip(copy.outputs, op.outputs, strict=True)
    return (
        copy.type == op.type
        and _taken(copy) == _taken(op)
        and all(now.shape.is_compatible_with(was.shape) for now, was in pairs)
    )


def _taken(op: tf.Operation) -> set[str]:
    """What an op takes but constants: of equal ones, one is left."""
    return {t.name for t in op.inputs if t.op.type != "Const"}


def _same(graph: tf.Graph, tensor: tf.Tensor) -> tf.Tensor:
    """The tensor of that name in the new graph, of the shape that the user's code knows."""
    copy = graph.get_tensor_by_name(tensor.name)
    copy.set_shape(tensor.shape)
    return copy
