"""Which files feed an op: a walk up the graph, by op types and attributes only.

op → (through dequeues and their queues' enqueues) → ReaderRead → filename queue → its enqueue
ops → the tensor of file names, through shuffling and epoch limits.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.graph.index import Index, index_of
from queueio.graph.static_values import static_value
from queueio.graph.traits import row_of
from queueio.graph.traversal import (
    ancestors,
    is_dequeue,
    is_queue,
    is_read,
    is_take,
    op_of,
    root,
    upstream,
)

MAX_FILES = 10_000
"""No more file names than this are looked at."""

WHOLE_READS = ("ReadFile",)
_MATCHES = ("MatchingFiles",)


def gives_records(op: tf.Operation) -> bool:
    """Whether an op gives what is in files: a reader's read, or `ReadFile`."""
    return is_read(op) or op.type in WHOLE_READS


def reads_of(op: Any, through_queues: bool = True) -> list[tf.Operation]:
    """The readers' read ops (and `ReadFile` ops) that an op, tensor or queue depends on.

    Args:
      op: an op, tensor or queue.
      through_queues: whether to go on from a dequeue to what fills its queue.
    """
    op = op_of(getattr(op, "queue_ref", op))
    index = index_of(op.graph)
    found: dict[tf.Operation, None] = {}
    seen: set[tf.Operation] = set()
    todo = [op, *(_fillers(op, index) if is_queue(op) else ())]
    for node in todo:
        if node in seen:
            continue
        seen.add(node)
        if gives_records(node):
            found[node] = None
        elif is_dequeue(node):
            todo.extend(_fillers(upstream(node), index) if through_queues else ())
        elif not is_queue(node):
            todo.extend(t.op for t in node.inputs)
    return list(found)


def _fillers(queue: tf.Operation, index: Index) -> list[tf.Operation]:
    return [enqueue.at for enqueue in index.filling(queue)]


def enqueues(queue: tf.Operation, index: Index) -> list[tf.Operation]:
    """The enqueue ops of a queue that are ops of the graph itself, in no branch of a cond."""
    return [enqueue.op for enqueue in index.filling(queue) if enqueue.body is None]


def reader_of(read: tf.Operation) -> tf.Operation:
    """The reader op of a read op (`ReadFile` is its own)."""
    return read if read.type in WHOLE_READS else root(read.inputs[0]).op


def name_tensors(read: tf.Operation, index: Index | None = None) -> list[tf.Tensor]:
    """The tensors that hold the file names which a read op works through."""
    if read.type in WHOLE_READS:
        return [read.inputs[0]]
    return [op.inputs[1] for op in enqueues(upstream(read), index or index_of(read.graph))]


def names_of(read: tf.Operation, session: Any = None) -> list[str]:
    """The file names that feed a read op, existing or not, at most `MAX_FILES`."""
    names: dict[str, None] = {}
    index = index_of(read.graph)
    for tensor in name_tensors(read, index):
        for value in _values(tensor, session, index):
            names[value] = None
            if len(names) >= MAX_FILES:
                return list(names)
    return list(names)


def files_of(op: Any, session: Any = None) -> list[str]:
    """The local files that feed an op.

    Args:
      op: an op, tensor or queue downstream of a reader, or a read op itself; of any graph.
      session: where to evaluate the tensor of names when it is not a constant (a variable of
        `match_filenames_once`). Nothing is evaluated that would take from a queue.

    Returns:
      Paths of existing files, each once, in the order of the list, at most `MAX_FILES`; empty
      when the names cannot be known.
    """
    names: dict[str, None] = {}
    for read in reads_of(op):
        names.update(dict.fromkeys(names_of(read, session)))
    return [name for name in list(names)[:MAX_FILES] if os.path.isfile(name)]


def patterns_of(names: Iterable[tf.Tensor]) -> list[str]:
    """The glob patterns (`match_filenames_once`, `MatchingFiles`) behind tensors of names."""
    found: list[str] = []
    todo = ancestors(names, control=False)
    for op in todo:
        if op.type in _MATCHES:
            found.extend(_constant(op.inputs[0]) or ())
        elif op.type in ("VarHandleOp", "VariableV2", "Variable"):
            for consumer in _initialisers(op):
                above = ancestors([consumer.inputs[1]], control=False)
                todo.extend(op for op in above if op not in todo)
    return list(dict.fromkeys(found))


def _initialisers(variable: tf.Operation) -> list[tf.Operation]:
    consumers = variable.outputs[0].consumers()
    return [op for op in consumers if op.type in ("Assign", "AssignVariableOp")]


def _values(tensor: tf.Tensor, session: Any, index: Index) -> Iterator[str]:
    """The strings of a tensor, or of the list that it is picked from."""
    while True:
        known = _constant(tensor)
        if known is not None:
            yield from known
            return
        above = ancestors([tensor], control=False)
        if not any(is_take(op) or op.type.startswith("Placeholder") for op in above):
            yield from _evaluated(tensor, session)
            return
        if is_dequeue(tensor.op):
            for enqueue in enqueues(upstream(tensor.op), index):
                yield from _values(enqueue.inputs[1 + tensor.value_index], session, index)
            return
        tensor = _picked_from(tensor.op)
        if tensor is None:
            return


def _picked_from(op: tf.Operation) -> tf.Tensor | None:
    """The one tensor of strings that an op only picks or reorders elements of, else None."""
    strings = [t for t in op.inputs if t.dtype.base_dtype == tf.string]
    moves = row_of(op.type).moves or op.type == "RandomShuffle"
    return strings[0] if moves and len(strings) == 1 else None


def _is_whole_list(op: tf.Operation) -> bool:
    """Whether an op gives all the names that it takes, in whatever order."""
    return row_of(op.type).views or op.type == "RandomShuffle"


def _constant(tensor: tf.Tensor) -> list[str] | None:
    """The strings of a tensor that is known without running anything."""
    if tensor.dtype.base_dtype != tf.string:
        return None
    value = static_value(tensor)
    while value is None and _is_whole_list(tensor.op):
        tensor = tensor.op.inputs[0]
        value = static_value(tensor)
    return None if value is None else _strings(value)


def _evaluated(tensor: tf.Tensor, session: Any) -> list[str]:
    if session is None or tensor.dtype.base_dtype != tf.string:
        return []
    # Running limit_epochs itself would use up an epoch, and a shuffled list is the same list.
    while tensor.op.type in ("Identity", "RandomShuffle"):
        tensor = tensor.op.inputs[0]
    try:
        return _strings(session.run(tensor))
    except (tf.errors.OpError, RuntimeError):
        return []


def _strings(value: Any) -> list[str]:
    flat = np.asarray(value, dtype=object).reshape(-1)[:MAX_FILES]
    return [os.fsdecode(v) if isinstance(v, bytes) else str(v) for v in flat]
