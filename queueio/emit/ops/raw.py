"""`tf.raw_ops`, for what has no public name."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.emit.spelling import literal
from queueio.emit.spelling.code import Code, call, code
from queueio.emit.spelling.lists import listed
from queueio.graph.copying import arguments


def expression(site: Any) -> Code | None:
    """The op itself; None where it cannot be written down (a function, a handle)."""
    if not hasattr(tf.raw_ops, site.op.type) or "PyFunc" in site.op.type:
        return None
    given = arguments(site.op, site.args, defaults=False)
    written = {name: _written(value) for name, value in given.items()}
    if any(value is None for value in written.values()):
        return None
    return call(f"tf.raw_ops.{site.op.type}", **written)


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
