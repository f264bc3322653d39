"""Ops that take a reference variable itself, on its value: a copy of a graph has nothing else.

    Variable ─▶ IsVariableInitialized         copied: True
    Variable ─▶ RefSwitch ─▶ Identity         copied: value ─▶ Switch ─▶ Identity

`v.initialized_value()` and a variable that is read in a branch of a cond make such ops. Whatever
makes a copy has read the variable before, which fails where it holds no value.
"""

from __future__ import annotations

import tensorflow as tf
from tensorflow.core.framework import node_def_pb2

ASKS = "IsVariableInitialized"
LEADS_REFERENCES = {
    f"Ref{kind}": kind for kind in ("Enter", "Exit", "Identity", "Merge", "NextIteration", "Switch")
}
"""What hands a reference on, and what does the same with a value."""


def as_of_value(node: node_def_pb2.NodeDef, around: set[str]) -> node_def_pb2.NodeDef:
    """What stands for an op's node where its variable is a value.

    Args:
      node: the node.
      around: the names of what is copied with it.
    """
    if node.op != ASKS:
        node.op = LEADS_REFERENCES[node.op]
        return node
    made = node_def_pb2.NodeDef(name=node.name, op="Const")
    made.input.extend(e for e in node.input if e.startswith("^"))
    holder = node.input[0].split(":")[0]
    if holder in around:  # in a branch it is there where the reference is
        made.input.append(f"^{holder}")
    made.attr["dtype"].type = tf.bool.as_datatype_enum
    made.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(True))
    return made
