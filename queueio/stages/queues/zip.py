"""Takes from two queues in lock step: one element of each makes one example.

Legacy:
    left = tf.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()
    right = tf.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()
    batch = tf.train.batch([left, right], batch_size=3)

Modern:
    left, right = (tf.data.Dataset.range(3, output_type=tf.int32) for _ in range(2))
    dataset = tf.data.Dataset.zip((left, right)).batch(3, drop_remainder=True)

Emits:
    the components of both

Differs:
    With num_threads over 1 the two sides drift apart in TF1, because each thread takes from one
    queue and then from the other; `zip` keeps them in step. When the shorter side ends, what was
    already taken from the other one is lost in both forms.

Raises:
    OutOfRangeError when either queue is closed and empty.

Source:
    tf.QueueBase.dequeue of TensorFlow 1.15
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from queueio.origin import origin
from queueio.plan import Node, Role, Walk, lifts
from queueio.plan.node import Captures


@dataclass(frozen=True, kw_only=True, eq=False)
class Zip(Node):
    """One element of each stream, as one element."""

    streams: tuple[Node, ...]

    def to_dataset(self, *inputs: Any, captures: Captures = None) -> Any:
        """The streams in lock step, until one of them ends."""
        pairs = tf.data.Dataset.zip(tuple(inputs))
        return pairs.map(lambda *elements: tuple(part for one in elements for part in one))


@lifts(Role.ZIP)
def lift(walk: Walk, op: Any, streams: list[Node]) -> Node:
    """Several stream points under one op."""
    elements = tuple(spec for stream in streams for spec in stream.elements)
    return Zip(name=op.name, origin=origin(op), elements=elements, streams=tuple(streams))
