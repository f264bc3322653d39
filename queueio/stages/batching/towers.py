"""Takes several batches out of one queue in each step, one for each tower.

Legacy:
    queue = tf.train.range_input_producer(8, num_epochs=1, shuffle=False)
    towers = [queue.dequeue_many(2) for _ in range(2)]

Modern:
    batches = tf.data.Dataset.range(8, output_type=tf.int32).batch(2, drop_remainder=True)
    dataset = batches.batch(2, drop_remainder=True).map(tf.unstack)

Emits:
    the components of each tower's batch, one tower after the other

Differs:
    Which tower gets which batch is a race here and a rule there. A step that does not find a batch
    for each tower ends the input, and what its other towers took is lost in both forms.

Raises:
    OutOfRangeError: the queue is closed and holds fewer examples than all towers ask for.

A model that is copied to several devices takes as many batches a step. With an iterator each tower
may also call `get_next()` for itself.

Source:
    tf.QueueBase.dequeue (once for each tower) of TensorFlow 1.15
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import tensorflow as tf

from queueio.graph.fragment import Fragment
from queueio.graph.origin import origin
from queueio.plan import Node, Role, Walk, lifts
from queueio.plan.components import rows_of
from queueio.stages.batching.dequeue import Batch
from queueio.stages.decoders.user_ops import Transform

if TYPE_CHECKING:
    from queueio.emit.writer import Writer


@dataclass(frozen=True, kw_only=True, eq=False)
class Towers(Batch):
    """What all towers take in a step: one element for each."""

    def to_source(self, writer: Writer, wanted: Any) -> str:
        """`batch`, of as many as there are towers, which no argument changes."""
        stream = writer.upstream(self.input, wanted)
        notes = [f"One for each of {self.batch_size} towers; a last step without one for each is"
                 " left out, as before."]  # fmt: skip
        return writer.step(
            self, stream, "batch", self.batch_size, drop_remainder="True", notes=notes
        )


@lifts(Role.TOWERS)
def lift(walk: Walk, stream: Node, ops: Sequence[Any]) -> Node:
    """Dequeues of one queue that a session call runs together."""
    op, count = ops[0], len(ops)
    elements = stream.elements
    if not all(isinstance(s, tf.TensorSpec) and s.shape.is_fully_defined() for s in elements):
        raise walk.refuse(
            op,
            f"{count} batches are taken of its queue in one step, and their shapes may differ",
            "Have all batches be of one dense shape, without allow_smaller_final_batch or"
            " dynamic_pad",
        )
    taken = Towers(
        name=op.name,
        origin=origin(op),
        elements=tuple(rows_of(spec, count) for spec in elements),
        input=stream,
        batch_size=count,
        allow_smaller_final_batch=False,
        pads=False,
    )
    return _split(taken)


def _split(towers: Towers) -> Node:
    """The components of each tower, one tower after the other."""
    with tf.Graph().as_default():
        taken = [tf.compat.v1.placeholder(s.dtype, s.shape, "batch") for s in towers.elements]
        given = [part for tower in zip(*map(tf.unstack, taken), strict=True) for part in tower]
    return Transform(
        name=towers.name,
        origin=towers.origin,
        elements=tuple(tf.TensorSpec(part.shape, part.dtype) for part in given),
        input=towers,
        fragment=Fragment.between(taken, given),
        takes=tuple(range(len(taken))),
    )
