"""A batch size that is a tensor: `input_fn` takes a number."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from queueio.graph.traversal import is_dequeue

_OF_NUMBERS = {"constant", "convert_to_tensor"}


def size_for(found: Any, passed: Mapping[str, str]) -> str | None:
    """What to give `input_fn` as the size of a batch whose function was given a tensor.

    Args:
      found: the pipeline, as `written.Written`.
      passed: what must be passed for its values that may change.

    Returns:
      The code; "" where it was given no tensor, and None where its number is not to be had.
    """
    if not _is_given_tensor(found.op):
        return ""
    if "batch_size" in passed:
        return as_number(passed["batch_size"]) or None
    nodes: Any = found.plan.stages
    return next(str(node.batch_size) for node in nodes if node.name == found.op.name)


def _is_given_tensor(op: Any) -> bool:
    """Whether a batch's last op got its size as a tensor; of a number it makes one itself.

    A pipeline whose records nobody batches ends in its reader.
    """
    return is_dequeue(op) and len(op.inputs) > 1 and op.inputs[1].op.name != f"{op.name}/n"


def as_number(code: str) -> str:
    """The number that an expression like `tf.constant(FLAGS.size)` makes a tensor of; or ""."""
    call = ast.parse(code, mode="eval").body
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
        return ""
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    value = call.args[0] if call.args else given.get("value")
    if call.func.attr not in _OF_NUMBERS or value is None or isinstance(value, ast.Starred):
        return ""
    return ast.unparse(value)
