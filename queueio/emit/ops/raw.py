"""`tf.raw_ops`, for what has no public name."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.emit.spelling import literal
from queueio.emit.spelling.code import Code, call, code, subscript
from queueio.emit.spelling.lists import listed
from queueio.graph.copying import arguments
from queueio.graph.traits import op_def_of


def expression(site: Any) -> Code | None:
    """The op itself; None where it cannot be written down (a function, a handle)."""
    if not hasattr(tf.raw_ops, site.op.type) or "PyFunc" in site.op.type:
        return None
    given = arguments(site.op, site.args, defaults=False)
    written = {name: _written(value) for name, value in given.items()}
    if any(value is None for value in written.values()):
        return None
    return _flat(site.op, call(f"tf.raw_ops.{site.op.type}", **written))


def _flat(op: Any, written: Code) -> Code:
    """The outputs of an op one after the other, as a graph has them, or the only one.

    A raw op gives a list for an output of which there may be any number.
    """
    outputs = op_def_of(op).output_arg
    if not any(arg.number_attr or arg.type_list_attr for arg in outputs):
        return written
    found = call("tf.nest.flatten", written) if len(outputs) > 1 else written
    return subscript(found, "0") if len(op.outputs) == 1 else found


def _written(value: Any) -> Code | None:
    if isinstance(value, Code):
        return value
    if isinstance(value, tf.DType):
        return literal.dtype(value)
    if isinstance(value, bytes):
        return Code(literal.text(value))
    if isinstance(value, (bool, int, float)):
        return code(value)
    if isinstance(value, (list, tuple)):
        items = [_written(item) for item in value]
        return None if None in items else listed(items)
    if hasattr(value, "dim"):
        return literal.shape(tf.TensorShape(value))
    return None
