"""Variables, placeholders, tables: arguments for what a caller may change, or where it is from."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.eager.context import eager_mode  # no public spelling

from queueio.compile.resources import value_of
from queueio.emit.facts.effects import acts
from queueio.emit.facts.names import Names, own_name
from queueio.emit.facts.units import behind
from queueio.emit.facts.values import Known
from queueio.emit.fragment.held import Held
from queueio.emit.spelling import literal
from queueio.emit.spelling.code import Code, call, code
from queueio.emit.spelling.function import Statement
from queueio.emit.spelling.literal import exact
from queueio.errors import NotLifted
from queueio.graph.refusal import refuse
from queueio.graph.traits import row_of, traits_of
from queueio.graph.traversal import fills_of

_FILE_INDEX = {-2: "WHOLE_LINE", -1: "LINE_NUMBER"}


def captured(held: Held, tensor: tf.Tensor, kind: str, default: Any, names: Names) -> str:
    """The name under which a function gets a variable, table or placeholder."""
    own = own_name(tensor.op) if kind == "placeholder" else ""
    wanted = own or tensor.op.name
    key = tensor.ref(), str(default)
    known = held.captured.get(key)
    name = names.fresh(known or wanted)
    while name in held.states and name != known:
        name = names.fresh(wanted)
    if known is None:
        held.captured[key] = name
        held.states[name] = _state_of(held, tensor, kind, default, name)
    else:  # one argument, whatever functions it is passed to
        held.states[name] = held.states[known]
    return name


def _state_of(held: Held, tensor: tf.Tensor, kind: str, default: Any, name: str) -> Code:
    """What `input_fn` passes to its functions for a captured tensor."""
    if kind == "table":
        return _table(held, tensor.op, default, name)
    if kind == "placeholder":
        return _placeholder(held, tensor.op, name)
    return _variable(held, tensor.op, name)


def _placeholder(held: Held, op: tf.Operation, name: str) -> Code:
    kind, default = op.outputs[0].dtype, np.asarray(known_of(op.inputs[0]))
    small = literal.is_short(default)
    plain = literal.frozen(default) if small else held.constant(default, name, kind).items[0]
    annotation = literal.TYPES.get(kind, "Any") if not default.ndim else "Any"
    held.uses_any = True
    doc = f"value of the placeholder {op.name!r} of the old graph; its queues had the default."
    held.argument(name, plain, annotation, doc, last=True)
    return call("tf.convert_to_tensor", name, literal.dtype(kind))


def _variable(held: Held, op: tf.Operation, name: str) -> Code:
    kind = tf.as_dtype(op.get_attr("dtype"))
    doc = f"value of the variable {op.name!r} of the old graph"
    initial = _initial(held.plan, op)
    held.uses_any = True
    if initial is None:
        held.required(name, "Any", doc + ": pass what its session held.")
    else:
        small = literal.is_short(initial)
        plain = literal.frozen(initial) if small else held.constant(initial, name, kind).items[0]
        held.argument(name, plain, "Any", doc + "; the default is its initial value.")
    return call("tf.convert_to_tensor", name, literal.dtype(kind))


def _initial(plan: Any, op: tf.Operation) -> np.ndarray | None:
    """The value that a variable starts with; None where only a session knows it."""
    for user in (u for output in op.outputs for u in output.consumers()):
        if user.type in ("Assign", "AssignVariableOp") and not _same_each_time(user.inputs[1]):
            return None
    try:
        with eager_mode():
            return exact(value_of(op, plan))
    except NotLifted:
        return None


def _same_each_time(tensor: tf.Tensor) -> bool:
    """Whether a value depends on no random number, and on nothing that is read of the world.

    What a saver would restore is no value that the variable starts with.
    """
    ops = behind([tensor])
    return any(row_of(op.type).restores for op in ops) or all(
        "Random" not in op.type and traits_of(op).reads is None and not acts(op) for op in ops
    )


def _table(held: Held, op: tf.Operation, default: Any, name: str) -> Code:
    setters = fills_of(op)
    if len(setters) != 1 or default is None:
        raise refuse(op, "what the table holds is decided only when the program runs",
                     "Use plan.to_dataset() in the program that fills it")  # fmt: skip
    made = _from_file if "TextFile" in setters[0].type else _from_values
    kinds = [literal.dtype(op.get_attr(key)) for key in ("key_dtype", "value_dtype")]
    value = call("tf.lookup.StaticHashTable", made(held, setters[0], kinds, name),
                 literal.plain(default))  # fmt: skip
    held.tops.append(Statement(f"{name} = ", value))
    held.uses_tables = True
    return Code(name)


def _from_file(held: Held, setter: Any, kinds: list[Code], name: str) -> Code:
    doc = f"file with the entries of the lookup table {setter.inputs[0].op.name!r}."
    path = held.argument(f"{name}_file", literal.plain(_known(setter.inputs[1])), "str", doc)
    indices = []
    for key in ("key_index", "value_index"):
        number = int(setter.get_attr(key))
        index = _FILE_INDEX.get(number)
        indices.append(Code(f"tf.lookup.TextFileIndex.{index}") if index else code(number))
    delimiter = setter.get_attr("delimiter")
    size = int(setter.get_attr("vocab_size"))
    return call(
        "tf.lookup.TextFileInitializer", path, kinds[0], indices[0], kinds[1], indices[1],
        vocab_size=code(size) if size != -1 else None,
        delimiter=Code(literal.text(delimiter)) if delimiter != b"\t" else None,
    )  # fmt: skip


def _from_values(held: Held, setter: Any, kinds: list[Code], name: str) -> Code:
    arrays = [_known(tensor) for tensor in list(setter.inputs)[1:3]]
    parts = [
        literal.plain(array) if literal.is_short(array)
        else held.constant(array, f"{name}_{what}", setter.inputs[i].dtype)
        for i, (what, array) in enumerate(zip(("keys", "values"), arrays, strict=True), 1)
    ]  # fmt: skip
    return call("tf.lookup.KeyValueTensorInitializer", *parts, *kinds)


def known_of(tensor: tf.Tensor) -> Any:
    """The value of a tensor that depends on constants only, or None."""
    known = Known()
    for op in behind([tensor]):
        if row_of(op.type).hands_on and op.inputs:
            before = known.values.get(op.inputs[0].name)
            if before is not None:
                known.values[op.outputs[0].name] = before
        elif op.outputs:
            known.note(op)
    return known.values.get(tensor.name)


def _known(tensor: tf.Tensor) -> Any:
    value = known_of(tensor)
    if value is None:
        raise refuse(tensor.op, "the content of a lookup table is not a constant",
                     "Use plan.to_dataset() in the program that fills it")  # fmt: skip
    return exact(value)
