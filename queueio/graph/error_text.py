"""TensorFlow's errors taken apart: what was said, of which op and queue, with which numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import tensorflow as tf

from queueio.graph.origin import is_library, line_at

CONSEQUENCES = (tf.errors.OutOfRangeError, tf.errors.CancelledError)
"""What a closed queue raises: never the reason itself."""

_NODE = re.compile(r"\{\{(?:function_node [^}]*\}\}\{\{)?node ([^}]+)\}\}|\[\[Node: ([^ ]+) =")
_QUEUE = re.compile(r"Queue '([^']+)' is (?:already )?closed")
_FRAME = re.compile(r'File "([^"\n]+)", line (\d+), in ')
_COUNTS = re.compile(r"requested (\d+), current size (\d+)")
_WRAPPING = re.compile(r"Error in user-defined function passed to .*? with iterator: \S+: ")
_STACK = "\nOriginal stack trace"
_NODES = re.compile(r"\n\s*\[\[")
_OTHERS = re.compile(r"\nqueueio: |\nTraceback \(most recent call last")


def _text(error: BaseException) -> str:
    return str(getattr(error, "message", None) or error)


def sentence(error: BaseException) -> str:
    """What went wrong in one paragraph: no preamble, no list of nodes, none of our own words."""
    text = _text(error).partition(_STACK)[0]
    if text.startswith("Graph execution error") and "\nNode: " in text:
        text = text.rpartition("\nNode: ")[2].partition("\n")[2]
    # A message may end in data, whose spaces are part of it: "is not a valid float:  ".
    return _OTHERS.split(_above_nodes(text))[0].lstrip().rstrip("\n")


def told_by_op(error: BaseException) -> str:
    """What the op said, with the traceback of a Python function."""
    return _above_nodes(_text(error)).rstrip()


def _above_nodes(text: str) -> str:
    return _NODES.split(_WRAPPING.sub("", text))[0]


def python_line(error: BaseException) -> str | None:
    """The user's line in the traceback that the error of a `tf.py_func` quotes."""
    quoted = _text(error).partition("\nTraceback (most recent call last")[2]
    for filename, lineno in reversed(_FRAME.findall(quoted)):
        if not is_library(filename):
            return str(line_at(filename, int(lineno)))
    return None


def failing_op(error: BaseException, graph: Any) -> Any:
    """The op that raised `error`; None when it is not an op of the graph."""
    op = getattr(error, "op", None)
    if op is not None and op.graph is graph:
        return op
    for name in nodes_in(error):
        try:
            return graph.get_operation_by_name(name)
        except (KeyError, ValueError):
            continue
    return None


def readable(error: BaseException, graph: Any) -> BaseException:
    """The error of an op for one that says only that its message is no UTF-8; any other as it is.

    It is asked of what a session's run raises. A NUL in the data ends the message, before it names
    the op.

    A message that quotes data may hold any bytes, and TensorFlow makes text of it before it makes
    an error; what kind of error it was is lost with that. Ops call data that they cannot take
    an invalid argument, and a file of such a name not found.
    """
    if not isinstance(error, UnicodeDecodeError):
        return error
    text = error.object.decode("utf-8", "backslashreplace")
    op = failing_op(RuntimeError(text), graph)
    missing = "; No such file or directory" in text
    kind = tf.errors.NotFoundError if missing else tf.errors.InvalidArgumentError
    told: BaseException = kind(getattr(op, "node_def", None), op, text)
    return told.with_traceback(error.__traceback__)


def nodes_in(error: BaseException) -> Iterator[str]:
    """The names of the nodes that the message speaks of."""
    for match in _NODE.finditer(_text(error)):
        yield match.group(1) or match.group(2)


def as_of(op: Any, text: str) -> str:
    """A message as TensorFlow writes it of an op."""
    return f"{text}\n\t [[{{{{node {op.name}}}}}]]"


def queue_in(error: BaseException) -> str | None:
    """The name of the closed queue that the message speaks of."""
    match = _QUEUE.search(_text(error))
    return match.group(1) if match else None


def requested_and_left(error: BaseException) -> tuple[int, int] | None:
    """(elements asked for, elements there) from 'requested N, current size M'."""
    match = _COUNTS.search(_text(error))
    return (int(match.group(1)), int(match.group(2))) if match else None


def speak_of(error: Any, queue: Any, *, instead_of: str, fills: Any, rows: int) -> None:
    """Has a message speak of `queue` in place of the queue whose key is `instead_of`.

    Elements of that one hold `rows` of `queue`, and what fills it is an op that the user never
    made: `fills` fills `queue`.
    """

    def counts(match: re.Match[str]) -> str:
        wanted, left = (int(number) * rows for number in match.groups())
        return f"requested {wanted}, current size {left}"

    text = getattr(error, "_message", None)
    if not isinstance(text, str):
        return
    kind, inner = queue.type.removesuffix("V2"), re.escape(instead_of.rpartition("/")[0])
    text = re.sub(rf"\w+ '(_\d+_)?{re.escape(instead_of)}'", rf"{kind} '\g<1>{queue.name}'", text)
    text = re.sub(rf"\{{\{{node {inner}/[^}}]+\}}\}}", f"{{{{node {fills.name}}}}}", text)
    error._message = _COUNTS.sub(counts, text)


def speak_as(error: Any, op: Any, name: str) -> None:
    """Has an error speak of the op `name` in place of `op`, where the graph has such a one."""
    try:
        known = op.graph.get_operation_by_name(name)
    except (KeyError, ValueError):
        return
    error._message = error.message.replace(op.name, name)
    error._op, error._node_def = known, known.node_def
