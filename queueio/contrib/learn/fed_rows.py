"""The plan node of what `enqueue_data` feeds: rows of arrays or of a DataFrame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import tensorflow as tf

from queueio.compile.kernels.as_written import unbatched
from queueio.compile.resources import Asking
from queueio.compile.stream import Stream
from queueio.contrib.learn.feeds import RowFeeds
from queueio.graph.origin import origin
from queueio.graph.refusal import refuse
from queueio.graph.traversal import root
from queueio.plan import Node, Role, Walk, lifts
from queueio.plan.node import Captures

if TYPE_CHECKING:
    from queueio.emit.writer import Writer


@dataclass(frozen=True, kw_only=True, eq=False)
class FedRows(Node):
    """The rows that one thread feeds to its enqueue op, `num_epochs` times (None: for ever)."""

    feeds: RowFeeds
    rows_of_table: int
    num_epochs: int | None
    enqueue: Any
    """The op that is fed."""

    hidden = Node.hidden | {"feeds", "enqueue"}
    resumes = False

    def to_dataset(self, *inputs: Any, captures: Captures = None) -> Any:
        """Row by row."""
        return unbatched(self._fed(captures))

    def to_stream(self, *inputs: Any, captures: Captures = None) -> Any:
        """What is fed at a time is a chunk as it comes."""
        return Stream(self._fed(captures), chunked=True, captures=captures)

    def _fed(self, captures: Captures) -> Any:
        """What the feeding function gives until it ends.

        In the program's own graph that is the very function which the thread would call: like it,
        a second session goes on where the first one stopped. Elsewhere each pass begins anew.
        """
        here = captures is None or isinstance(captures, Asking)

        def fed() -> Iterator[tuple[Any, ...]]:
            feeds = self.feeds if here else self.feeds.anew()
            types = [spec.dtype.as_numpy_dtype for spec in self.elements]
            while (values := feeds.next_values()) is not None:
                yield tuple(map(np.asarray, values, types))

        chunks = tuple(tf.TensorSpec([None, *s.shape], s.dtype) for s in self.elements)
        return tf.data.Dataset.from_generator(fed, output_signature=chunks)

    def to_source(self, writer: Writer, wanted: Any) -> str:
        """Raises NotLifted: a module of code does not hold the program's arrays."""
        raise refuse(
            self.enqueue,
            "its rows are in the program's memory, and not in a file that a module could read",
            "Write tf.data.Dataset.from_tensor_slices((features, labels)), with .shuffle, .repeat"
            " and .batch, where the arrays are",
        )


@lifts(Role.FED)
def lift(walk: Walk, op: Any, feeds: Any) -> Node | None:
    """QueueEnqueueMany of placeholders that a FeedingQueueRunner feeds with rows of a table.

    None where what is fed is something else, such as a generator's elements.
    """
    queue = root(op.inputs[0]).op
    placeholders = list(op.inputs)[1:]
    if not isinstance(feeds, RowFeeds) or not feeds.fills(placeholders):
        return None
    shapes = [tf.TensorShape(shape) for shape in queue.get_attr("shapes")]
    if not all(shape.is_fully_defined() for shape in shapes):
        return None
    return FedRows(
        name=op.name,
        origin=origin(op),
        elements=tuple(
            tf.TensorSpec(shape, tensor.dtype)
            for shape, tensor in zip(shapes, placeholders, strict=True)
        ),
        feeds=feeds,
        rows_of_table=feeds.count,
        num_epochs=feeds.num_epochs,
        enqueue=op,
    )
