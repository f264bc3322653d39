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

MAX_FILES = 10_000
"""No more file names than this are looked at."""

READS = ("ReaderRead", "ReaderReadV2", "ReaderReadUpTo", "ReaderReadUpToV2")
WHOLE_READS = ("ReadFile",)
_FOLDED = ("Identity", "RandomShuffle", "StopGradient", "Reshape", "Squeeze", "ExpandDims")
_PICKS = ("Gather", "GatherV2", "StridedSlice", "Slice", "Unpack")
_MATCHES = ("MatchingFiles",)


def base_type(op: tf.Operation) -> str:
    """The op's type without its version: `ReaderReadV2` → `ReaderRead`."""
    return str(op.type).removesuffix("V2")


def is_stream(op: tf.Operation) -> bool:
    """Whether an op takes the next element of a queue or a reader."""
    return op.type in READS or op.type.startswith("QueueDequeue")


def ancestors(tensors: Iterable[tf.Tensor], stop: Any = None) -> list[tf.Operation]:
    """The ops that tensors depend on by data, nearest first; not beyond ops where `stop(op)`."""
    found: dict[tf.Operation, None] = {}
    todo = [t.op for t in tensors]
    for op in todo:
        if op in found:
            continue
        found[op] = None
        if stop is None or not stop(op):
            todo.extend(t.op for t in op.inputs)
    return list(found)


def queue_of(op: tf.Operation) -> tf.Operation:
    """The queue op behind a queue's handle input, of an enqueue, dequeue or close op."""
    queue = op.inputs[0].op
    while queue.type in ("Identity", "Enter", "RefEnter", "Switch", "RefSwitch"):
        queue = queue.inputs[0].op
    return queue


def enqueues(queue: tf.Operation) -> list[tf.Operation]:
    """The ops of the graph that enqueue into a queue, also under its shared name."""
    return [
        op
        for op in queue.graph.get_operations()
        if op.type.startswith("QueueEnqueue") and _same_queue(queue_of(op), queue)
    ]


def _same_queue(one: tf.Operation, other: tf.Operation) -> bool:
    if one is other:
        return True
    names = [op.get_attr("shared_name") for op in (one, other) if "Queue" in op.type]
    return len(names) == 2 and bool(names[0]) and names[0] == names[1]


def reads_of(op: Any, through_queues: bool = True) -> list[tf.Operation]:
    """The readers' read ops (and `ReadFile` ops) that an op, tensor or queue depends on.

    Args:
      op: an op, tensor or queue.
      through_queues: whether to go on from a dequeue to what fills its queue.
    """
    op = getattr(op, "queue_ref", op)
    op = getattr(op, "op", op)
    found: dict[tf.Operation, None] = {}
    seen: set[tf.Operation] = set()
    todo = [op, *(_fillers(op) if is_queue(op) else ())]
    for node in todo:
        if node in seen:
            continue
        seen.add(node)
        if node.type in READS + WHOLE_READS:
            found[node] = None
        elif node.type.startswith("QueueDequeue"):
            todo.extend(_fillers(queue_of(node)) if through_queues else ())
        elif not is_queue(node):
            todo.extend(t.op for t in node.inputs)
    return list(found)


def is_queue(op: tf.Operation) -> bool:
    """Whether an op makes a queue."""
    return "Queue" in op.type and not op.type.startswith("Queue")


def _fillers(queue: tf.Operation) -> list[tf.Operation]:
    """The ops that enqueue into a queue, also those that do so in a branch (`tf.cond` of TF2)."""
    users = queue.outputs[0].consumers()
    return enqueues(queue) + [op for op in users if op.type in ("If", "StatelessIf", "Case")]


def reader_of(read: tf.Operation) -> tf.Operation:
    """The reader op of a read op (`ReadFile` is its own)."""
    return read if read.type in WHOLE_READS else queue_of(read)


def name_tensors(read: tf.Operation) -> list[tf.Tensor]:
    """The tensors that hold the file names which a read op works through."""
    if read.type in WHOLE_READS:
        return [read.inputs[0]]
    queue = read.inputs[1].op
    return [op.inputs[1] for op in enqueues(queue)]


def names_of(read: tf.Operation, session: Any = None) -> list[str]:
    """The file names that feed a read op, existing or not, at most `MAX_FILES`."""
    names: dict[str, None] = {}
    for tensor in name_tensors(read):
        for value in _values(tensor, session):
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
    todo = ancestors(names)
    for op in todo:
        if op.type in _MATCHES:
            found.extend(_constant(op.inputs[0]) or ())
        elif op.type in ("VarHandleOp", "VariableV2", "Variable"):
            for consumer in _initialisers(op):
                todo.extend(op for op in ancestors([consumer.inputs[1]]) if op not in todo)
    return list(dict.fromkeys(found))


def _initialisers(variable: tf.Operation) -> list[tf.Operation]:
    consumers = variable.outputs[0].consumers()
    return [op for op in consumers if op.type in ("Assign", "AssignVariableOp")]


def _values(tensor: tf.Tensor, session: Any) -> Iterator[str]:
    """The strings of a tensor, or of the list that it is picked from."""
    while True:
        known = _constant(tensor)
        if known is not None:
            yield from known
            return
        above = ancestors([tensor])
        if not any(is_stream(op) or op.type.startswith("Placeholder") for op in above):
            yield from _evaluated(tensor, session)
            return
        op = tensor.op
        if op.type in _FOLDED + _PICKS:
            tensor = op.inputs[0]
        elif op.type.startswith("QueueDequeue"):
            for enqueue in enqueues(queue_of(op)):
                yield from _values(enqueue.inputs[1 + tensor.value_index], session)
            return
        else:
            return


def _constant(tensor: tf.Tensor) -> list[str] | None:
    """The strings of a tensor that is known without running anything."""
    if tensor.dtype.base_dtype != tf.string:
        return None
    value = tf.get_static_value(tensor)
    while value is None and tensor.op.type in _FOLDED:
        tensor = tensor.op.inputs[0]
        value = tf.get_static_value(tensor)
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
