"""Compiles the ops after the shuffle where that is both exact and worth it.

TensorFlow transposes small elements one at a time; compiled code does it several times faster.
What moves elements cannot change them. Arithmetic is let in only where the compiler has nothing
to fuse into a differently rounded operation: products, or sums, but not sums of products.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import tensorflow as tf

from queueio.compile.assign import moving_ops
from queueio.compile.fragment import Fragment

_MOVES = frozenset({
    "ConcatV2", "ExpandDims", "Identity", "Pack", "Reshape", "Slice", "Split", "SplitV",
    "Squeeze", "StridedSlice", "Tile", "Transpose", "Unpack",
})  # fmt: skip
_PRODUCTS = frozenset({"Mul"})
_SUMS = frozenset({"Add", "AddV2", "Sub"})
_WORTH_ELEMENTS = 256


def worth_compiling(fragment: Fragment) -> bool:
    """True if compiled code is faster and gives the same bits."""
    ops = moving_ops(fragment)
    types = {op.type for op in ops if not (op.type == "Cast" and _exact_cast(op))}
    exact = types <= _MOVES | _PRODUCTS or types <= _MOVES | _SUMS
    return exact and not fragment.captures and any(map(_slow, ops)) and _available()


def _exact_cast(op: tf.Operation) -> bool:
    source, target = op.inputs[0].dtype, op.outputs[0].dtype
    return source.is_integer and (target.is_integer or target in (tf.float32, tf.float64))


def _slow(op: tf.Operation) -> bool:
    return op.type == "Transpose" and (op.outputs[0].shape.num_elements() or 0) >= _WORTH_ELEMENTS


def compiled(run: Callable[..., Any]) -> Callable[..., Any]:
    """`run` as one compiled function, made anew for each shape of its arguments."""
    return tf.function(run, jit_compile=True, autograph=False)


@cache
def _available() -> bool:
    """Some builds of TensorFlow come without the compiler."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        try:
            session.run(tf.function(tf.identity, jit_compile=True)(tf.constant(0)))
        except (tf.errors.OpError, ValueError):
            return False
    return True
