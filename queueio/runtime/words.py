"""The words of a TensorFlow error, without what surrounds them."""

from __future__ import annotations

import re
from typing import Any

_NODE = re.compile(r"\{\{(?:function_node [^}]*\}\}\{\{)?node ([^}]+)\}\}|\[\[Node: ([^ ]+) =")
_QUEUE = re.compile(r"Queue '([^']+)' is (?:already )?closed")
_COUNTS = re.compile(r"requested (\d+), current size (\d+)")


def plain(error: BaseException) -> str:
    """What went wrong in one paragraph: no preamble, no list of nodes, none of our own words."""
    text = str(getattr(error, "message", None) or error)
    if text.startswith("Graph execution error") and "\nNode: " in text:
        text = text.partition("\nNode: ")[2].partition("\n")[2]
    text = re.split(r"\n\s*\[\[|\nqueueio: |\n\nOriginal stack trace", text)[0]
    return text.strip()


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
