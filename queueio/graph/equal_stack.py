"""`tf.stack` of equal tensors, which TensorFlow's optimiser gets wrong.

    a, b = tf.decode_csv(line, ...)
    tf.stack([b, b])      is run as      tf.tile(a[tf.newaxis], [2])

It tiles instead of stacking, and forgets which output of the op it was: TensorFlow 2.21 does, in
sessions and in datasets; 1.15 did not. A concatenation is left alone.
"""

from __future__ import annotations

import tensorflow as tf
from tensorflow.core.framework import node_def_pb2

from queueio.graph.traversal import root


def is_misread(op: tf.Operation) -> bool:
    """Whether it is a `Pack` of tensors that may be one, and not the first output of its op.

    Two ops that do the same are made one before.
    """
    if op.type != "Pack" or len(op.inputs) < 2:
        return False
    kinds = {(t.op.type, t.value_index) for t in map(root, op.inputs)}
    return len(kinds) == 1 and kinds.pop()[1] > 0


def as_concat(node: node_def_pb2.NodeDef, around: set[str]) -> list[node_def_pb2.NodeDef]:
    """Nodes that do the same as a node of `Pack`, the last of them by its name.

    `around` has the names of the ops that it may wait for.
    """
    tensors, waits = list(node.input[: node.attr["N"].i]), node.input[node.attr["N"].i :]
    makers = dict.fromkeys(f"^{tensor.partition(':')[0]}" for tensor in tensors)
    axis = node_def_pb2.NodeDef(name=f"{node.name}/queueio_axis", op="Const")
    axis.input.extend(maker for maker in makers if maker[1:] in around)  # in a loop, be of it
    axis.attr["dtype"].type = tf.int32.as_datatype_enum
    axis.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(node.attr["axis"].i, tf.int32))
    rows = []
    for place, tensor in enumerate(tensors):
        row = node_def_pb2.NodeDef(name=f"{node.name}/queueio_row_{place}", op="ExpandDims")
        row.input.extend([tensor, axis.name])
        row.attr["Tdim"].type = tf.int32.as_datatype_enum
        rows.append(row)
    whole = node_def_pb2.NodeDef(name=node.name, op="ConcatV2")
    whole.input.extend([*(row.name for row in rows), axis.name, *waits])
    whole.attr["Tidx"].type = tf.int32.as_datatype_enum
    whole.attr["N"].i = len(tensors)
    for made in (*rows, whole):
        made.attr["T"].CopyFrom(node.attr["T"])
    return [axis, *rows, whole]
