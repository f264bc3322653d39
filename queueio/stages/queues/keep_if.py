"""Lets only some examples into a queue.

Legacy:
    value = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    kept = tf.train.maybe_batch([value], keep_input=value < 4, batch_size=2)

Modern:
    numbers = tf.data.Dataset.range(6, output_type=tf.int32)
    dataset = numbers.filter(lambda value: value < 4).batch(2, drop_remainder=True)

Emits:
    the dtypes and shapes of the examples

Differs:
    A scalar keep_input decides on the whole enqueue, a vector (with enqueue_many) row by row.
    `filter` decides on single examples: unbatch before it where enqueue_many was used.

Raises:
    ValueError: keep_input is a vector without enqueue_many, has more than one dimension, or its
    rank is not known.

A keep_input that is True, or computed from constants alone to it, adds nothing to the graph; one
that is False leaves a queue that nothing ever fills.

Source:
    tf.train.maybe_batch of TensorFlow 1.15 and its three sisters
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import tensorflow as tf
from tensorflow.python.framework.smart_cond import smart_constant_value  # no public spelling

from queueio.compile.kernels.as_written import kept as kept_rows
from queueio.compile.kernels.as_written import mapped
from queueio.compile.kernels.rows import rows_in
from queueio.compile.stream import Stream
from queueio.errors import message
from queueio.graph.origin import origin
from queueio.plan import Node, Role, Walk, lifts
from queueio.plan.node import Captures, Checked

if TYPE_CHECKING:
    from queueio.emit.writer import Writer


def checked_keep_input(keep_input: Any, enqueue_many: bool) -> Any:
    """`keep_input` as a bool tensor; ValueError if its rank does not fit.

    Args:
      keep_input: a bool, or a bool tensor of shape () or, with `enqueue_many`, (rows,).
      enqueue_many: whether each enqueue adds the rows of its tensors.
    """
    keep_input = tf.convert_to_tensor(keep_input)
    rank = keep_input.shape.ndims
    if rank is None:
        raise ValueError(
            message(
                "`keep_input` dimensions must be known at graph construction",
                f"the rank of {keep_input.name} is not",
                "Call keep_input.set_shape([]) for a scalar",
            )
        )
    if rank == 1 and not enqueue_many:
        raise ValueError(
            message(
                "`keep_input` cannot be a vector when `enqueue_many=False`",
                f"its shape is {keep_input.shape}, but one enqueue adds one example, which is kept"
                " or not",
                "Pass a scalar, or enqueue_many=True with one entry per row",
            )
        )
    if rank > 1:
        raise ValueError(
            message(
                f"`keep_input` must be 0 or 1 dimensions, not {rank}",
                f"its shape is {keep_input.shape}",
                "Reduce it with tf.reduce_all to one decision per row",
            )
        )
    decided = smart_constant_value(keep_input) is not None
    if rank == 0 and keep_input.dtype.base_dtype != tf.bool and not decided:
        # Control flow v2 would build this and only then fail, with the whole graph spoilt.
        raise TypeError(
            message(
                f"`keep_input` is no bool: the Op has type {keep_input.dtype.name} that does not"
                " match expected type of bool",
                "it decides whether to enqueue",
                "Compare it with something, or cast it with tf.cast(keep_input, tf.bool)",
            )
        )
    return keep_input


def only_if(keep_input: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    """`then()` under a cond on the scalar `keep_input`; without a cond where it is constant.

    It is where it can be computed from constants alone: TensorFlow's C++ folds more ops than
    `tf.get_static_value` does, and TF1 asked that.
    """
    constant = smart_constant_value(keep_input)
    if constant is None:
        return tf.compat.v1.cond(keep_input, then, otherwise)
    return then() if constant else otherwise()


def enqueue_if(queue: Any, tensors: list[Any], enqueue_many: bool, keep_input: Any) -> Any:
    """An op that enqueues `tensors` as far as `keep_input` allows."""
    enqueue = queue.enqueue_many if enqueue_many else queue.enqueue
    if keep_input.shape.ndims == 1:
        selector = tf.cast(keep_input, tf.int32)
        return enqueue([tf.dynamic_partition(t, selector, num_partitions=2)[1] for t in tensors])
    return only_if(keep_input, lambda: enqueue(tensors), tf.no_op)


@dataclass(frozen=True, kw_only=True, eq=False)
class KeepIf(Node):
    """The elements of a stream whose last component, a bool scalar, is `branch`."""

    input: Node
    branch: bool

    def with_shapes(self, shapes: Any, checked: Checked) -> Node | None:
        """Only rows that are left out have the shapes of those that are kept."""
        upstream = self.input.with_shapes([*shapes, tf.TensorShape([])], checked)
        if upstream is None:
            return None
        return replace(self, input=upstream, elements=upstream.elements[:-1])

    def to_dataset(self, *inputs: Any, captures: Captures = None) -> Any:
        """A filter; the deciding component is dropped."""
        kept = inputs[0].filter(lambda *parts: tf.equal(parts[-1], self.branch))
        return kept.map(lambda *parts: parts[:-1])

    def to_stream(self, *inputs: Any, captures: Captures = None) -> Any:
        """A mask over the rows of a chunk."""
        stream = inputs[0] if inputs[0].batch else inputs[0].as_made().settled()
        if not stream.chunked:
            return super().to_stream(stream, captures=captures)
        make = stream.batch

        def kept(*parts: Any) -> tuple[Any, ...]:
            keep = tf.equal(parts[stream.last], self.branch)
            return tuple(tf.boolean_mask(part, keep) for part in (parts if make else parts[:-1]))

        some = kept_rows(mapped(stream.dataset, kept), lambda *parts: rows_in(parts) > 0)
        if make is None:
            return Stream(some, chunked=True, captures=captures, slow=stream.slow)
        return replace(
            stream, given=some, batch=lambda *rows: make(*rows)[:-1], last=stream.last - 1,
            unbatched=lambda: self.to_stream(stream.settled(), captures=captures),
        )  # fmt: skip

    def to_source(self, writer: Writer, wanted: Any) -> str:
        """`filter`, and a map that leaves the deciding component out."""
        stream = writer.upstream(self.input, (wanted, len(self.input.elements) - 1))
        keep = "keep" if self.branch else "tf.logical_not(keep)"
        stream = writer.step(self, stream, "filter", f"lambda _, keep: {keep}")
        return writer.again(stream, "map", "lambda example, _: example")


@lifts(Role.KEEP_IF)
def lift(walk: Walk, op: Any, stream: Node, branch: bool) -> Node:
    """An enqueue under a cond, or of the rows that DynamicPartition selects."""
    return KeepIf(
        name=op.name,
        origin=origin(op),
        elements=stream.elements[:-1],
        input=stream,
        branch=branch,
    )
