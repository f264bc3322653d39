"""A fragment that is told what its graph leaves open: the shapes of what comes out of what goes in.

    FIFOQueue(256, [tf.string, tf.string])      parallel_read's: its records are scalars
    FixedLengthRecordReader(3073)               decode_raw(record, tf.uint8) has 3,073 of them

The graph knows nothing of what such a queue gives, and does not look at what a reader was made
with, so ops behind them check ranks and lengths at run time and cannot be stacked into chunks. Who
fills the queue, and how long its records are, is known to the plan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import tensorflow as tf

from queueio.graph.copying import sub_graph_def
from queueio.graph.fragment import Fragment

v1 = tf.compat.v1


def with_known_shapes(
    fragment: Fragment, shapes: Sequence[tf.TensorShape], sizes: Sequence[int | None]
) -> Fragment:
    """`fragment` in a graph of its own, made anew from inputs of these shapes and sizes.

    It is `fragment` itself where the graph knew all of that, or nobody does; where it reads a
    reference variable, which a copy cannot; and where it contradicts what is known.

    Args:
      fragment: the user's ops.
      shapes: per input, what is known of its shape.
      sizes: per input, the bytes of each of its strings; None where they may differ.
    """
    pairs = list(zip(fragment.inputs, shapes, strict=True))
    told = any(t.shape.rank is None and shape.rank is not None for t, shape in pairs)
    decoded = _decoded(fragment, sizes)
    if not ((told or decoded) and fragment.ops and all(map(is_handle, fragment.captures))):
        return fragment
    known = [shape if t.shape.rank is None else t.shape for t, shape in pairs]
    try:
        return _again(fragment, known, decoded)
    except ValueError:  # an op cannot take what comes: it says so when it runs, if ever it does
        return fragment


def _decoded(fragment: Fragment, sizes: Sequence[int | None]) -> dict[tf.Operation, int]:
    """Ops that decode strings of one size into numbers, and how many numbers those are."""
    size_of = {t.ref(): n for t, n in zip(fragment.inputs, sizes, strict=True) if n}
    found = {}
    for op in fragment.ops:
        size = op.type == "DecodeRaw" and size_of.get(op.inputs[0].ref())
        if size and size % op.outputs[0].dtype.size == 0:
            found[op] = size // op.outputs[0].dtype.size
    return found


def is_handle(tensor: tf.Tensor) -> bool:
    """Whether a copy of an op can take it by reference: what is read of a variable is none."""
    return tensor.value_index == 0 and not tensor.dtype._is_ref_dtype  # no public spelling


def _again(
    fragment: Fragment, shapes: list[tf.TensorShape], decoded: dict[tf.Operation, int]
) -> Fragment:
    with tf.Graph().as_default():
        entering = [
            v1.placeholder(t.dtype, shape, name="entering")
            for t, shape in zip(fragment.inputs, shapes, strict=True)
        ]
        known = dict(zip((t.name for t in fragment.inputs), entering, strict=True))
        for op, numbers in decoded.items():
            (values,) = _copied(fragment, [op], known, [op.outputs[0].name])
            values.set_shape([*known[op.inputs[0].name].shape, numbers])
            known[op.outputs[0].name] = values
        return remade(fragment, entering, known)


def remade(
    fragment: Fragment, inputs: Sequence[tf.Tensor], known: Mapping[str, tf.Tensor]
) -> Fragment:
    """`fragment` in the default graph, from other inputs.

    Args:
      fragment: what to make anew.
      inputs: what the new one takes.
      known: what stands there for tensors of the old one, by their names: for its inputs at least.
    """
    # What a fragment captures it finds by name.
    captured = [v1.placeholder(t.dtype, t.shape, name=t.op.name) for t in fragment.captures]
    here = {t.name: new for t, new in zip(fragment.captures, captured, strict=True)} | dict(known)
    wanted = [t.name for t in fragment.outputs if t.name not in here]
    rest = [op for op in fragment.ops if not any(t.name in here for t in op.outputs)]
    here.update(zip(wanted, _copied(fragment, rest, here, wanted), strict=True))
    outputs = [here[t.name] for t in fragment.outputs]
    for new, old in zip(outputs, fragment.outputs, strict=True):
        new.set_shape(old.shape)
    made = Fragment.between(inputs, outputs, captured)
    return replace(made, captures=fragment.captures)


def _copied(
    fragment: Fragment, ops: Sequence[tf.Operation], known: dict[str, tf.Tensor], wanted: list[str]
) -> Sequence[tf.Tensor]:
    """Copies of ops into the default graph, under their names, beside what is `known` there."""
    used = {t.name for op in ops for t in op.inputs}
    made = tf.graph_util.import_graph_def(
        sub_graph_def(fragment.graph, ops, shaped=True),
        {name: value for name, value in known.items() if name in used},
        wanted,
        name="",
    )
    return made or ()
