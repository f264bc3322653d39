"""`tf.parallel_stack`, which TensorFlow can run in a session only.

Its op, `ParallelConcat`, has no kernel: TensorFlow rewrites each one in a graph that it is about to
run, but not in a function under MapDefun. And it is not made of tensors of which only the program
knew the shapes, by `set_shape`. A concatenation gives the same bits.
"""

from __future__ import annotations

import tensorflow as tf
from tensorflow.core.framework import node_def_pb2

PARALLEL = "ParallelConcat"


def as_sequential(node: node_def_pb2.NodeDef, around: set[str]) -> list[node_def_pb2.NodeDef]:
    """Nodes that do the same as a node of `ParallelConcat`, the last of them by its name.

    Args:
      node: the node; its inputs have a first axis of 1 already.
      around: the names of the ops that a new one may wait for.
    """
    count = node.attr["N"].i
    tensors, waits = list(node.input[:count]), node.input[count:]
    first = tensors[0].partition(":")[0]
    axis = node_def_pb2.NodeDef(name=f"{node.name}/queueio_axis", op="Const")
    axis.input.extend([f"^{first}"] if first in around else [])  # in a loop, be of it
    axis.attr["dtype"].type = tf.int32.as_datatype_enum
    axis.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(0, tf.int32))
    rows = node_def_pb2.NodeDef(name=f"{node.name}/queueio_rows", op="ConcatV2")
    rows.input.extend([*tensors, axis.name])
    rows.attr["Tidx"].type = tf.int32.as_datatype_enum
    rows.attr["N"].i = count
    whole = node_def_pb2.NodeDef(name=node.name, op="EnsureShape")  # as the op itself did
    whole.input.extend([rows.name, *waits])
    whole.attr["shape"].CopyFrom(node.attr["shape"])
    for made in (rows, whole):
        made.attr["T"].CopyFrom(node.attr["T"])
    return [axis, rows, whole]
