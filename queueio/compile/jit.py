"""Compiles the ops after the shuffle where that is both exact and worth it.

TensorFlow transposes small elements one at a time; compiled code does that, and what is cast and
scaled beside it, in one pass, several times faster. The compiler takes some 45 MB of memory, and
casts and scales alone gain nothing by it. What moves elements cannot change them. Of arithmetic a
compiled function may hold one operation only: two of them could be fused, or their constants
multiplied first, and the result rounded differently.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from queueio.compile.placement import moving_ops
from queueio.graph.fragment import Fragment
from queueio.graph.traits import row_of

_ARITHMETIC = frozenset({"Mul", "Add", "AddV2", "Sub"})
_WORTH_ELEMENTS = 256


def worth_compiling(fragment: Fragment) -> bool:
    """True if compiled code is faster and gives the same bits."""
    ops = [op for op in moving_ops(fragment) if not _exact_cast(op)]
    arithmetic = [op for op in ops if op.type in _ARITHMETIC]
    exact = len(arithmetic) <= 1 and all(_moves(op) for op in ops if op not in arithmetic)
    can = not fragment.captures and not any(t.dtype == tf.string for t in fragment.inputs)
    return exact and can and _slow(fragment) and tf.test.is_built_with_xla()


def _moves(op: tf.Operation) -> bool:
    """Whether it moves elements, and would not fail: compiled code reads out of range instead."""
    row = row_of(op.type)
    return row.moves and row.fails_by is not None


def _exact_cast(op: tf.Operation) -> bool:
    if op.type != "Cast":
        return False
    source, target = op.inputs[0].dtype, op.outputs[0].dtype
    return source.is_integer and (target.is_integer or target in (tf.float32, tf.float64))


def _slow(fragment: Fragment) -> bool:
    """A transposition of many elements; other passes, over a few megabytes, are as fast alone."""
    return any(
        op.type == "Transpose" and (op.outputs[0].shape.num_elements() or 0) >= _WORTH_ELEMENTS
        for op in moving_ops(fragment)
    )


def compiled(run: Callable[..., Any]) -> Callable[..., Any]:
    """`run` as one compiled function, made anew for each shape of its arguments."""
    function: Callable[..., Any] = tf.function(run, jit_compile=True, autograph=False)
    return function
