"""A Python function that ends a stream, asked in a way that says so with a value.

    py_func(next(generator)) ─▶ StopIteration      becomes      (nothing, False)

An error ends a dataset or fails it. To go on after one, as another thread did, needs a dataset for
each example, which costs two hundred microseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.compile.ends import once
from queueio.compile.in_session import mapped_ops
from queueio.compile.kernels.as_written import kept, lasting, mapped, scanned
from queueio.compile.kernels.callers import MOST_ROWS
from queueio.compile.python_rows import called, can_call, function_of, results_of
from queueio.graph.bodies import ending_ops
from queueio.graph.fragment import Fragment
from queueio.graph.v1_control_flow import V1_CONTROL_FLOW

Captures = Mapping[str, tf.Tensor] | None
_PYTHON = ("EagerPyFunc", "PyFunc", "PyFuncStateless")
_TOGETHER = 64
"""Numbers of epochs in a chunk."""


def map_until_told(
    elements: tf.data.Dataset, fragment: Fragment, threads: int, captures: Captures = None
) -> tf.data.Dataset | None:
    """`map_until_end` of a fragment in which a single `tf.py_func` may end the stream.

    None where something else may end it as well.
    """
    op = _lone(fragment)
    if op is None:
        return None
    before, after = _parts(fragment, op)
    asked = len(op.inputs)

    def ready(*values: Any) -> tuple[tf.Tensor, ...]:
        return tuple(before.call(*values[: len(fragment.inputs)], captures=captures))

    def ask(*values: tf.Tensor) -> tuple[tf.Tensor, ...]:
        values = values if before.ops else ready(*values)
        *results, there = _asked(op, values[:asked])
        return (there, *results, *values[asked:])

    def count(met: tf.Tensor, tried: tuple[tf.Tensor, ...]) -> tuple[tf.Tensor, Any]:
        met = tf.where(tried[0], met, met + 1)
        return met, (met, *tried)

    def rest(_: tf.Tensor, __: tf.Tensor, *values: tf.Tensor) -> tuple[tf.Tensor, ...]:
        return tuple(after.call(*values, captures=captures))

    if before.ops:
        elements = mapped_ops(elements, ready, before.ops)
    # As many calls side by side as there were threads, each of which made one at a time.
    counted = scanned(mapped(elements, ask, threads), tf.constant(0), count)
    met = lasting(counted, lambda met, *_: met < threads)
    return once(mapped_ops(kept(met, lambda _, there, *__: there), rest, after.ops))


def map_rows(
    chunks: tf.data.Dataset, fragment: Fragment, threads: int, captures: Captures = None
) -> tf.data.Dataset | None:
    """The same for each row of chunks, where the function is called for the rows as they come in.

    None where something else comes before it, or rows may differ in shape.
    """
    op = _lone(fragment)
    if op is None:
        return None
    before, after = _parts(fragment, op)
    places = {t.ref(): place for place, t in enumerate(fragment.inputs)}
    entering = all(t.ref() in places for t in before.outputs)
    if before.ops or not entering or not op.inputs or not can_call(op):
        return None
    takes = [places[t.ref()] for t in before.outputs]
    taken = mapped(chunks, lambda *rows: tuple(rows[place] for place in takes))

    def rest(*values: Any) -> tuple[tf.Tensor, ...]:
        return tuple(after.call(*results_of(op, values), captures=captures))

    return mapped_ops(called(taken, op, threads), rest, after.ops)


def evaluate_until_told(
    epochs: tf.data.Dataset,
    fragment: Fragment,
    threads: int,
    room: int,
    captures: Captures = None,
) -> tf.data.Dataset | None:
    """The same for a fragment without inputs, once for each epoch.

    A function without inputs, as a generator's, is called no more than `room` times before that
    is needed: half as often at one time, as what was called for may be passed on and not be taken.
    """
    op = _lone(fragment)
    if op is None:
        return None
    before, after = _parts(fragment, op)
    if before.ops or before.outputs or not can_call(op):
        return map_until_told(epochs, fragment, threads, captures)

    def rest(*values: Any) -> tuple[tf.Tensor, ...]:
        return tuple(after.call(*results_of(op, values)[:-1], captures=captures))

    numbers = mapped(epochs.batch(_TOGETHER), lambda rows: (rows,))
    most = max(1, min(room // 2, MOST_ROWS))
    return mapped_ops(called(numbers, op, threads, most), rest, after.ops)


def called_alone(fragment: Fragment, threads: int) -> str:
    """What has a dataset made for each example, so that one thread may end before others; or ""."""
    if threads == 1 or not ending_ops(fragment.ops) or _lone(fragment):
        return ""
    return f"calls Python functions in a row, or under a tf.cond, in {threads} threads"


def _lone(fragment: Fragment) -> tf.Operation | None:
    """The one op that may end the stream, where it calls Python and no cond is there."""
    ends = ending_ops(fragment.ops)
    alone = len(ends) == 1 and ends[0].type in _PYTHON and ends[0].outputs
    if not alone or any(op.type in V1_CONTROL_FLOW for op in fragment.ops):
        return None
    return ends[0]


def _parts(fragment: Fragment, end: tf.Operation) -> tuple[Fragment, Fragment]:
    """What does not wait for `end`, and what does."""
    later = {end}
    for op in fragment.ops:
        if later.intersection((*(t.op for t in op.inputs), *op.control_inputs)):
            later.add(op)
    constants = {op for op in fragment.ops if op.type == "Const"}  # either makes its own
    after = tuple(op for op in fragment.ops if op in later | constants and op is not end)
    outside = later | constants
    needed = {t.ref(): t for op in after for t in op.inputs if t.op not in outside}
    needed |= {t.ref(): t for t in fragment.outputs if t.op not in outside}
    for captured in fragment.captures:
        needed.pop(captured.ref(), None)
    passing = tuple(needed.values())
    first = [op for op in fragment.ops if op not in outside]
    taken = {t.op for op in first for t in op.inputs} | {t.op for t in end.inputs}
    before = replace(
        fragment, outputs=(*end.inputs, *passing),
        ops=tuple(op for op in fragment.ops if op in taken & constants or op in first),
    )  # fmt: skip
    return before, replace(fragment, inputs=(*end.outputs, *passing), ops=after)


def _asked(op: tf.Operation, values: tuple[tf.Tensor, ...]) -> list[tf.Tensor]:
    """The op's results for these inputs, and whether there are any."""
    function, dtypes = function_of(op), [t.dtype for t in op.outputs]

    def called(*args: Any) -> list[Any]:
        try:
            results = function(*args)
        except StopIteration:  # no other error of Python's is an end to TensorFlow
            return [*(np.zeros([], dtype.as_numpy_dtype) for dtype in dtypes), False]
        return [*results, True]

    # In a scope, as copies of the user's ops have it: by its name an error is told as that op's.
    return list(tf.numpy_function(called, values, [*dtypes, tf.bool], name=f"called/{op.name}"))
