"""Variables and tables of a plan's graph, for a dataset that is made outside of that graph.

Inside the graph they are captured by reference. An eager dataset has no session to ask, so it
can only have what the initialisers say; where a session may have changed that, it is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tensorflow as tf

from queueio.compile.fragment import Fragment
from queueio.errors import NotLifted
from queueio.origin import origin
from queueio.plan.tree import Plan


def captures_for(plan: Plan) -> Mapping[str, Any] | None:
    """What stands for each captured tensor of the plan's graph; None inside that graph.

    Raises:
      NotLifted: the dataset is made outside of the graph, and a variable's value is known only
        to a session.
    """
    if not tf.executing_eagerly() and tf.compat.v1.get_default_graph() is plan.graph:
        return None
    captured: dict[str, Any] = {}
    for node in plan.stages:
        fragment = getattr(node, "fragment", None)
        for tensor in fragment.captures if fragment is not None else ():
            if tensor.name not in captured:
                captured[tensor.name] = _stand_in(tensor, plan)
    return captured


def _stand_in(tensor: Any, plan: Plan) -> Any:
    op = tensor.op
    if op.type == "VarHandleOp":
        variable = tf.Variable(_initial_value(op, plan), trainable=False)
        return _kept(variable.handle, variable)
    if tensor.dtype._is_ref_dtype and op.type.startswith("Variable"):  # no public spelling
        return _initial_value(op, plan)
    if "HashTable" in op.type:
        return _table(op, plan)
    raise NotLifted(
        "its state belongs to a session of the old graph",
        "Make the dataset inside that graph: `with tensor.graph.as_default():`",
        op_name=op.name,
        op_type=op.type,
        origin=origin(op),
    )


def _initial_value(op: Any, plan: Plan) -> Any:
    local = {v.op.name for v in _collected(plan.graph, tf.compat.v1.GraphKeys.LOCAL_VARIABLES)}
    setters = [
        user
        for output in op.outputs
        for user in output.consumers()
        if user.type in ("Assign", "AssignVariableOp") and user.name == f"{op.name}/Assign"
    ]
    if not setters or not (plan.owned or op.name in local):
        raise NotLifted(
            "the value of this variable is known only to a session of its graph",
            "Make the dataset inside that graph (`with tensor.graph.as_default():`), or lift a"
            " function that builds the pipeline",
            op_name=op.name,
            op_type=op.type,
            origin=origin(op),
        )
    return _evaluated([setters[0].inputs[1]], plan)[0]


def _table(op: Any, plan: Plan) -> Any:
    """An eager table with the content that its initialiser in the graph gives."""
    handle = _run(op, [])
    for user in op.outputs[0].consumers():
        if user.type.startswith(("InitializeTable", "LookupTableImport")):
            _run(user, [handle, *_evaluated(list(user.inputs)[1:], plan)])
    return handle


def _run(op: Any, inputs: list[Any]) -> Any:
    """Runs an op like `op` eagerly."""
    definition = op.op_def
    attrs = {a.name: op.get_attr(a.name) for a in definition.attr if _settable(a, definition)}
    if "shared_name" in attrs:
        attrs["shared_name"] = f"queueio_{id(op)}_{op.name}"
    arguments = dict(zip((a.name for a in definition.input_arg), inputs, strict=True))
    return getattr(tf.raw_ops, op.type)(**arguments, **attrs)


def _settable(attr: Any, definition: Any) -> bool:
    """Whether an attribute is an argument, rather than read off the inputs."""
    read_off = {a.type_attr for a in definition.input_arg} | {
        a.number_attr for a in definition.input_arg
    }
    return attr.name not in read_off


def _evaluated(tensors: list[Any], plan: Plan) -> list[Any]:
    fragment = Fragment.between([], tensors)
    captures = {t.name: _stand_in(t, plan) for t in fragment.captures}
    with tf.init_scope():
        return list(tf.function(lambda: fragment.call(captures=captures), autograph=False)())


def _collected(graph: Any, key: str) -> list[Any]:
    return list(graph.get_collection(key))


def _kept(handle: Any, owner: Any) -> Any:
    """A handle that keeps the variable alive as long as it lives itself."""
    handle._queueio_owner = owner
    return handle
