"""Lets a tensor be evaluated a limited number of times, then reports the end.

Legacy:
    names = tf.train.limit_epochs(tf.constant(["a.txt", "b.txt"]), num_epochs=3)

Modern:
    dataset = tf.data.Dataset.from_tensors(tf.constant(["a.txt", "b.txt"])).repeat(3)

Emits:
    the tensor's own dtype and shape

Differs:
    The count lives in a local variable of the graph, `<scope>/epochs`: it is not in checkpoints,
    it must be initialised, and initialising it again starts over. `repeat` counts in the
    iterator.

Raises:
    ValueError: num_epochs is not positive.
    OutOfRangeError: at the evaluation after the last one. FailedPreconditionError when
    `tf.local_variables_initializer()` was not run.

An "epoch" here is one evaluation of the tensor: the list of all files, when it limits a filename
queue. The queue behind it may run many names ahead of the training step.

Source:
    tf.train.limit_epochs of TensorFlow 1.15
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import tensorflow as tf

from queueio.compile.resources import Asking, left_before_end
from queueio.errors import message
from queueio.graph.origin import origin
from queueio.plan import Node, Role, Walk, lifts
from queueio.plan.node import Captures

if TYPE_CHECKING:
    from queueio.emit.writer import Writer

v1 = tf.compat.v1


def limit_epochs(tensor: Any, num_epochs: int | None = None, name: str | None = None) -> Any:
    """Returns `tensor` `num_epochs` times, then raises OutOfRangeError.

    Args:
      tensor: any tensor.
      num_epochs: a positive number of evaluations; None for no limit.
      name: name of the scope and of the result (default "limit_epochs").

    Returns:
      A tensor like `tensor`; `tensor` itself without a limit. The counter is the local variable
      `<name>/epochs`, a scalar of dtype int64.

    Raises:
      ValueError: `num_epochs` is zero or negative.
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(
            message(
                f"num_epochs must be > 0 not {num_epochs}",
                do="Use None to go on without end, or leave the pipeline out for no data at all",
            )
        )
    with v1.name_scope(name, "limit_epochs", [tensor]) as scope:
        epochs = v1.Variable(
            tf.constant(0, tf.int64),
            name="epochs",
            trainable=False,
            collections=[v1.GraphKeys.LOCAL_VARIABLES],
        )
        with tf.control_dependencies([_count_up_to(epochs, num_epochs)]):
            return tf.identity(tensor, name=scope)


def _count_up_to(variable: Any, limit: int) -> Any:
    """The counting op; it has two kinds, one for each kind of variable."""
    if hasattr(variable, "handle"):
        return tf.raw_ops.ResourceCountUpTo(resource=variable.handle, limit=limit, T=tf.int64)
    return tf.raw_ops.CountUpTo(ref=variable, limit=limit)


@dataclass(frozen=True, kw_only=True, eq=False)
class LimitEpochs(Node):
    """A stream that ends after `num_epochs` evaluations."""

    input: Node
    num_epochs: int
    counter: Any
    """The op that counts in TF1's graph."""

    hidden = Node.hidden | {"counter"}

    @property
    def counts_with(self) -> Any:
        """Its counter."""
        return self.counter

    def to_dataset(self, *inputs: Any, captures: Captures = None) -> Any:
        """The first `num_epochs` elements."""
        return inputs[0].take(left_to_count(self.counter, captures))

    def to_source(self, writer: Writer, wanted: Any) -> str:
        """`take`."""
        stream = writer.upstream(self.input, wanted)
        return writer.step(self, stream, "take", self.num_epochs)


@lifts(Role.LIMIT)
def lift(walk: Walk, op: Any, stream: Node) -> Node:
    """A counter between two stream points; at a source it counts the source's epochs."""
    return LimitEpochs(
        name=op.name,
        origin=origin(op),
        elements=stream.elements,
        input=stream,
        num_epochs=int(op.get_attr("limit")),
        counter=op,
    )


def left_to_count(counter: Any, captures: Captures) -> Any:
    """How often a counting op would still let a tensor pass (int64); no end without one.

    Inside the counter's graph its variable is asked, as the op would: one that was not
    initialised is an error, and one that was set to another number counts from there.
    """
    if counter is None:
        return tf.int64.max
    if captures is None:
        return left_before_end(counter)
    if isinstance(captures, Asking):
        return captures.left(counter)
    return int(counter.get_attr("limit"))
