"""Numbers that a variable counted through."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.compile.resources import initial_of
from queueio.emit.facts.names import own_name
from queueio.emit.fragment.state import known_of
from queueio.emit.spelling import literal
from queueio.emit.spelling.code import Code, call, code
from queueio.emit.steps.lines import Lines


def write_counted(writer: Lines, node: Any, wanted: Any) -> str:
    """The range that a counter gives; the variable that holds its dataset."""
    (spec,) = node.elements
    more = None if spec.dtype == tf.int64 else literal.dtype(spec.dtype)
    ends = [_first(writer, node.variable), code(node.limit)]
    stream = writer.start(node, call("tf.data.Dataset.range", *ends, output_type=more))
    return writer.arranged(stream, ["number"], wanted) if wanted != 0 else stream


def _first(writer: Lines, variable: Any) -> Code:
    """Where the count begins, an argument: a checkpoint may have set the variable."""
    name = own_name(variable) or "first"
    doc = f"where the count begins: what the variable {variable.name!r} of the old graph held"
    initial = initial_of(variable)
    value = None if initial is None else known_of(initial)
    if value is None:
        return writer.required(name, "int", f"{doc} in its session.")
    doc += "; the default is its initial value."
    return writer.argument(name, int(value), "int", doc)
