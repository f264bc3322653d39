"""The words of a TensorFlow error, without what surrounds them."""

from __future__ import annotations

import re
from typing import Any

from queueio.compat.caller import describe_line
from queueio.origin import is_library

_NODE = re.compile(r"\{\{(?:function_node [^}]*\}\}\{\{)?node ([^}]+)\}\}|\[\[Node: ([^ ]+) =")
_QUEUE = re.compile(r"Queue '([^']+)' is (?:already )?closed")
_FRAME = re.compile(r'File "([^"\n]+)", line (\d+), in ')
_COUNTS = re.compile(r"requested (\d+), current size (\d+)")


def plain(error: BaseException) -> str:
    """What went wrong in one paragraph: no preamble, no list of nodes, none of our own words."""
    text = str(getattr(error, "message", None) or error)
    if text.startswith("Graph execution error") and "\nNode: " in text:
        text = text.partition("\nNode: ")[2].partition("\n")[2]
    ends = r"\n\s*\[\[|\nqueueio: |\n\nOriginal stack trace|\nTraceback \(most recent call last"
    return re.split(ends, text)[0].strip()


def python_line(error: BaseException) -> str | None:
    """The user's line in the traceback that the error of a `tf.py_func` quotes."""
    quoted = str(getattr(error, "message", "")).partition("\nTraceback (most recent call last")[2]
    for filename, lineno in reversed(_FRAME.findall(quoted)):
        if not is_library(filename):
            return describe_line(filename, int(lineno))
    return None


def failing_op(error: BaseException, graph: Any) -> Any:
    """The op that raised `error`; None when it is not an op of the graph."""
    op = getattr(error, "op", None)
    if op is not None:
        return op
    for match in _NODE.finditer(str(getattr(error, "message", error))):
        try:
            return graph.get_operation_by_name(match.group(1) or match.group(2))
        except (KeyError, ValueError):
            continue
    return None


def queue_in(error: BaseException) -> str | None:
    """The name of the closed queue that the message speaks of."""
    match = _QUEUE.search(str(getattr(error, "message", error)))
    return match.group(1) if match else None


def requested_and_left(error: BaseException) -> tuple[int, int] | None:
    """(elements asked for, elements there) from 'requested N, current size M'."""
    match = _COUNTS.search(str(getattr(error, "message", error)))
    return (int(match.group(1)), int(match.group(2))) if match else None
