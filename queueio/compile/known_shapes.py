"""A fragment behind a queue that declares no shapes, told the shapes of what comes out of it.

    FIFOQueue(256, [tf.string, tf.string])      parallel_read's: its records are scalars

The graph knows nothing of what such a queue gives, so ops behind it check ranks at run time and
cannot be stacked into chunks. Who fills the queue is known to the plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import tensorflow as tf

from queueio.graph.copying import sub_graph_def
from queueio.graph.fragment import Fragment

v1 = tf.compat.v1


def with_known_shapes(fragment: Fragment, shapes: Sequence[tf.TensorShape]) -> Fragment:
    """`fragment` in a graph of its own, made anew from inputs of these shapes.

    It is `fragment` itself where the graph knew the rank of each, or nobody does; and where it
    reads a reference variable, which a copy cannot.
    """
    pairs = list(zip(fragment.inputs, shapes, strict=True))
    told = any(t.shape.rank is None and shape.rank is not None for t, shape in pairs)
    if not (told and fragment.ops and all(map(_is_handle, fragment.captures))):
        return fragment
    return _again(fragment, [shape if t.shape.rank is None else t.shape for t, shape in pairs])


def _is_handle(tensor: tf.Tensor) -> bool:
    return tensor.value_index == 0 and not tensor.dtype._is_ref_dtype  # no public spelling


def _again(fragment: Fragment, shapes: list[tf.TensorShape]) -> Fragment:
    with tf.Graph().as_default():
        entering = [
            v1.placeholder(t.dtype, shape, name="entering")
            for t, shape in zip(fragment.inputs, shapes, strict=True)
        ]
        # What a fragment captures it finds by name.
        captured = [v1.placeholder(t.dtype, t.shape, name=t.op.name) for t in fragment.captures]
        copies = _copied(fragment, [*entering, *captured])
    new = Fragment.between(entering, copies, captured)
    return replace(new, captures=fragment.captures)


def _copied(fragment: Fragment, known: list[tf.Tensor]) -> list[tf.Tensor]:
    """The copies of the outputs, in the default graph; `known` are inputs and captures there."""
    names = [t.name for t in (*fragment.inputs, *fragment.captures)]
    copies = dict(zip(names, known, strict=True))
    used = {t.name for op in fragment.ops for t in op.inputs}
    wanted = [t.name for t in fragment.outputs if t.name not in copies]
    made = tf.graph_util.import_graph_def(
        sub_graph_def(fragment.graph, fragment.ops),
        {name: value for name, value in copies.items() if name in used},
        wanted,
        name="",
    )
    copies.update(zip(wanted, made or (), strict=True))
    for tensor in fragment.outputs:
        copies[tensor.name].set_shape(tensor.shape)
    return [copies[tensor.name] for tensor in fragment.outputs]
