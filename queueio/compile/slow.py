"""Which ops take long for one example, and what of them need not wait for the example before.

    in order [decode, Print, resize]  becomes  [decode] ─▶ in order [Print] ─▶ [resize]

What keeps a state gets one example after the other. Ops that take long and keep none are done for
several examples at a time, as TF1's threads did them, before it or after it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from queueio.graph.bodies import nodes_run_by
from queueio.graph.traits import State, row_of, traits_of_node
from queueio.graph.traversal import parents

WIDE_ELEMENTS = 1 << 14
"""Above this a call costs less than the two copies that make a chunk and take it apart again."""
# A chunk of these would keep the first batch waiting: they take their time, loop, or call Python.
_SLOW = (
    "Decode", "EagerPyFunc", "Enter", "PyFunc", "ReadFile", "Resize", "StatelessWhile", "While",
)  # fmt: skip
_QUICK = ("DecodeCSV", "DecodeRaw")


def is_slow(op: tf.Operation) -> bool:
    """Whether an op may take long for one example."""
    if op.type.startswith("Decode") and all(map(_is_small, op.outputs)):
        return False
    return op.type.startswith(_SLOW) and op.type not in _QUICK


def is_wide(op: tf.Operation) -> bool:
    """Whether it works on so many numbers that a call for each example costs less than it does."""
    sizes = [t.shape.num_elements() or 0 for t in (*op.inputs, *op.outputs)]
    return not row_of(op.type).views and max(sizes, default=0) >= WIDE_ELEMENTS


def _is_small(tensor: tf.Tensor) -> bool:
    """Whether so few numbers are in it: by its own shape, or by that of what takes them all."""
    size = tensor.shape.num_elements()
    if size is not None:
        return bool(size < WIDE_ELEMENTS and tensor.dtype != tf.string)
    whole = (op for op in tensor.consumers() if op.type == "Cast" or row_of(op.type).views)
    return any(_is_small(op.outputs[0]) for op in whole)


def in_turn(
    ops: Sequence[tf.Operation],
    ordered: Container[tf.Operation],
    groups: Mapping[tf.Operation, int],
) -> dict[tf.Operation, int]:
    """Op → 0 before, 1 among or 2 after those that one example passes after the other.

    Args:
      ops: ops that run for single examples, in topological order.
      ordered: which of them must be passed in order.
      groups: of ops of v1 control flow, which stay together.

    Returns:
      {} where nothing that takes long would be freed.
    """
    waits = {op for op in ops if op in ordered}
    later: set[tf.Operation] = set()
    for op in ops:
        if any(p in waits or p in later for p in parents(op)):
            later.add(op)
            if _reads(op):  # what those of this example may have written, and none of the next one
                waits.add(op)
    together = {groups[op] for op in waits if op in groups}
    waits.update(op for op in ops if groups.get(op) in together)
    sooner, later = _before(ops, waits), _behind(ops, waits)
    among = {op: 1 for op in ops if op in waits or (op in sooner and op in later)}
    if not any(is_slow(op) or is_wide(op) for op in ops if op not in among):
        return {}
    return {op: among.get(op, 2 if op in later else 0) for op in ops}


def _behind(ops: Iterable[tf.Operation], some: Container[tf.Operation]) -> set[tf.Operation]:
    found: set[tf.Operation] = set()
    for op in ops:
        if any(p in some or p in found for p in parents(op)):
            found.add(op)
    return found


def _before(ops: Sequence[tf.Operation], some: Container[tf.Operation]) -> set[tf.Operation]:
    found: set[tf.Operation] = set()
    for op in reversed(ops):
        if op in some or op in found:
            found.update(parents(op))
    return found


def _reads(op: Any) -> bool:
    """Whether what it gives may depend on what other ops have written, here or in a file."""
    if op.type == "Const":
        return False
    rows = [None if node is None else traits_of_node(node) for node in nodes_run_by(op)]
    return any(
        row is None or row.reads is not None or (row.state is State.READS and not row.steady)
        for row in rows
    )
