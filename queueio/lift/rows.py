"""What the rows of a tensor are: elements, where an enqueue_many puts them into a queue."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.graph.traversal import root


def row_spec(tensor: Any) -> tf.TensorSpec:
    """The spec of a row; of unknown shape where nobody knows that of the tensor."""
    shape = _shape(tensor)
    return tf.TensorSpec(shape[1:] if shape.rank else shape, tensor.dtype.base_dtype)


def _shape(tensor: Any) -> tf.TensorShape:
    """The shape; of a variable that leaves its own open, that of its initial value.

    `match_filenames_once` makes such a one. What else a pipeline's variable is assigned is refused,
    but for what a checkpoint holds: `Source` looks at the shape of what it evaluates.
    """
    tensor = tensor if tensor.shape.rank is not None else root(tensor)
    if tensor.shape.rank is not None:
        return tensor.shape
    if tensor.op.type == "RandomShuffle":
        return _shape(tensor.op.inputs[0])
    variable = root(tensor.op.inputs[0]) if tensor.op.type == "ReadVariableOp" else tensor
    initial = [u for u in variable.consumers() if u.name == f"{variable.op.name}/Assign"]
    return _shape(initial[0].inputs[1]) if initial else tensor.shape
