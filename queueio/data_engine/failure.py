"""An error of the tf.data iterator, told as TF1's queues would have told it.

The iterator runs copies of the user's ops, in functions of its own. What the user knows is the
op in the graph, its line, and the file and record that it failed on.
"""

from __future__ import annotations

import re
from typing import Any

import tensorflow as tf

from queueio import forensics
from queueio.forensics.sources import reads_of
from queueio.graph.error_text import CONSEQUENCES, as_of, nodes_in, sentence, told_by_op
from queueio.graph.traversal import upstream
from queueio.runtime.diagnosis import root_cause
from queueio.runtime.ledger import ThreadRecord
from queueio.runtime.topology import is_of_engine

# What a batch made in parallel says, and one made by one thread.
_UNLIKE = re.compile(
    r"Shape of tensor \S+ (\[.*?\]) is not compatible with expected shape (\[.*?\])"
)
_UNEQUAL = ("Cannot add tensor to the batch", "Cannot batch tensors with different shapes")


def as_in_queues(error: Any, sess: Any, enqueue: Any, dequeue: Any) -> Any:
    """The error that the user's own op would have raised in a queue runner's thread.

    Args:
      error: a `tf.errors.OpError` that the iterator raised.
      sess: the session.
      enqueue: the op that fills the example queue in TF1's graph.
      dequeue: the op that takes a batch out of it.

    Returns:
      An error of the same type with the user's op, file, record and line; `error` itself where
      it is an end of the data, or no op of the user's is behind it.
    """
    if isinstance(error, CONSEQUENCES):  # of a close, of which an op of the engine may tell
        cancelled = isinstance(error, tf.errors.CancelledError) and nodes_in(error)
        return _as_filling(error, enqueue) if cancelled else error
    nameless = error.op is None and not any(nodes_in(error))  # cut off, at a NUL of the data
    op = _copied_from(error, enqueue.graph) or (
        enqueue if nameless or _at_the_door(error) else _read(error, enqueue, dequeue, sess)
    )
    if op is None:
        return error
    told = type(error)(op.node_def, op, _words(error, op))
    root_cause.add_reason_in_thread(told, ThreadRecord("", enqueue), sess)
    return told.with_traceback(error.__traceback__)


def at_begin(error: Exception, fills: Any) -> Exception:
    """An error of making the iterator, as of the op that fills the example queue."""
    op = getattr(error, "op", None)  # none where the session was closed meanwhile
    if not isinstance(error, tf.errors.OpError) or op is None or not is_of_engine(op):
        return error
    return _as_filling(error, fills)


def _as_filling(error: Any, fills: Any) -> Exception:
    """The same, told of the op that fills the example queue."""
    fills = getattr(fills, "op", fills)  # maybe_batch enqueues by a tensor, a cond's
    told: Exception = type(error)(fills.node_def, fills, as_of(fills, sentence(error)))
    return told.with_traceback(error.__traceback__)


def _words(error: Any, op: Any) -> str:
    text = told_by_op(error)
    unlike = _UNLIKE.search(text)
    if unlike:
        text = f"Shape mismatch in tuple component{_component(op, unlike)}"
    elif text.startswith(_UNEQUAL):  # tf.data sees in the batch what a queue saw at its door
        text = f"Shape mismatch in tuple component: {text}"
    return as_of(op, text)


def _at_the_door(error: Any) -> bool:
    """Whether a queue would not have let in what an op has made."""
    text = told_by_op(error)
    return text.startswith(_UNEQUAL) or _UNLIKE.search(text) is not None


def _component(enqueue: Any, unlike: re.Match[str]) -> str:
    """Which component of a queue's elements has not the shape that the queue wants."""
    got, wanted = unlike.groups()
    shapes = upstream(enqueue).get_attr("shapes")
    told = [f"[{','.join('?' if d.size < 0 else str(d.size) for d in s.dim)}]" for s in shapes]
    place = f" {told.index(wanted)}" if told.count(wanted) == 1 else ""
    return f"{place}. Expected {wanted}, got {got}"


def _copied_from(error: Any, graph: Any) -> Any:
    """The op of the graph whose copy raised: copies have its name, in a scope of their own."""
    for name in nodes_in(error):
        parts = name.split("/")
        for start in range(1, len(parts)):
            try:
                return graph.get_operation_by_name("/".join(parts[start:]))
            except KeyError:
                continue
    return None


def _read(error: Any, enqueue: Any, dequeue: Any, sess: Any) -> Any:
    """The read op that the error belongs to; a dataset of records does not say its name."""
    reads = reads_of(dequeue)
    for read in reads if len(reads) > 1 else ():
        told = type(error)(read.node_def, read, str(error.message))
        if forensics.locate(told, enqueue, sess) is not None:
            return read
    return reads[0] if reads else None
