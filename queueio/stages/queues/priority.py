"""Gives examples in the order of a number that they carry.

Legacy:
    queue = tf.PriorityQueue(10, types=[tf.string], shapes=[[]])
    enqueue = queue.enqueue_many([tf.constant([2, 1], tf.int64), tf.constant(["b", "a"])])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue]))
    priority, value = queue.dequeue()

Modern:
    none: tf.data has no transformation that orders by a priority

Emits:
    int64, shape () (the priority), then the dtypes and shapes of its elements

Differs:
    There is no equivalent. Where the order only groups examples of like length, use
    `bucket_by_sequence_length`.

Raises:
    OutOfRangeError: the queue is closed and holds fewer elements than asked for.

Smaller numbers leave first. What leaves depends on what is inside at that moment, so the order
over a whole run is not sorted. A `dequeue_up_to` gives full batches only, of this queue alone: what
is left at the end never comes.

Source:
    tf.PriorityQueue of TensorFlow 1.15
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import tensorflow as tf

from queueio.compile.kernels.as_written import unbatched
from queueio.plan import Node, Walk, lifts
from queueio.plan.node import Captures
from queueio.stages.queues.eager_safe import EagerSafe
from queueio.stages.queues.example_queue import ExampleQueue, common_fields

if TYPE_CHECKING:
    from queueio.emit.writer import Writer

_BY_PRIORITY = '''
def by_priority(priority: tf.Tensor, example: Any) -> Any:
    """The examples of a batch, the lowest priority first."""
    order = tf.argsort(priority, stable=True)
    return tf.nest.map_structure(lambda part: tf.gather(part, order), example)
'''


class PriorityQueue(EagerSafe, tf.queue.PriorityQueue):
    """Smallest priority first; see `tf.queue.PriorityQueue`, which it extends."""

    def __init__(
        self,
        capacity: int,
        types: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "priority_queue",
    ) -> None:
        """Makes the queue.

        Args:
          capacity: how many elements it holds.
          types: the dtype of each component, without the int64 priority that comes first.
          shapes: the shape of each component, without the priority's.
          names: a name for each component, for elements that are dicts.
          shared_name: its name across the sessions of a cluster.
          name: name of the op.
        """
        super().__init__(capacity, types, shapes, names, shared_name, name)
        self._capacity = capacity


_UNBOUNDED = 1024
"""How many elements are sorted at a time where the queue has no capacity."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PriorityExamples(ExampleQueue):
    """A queue that gives the element with the lowest first component first."""

    blind = False
    gives_rest = False

    @property
    def in_large_chunks(self) -> bool:
        """Never: elements come one by one."""
        return False

    def to_dataset(self, *inputs: Any, captures: Captures = None) -> Any:
        """Fills to its capacity, empties in order, and so on: one of the orders that TF1 gave."""
        size = self.capacity if self.capacity > 0 else _UNBOUNDED

        def ordered(*components: Any) -> tuple[Any, ...]:
            order = tf.argsort(components[0], stable=True)
            return tuple(tf.gather(component, order) for component in components)

        return unbatched(inputs[0].batch(size).map(ordered))

    def to_source(self, writer: Writer, wanted: Any) -> str:
        """Sorts a queue's fill at a time."""
        stream = writer.upstream(self.input, (0, wanted))
        size = self.capacity if self.capacity > 0 else _UNBOUNDED
        made = writer.verbatim("by_priority", _BY_PRIORITY)
        notes = ["Sorted among as many as the queue held: which those were was a race there."]
        stream = writer.step(self, stream, "batch", size, notes=notes)
        stream = writer.again(stream, "map", made)
        return writer.unbatched(self, stream, (0, wanted))


@lifts("PriorityQueue", "PriorityQueueV2")
def lift(op: Any, walk: Walk) -> Node:
    """A priority queue."""
    queue = PriorityExamples(**common_fields(op, walk))
    if any(isinstance(spec, tf.SparseTensorSpec) for spec in queue.elements):
        raise walk.refuse(op, "sparse tensors in a priority queue are not translated yet")
    return queue
