"""Seeded random ops as functions of an example's number, so that examples may pass in any order.

    RandomUniform(seed=1)     becomes      StatelessRandomUniformV2(key=1, counter=number * 256)

A seeded op gives its n-th caller the n-th draw, so that examples must pass it one after another.
But its generator, Philox, is a function of a counter, of which each call takes 256 steps for each
number that it draws. Given the number of an example, an op without a state draws the same bits.
What the ops of a fragment draw is then known however many examples are worked on at a time.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.compile.kernels.as_written import scanned
from queueio.compile.kernels.rows import rows_in
from queueio.graph.copying import sub_graph_def
from queueio.graph.fragment import Fragment
from queueio.graph.v1_control_flow import control_flow_groups

_STATELESS = {
    "RandomUniform": "StatelessRandomUniformV2",
    "RandomUniformInt": "StatelessRandomUniformIntV2",
    "RandomStandardNormal": "StatelessRandomNormalV2",
    "TruncatedNormal": "StatelessTruncatedNormalV2",
}
_STEPS = 256  # of the counter for each number drawn, whatever the op
_PHILOX = 1  # as `alg`
_UINT64 = (1 << 64) - 1


def by_number(fragment: Fragment) -> Fragment:
    """`fragment` with one more input, the number of the examples before; itself without draws.

    A draw within a cond or loop, or of a shape that examples decide, stays as it is; so does all of
    a fragment that takes anything by reference: its variables are of its graph.
    """
    inside = control_flow_groups(fragment.ops)
    draws = [op for op in fragment.ops if op not in inside and _convertible(op)]
    if not draws or fragment.captures:
        return fragment
    with tf.Graph().as_default() as graph:
        given = [tf.compat.v1.placeholder(t.dtype.base_dtype, t.shape, f"queueio_input_{place}")
                 for place, t in enumerate(fragment.inputs)]  # fmt: skip
        number = tf.compat.v1.placeholder(tf.int64, [], "queueio_number")
        known = dict(zip((t.name for t in fragment.inputs), given, strict=True))
        known |= {op.outputs[0].name: _drawn(op, number) for op in draws}
        ops = [op for op in fragment.ops if op not in draws]
        used = {t.name for op in ops for t in op.inputs}
        tf.graph_util.import_graph_def(
            sub_graph_def(fragment.graph, ops, shaped=True),
            {name: t for name, t in known.items() if name in used},
            name="",
        )
        outputs = [
            known[t.name] if t.name in known else graph.get_tensor_by_name(t.name)
            for t in fragment.outputs
        ]
    return Fragment.between([*given, number], outputs)


def numbered(chunks: tf.data.Dataset) -> tf.data.Dataset:
    """The chunks with one component more: how many examples came before each of theirs."""

    def step(before: tf.Tensor, rows: tuple[tf.Tensor, ...]) -> Any:
        after = before + rows_in(rows, tf.int64)
        return after, (*rows, tf.range(before, after))

    return scanned(chunks, tf.constant(0, tf.int64), step)


def _convertible(op: tf.Operation) -> bool:
    """Whether each run of it draws as many numbers, from a seed, between known bounds."""
    if op.type not in _STATELESS or not (op.get_attr("seed") or op.get_attr("seed2")):
        return False
    return all(tf.get_static_value(t) is not None for t in op.inputs)


def _drawn(op: tf.Operation, number: tf.Tensor) -> tf.Tensor:
    """What the op draws for an example of this number."""
    shape, *bounds = (tf.get_static_value(t) for t in op.inputs)
    out = op.outputs[0]
    with tf.name_scope("queueio_draws"):  # no name that an op of the fragment has
        steps = number * (_STEPS * math.prod(int(n) for n in shape))
        second = np.array(op.get_attr("seed2") & _UINT64, np.uint64)
        arguments = {
            "shape": tf.constant(shape),
            "key": tf.constant([op.get_attr("seed") & _UINT64], tf.uint64),
            "counter": tf.stack([tf.cast(steps, tf.uint64), tf.constant(second)]),
            "alg": tf.constant(_PHILOX),
        }
        if bounds:
            least, limit = (tf.constant(bound, out.dtype) for bound in bounds)
            arguments |= {"minval": least, "maxval": limit}
        else:
            arguments["dtype"] = out.dtype
        drawn: tf.Tensor = getattr(tf.raw_ops, _STATELESS[op.type])(**arguments)
    return drawn
