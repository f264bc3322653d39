"""Which ops take long for one example, and what of them need not wait for the example before.

    in order [decode, Print, resize]  becomes  [decode] ─▶ in order [Print] ─▶ [resize]

What keeps a state gets one example after the other. Ops that take long and keep none are done for
several examples at a time, as TF1's threads did them, before it or after it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any

import tensorflow as tf

from queueio.graph.bodies import nodes_run_by
from queueio.graph.traits import Effect, OpTraits, State, row_of, traits_of_node
from queueio.graph.traversal import parents
from queueio.graph.v1_control_flow import Groups

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
    ops: Iterable[tf.Operation],
    ordered: Container[tf.Operation],
    groups: Mapping[tf.Operation, int],
) -> dict[tf.Operation, int]:
    """Op → 0 before, 1 among or 2 after those that one example passes after the other.

    Args:
      ops: ops that run for single examples.
      ordered: which of them must be passed in order.
      groups: of ops of v1 control flow, which stay together: a group counts as one op, and so do
        an op that makes a handle and those that take it, which lives as long as a run.

    Returns:
      {} where nothing that takes long would be freed; or where Python functions, which may have a
      state in common, would come in another order than that in which their inputs are ready.
    """
    of = _together(ops, groups)
    before: dict[int, set[int]] = {one: set() for one in of.values()}
    behind: dict[int, set[int]] = {one: set() for one in of.values()}
    for op, one in of.items():
        for other in {of[p] for p in parents(op) if p in of} - {one}:
            before[one].add(other)
            behind[other].add(one)
    waits = {one for op, one in of.items() if op in ordered}
    for one in (python := {of[op] for op in of if of[op] in waits and _calls_python(op)}):
        if python - {one} - _reached([one], behind) - _reached([one], before):
            return {}
    later = _reached(waits, behind)
    # What an example has written is read before the next one writes.
    while reading := {of[op] for op in of if of[op] in later - waits and _reads(op)}:
        waits |= reading
        later = _reached(waits, behind)
    among = waits | (_reached(waits, before) & later)
    turns = {op: 1 if one in among else 2 * (one in later) for op, one in of.items()}
    freed = any(is_slow(op) or is_wide(op) for op, turn in turns.items() if turn != 1)
    return turns if freed else {}


def _together(
    ops: Iterable[tf.Operation], groups: Mapping[tf.Operation, int]
) -> dict[tf.Operation, int]:
    """Op → number of those that count as one with it."""
    here, first, one = list(ops), dict[int, tf.Operation](), Groups()
    inside = set(here)
    for op in here:
        makers = [t.op for t in op.inputs if t.op in inside and _is_handle(t)]
        one.join(op, [*makers, first.setdefault(groups[op], op)] if op in groups else makers)
    return one.numbers()


def _is_handle(tensor: tf.Tensor) -> bool:
    kind = tensor.dtype
    return bool(kind in (tf.resource, tf.variant) or kind != kind.base_dtype)


def _reached(some: Iterable[int], edges: Mapping[int, set[int]]) -> set[int]:
    """What the edges lead to."""
    found: set[int] = set()
    waiting = list(some)
    while waiting:
        more = edges[waiting.pop()] - found
        found |= more
        waiting += more
    return found


def _reads(op: Any) -> bool:
    """Whether what it gives may depend on what other ops have written, here or in a file."""
    return any(
        row is None or row.reads is not None or (row.state is State.READS and not row.steady)
        for row in _rows(op)
    )


def _calls_python(op: Any) -> bool:
    return any(row is None or row.effect is Effect.RUNS_PYTHON for row in _rows(op))


def _rows(op: Any) -> Iterator[OpTraits | None]:
    """Of an op and of those in functions that it calls; None for unknown ones."""
    if op.type != "Const":  # nothing is to be known of it, and asking copies its value
        yield from (None if n is None else traits_of_node(n) for n in nodes_run_by(op))
