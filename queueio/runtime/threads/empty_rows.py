"""An enqueue_many of rows that may be empty, run so that the process lives.

TensorFlow's own op dies of a row of numbers without values (compile/kernels/empty_rows.py). Such
rows are put in one by one, by an op that a queue runner's thread runs in its place; all others go
in as ever. The op of the graph stays what TF1 made.
"""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from queueio.compile.kernels.empty_rows import may_be_empty
from queueio.graph.index import ROW_BY_ROW
from queueio.graph.traversal import is_queue, root
from queueio.graph.unnoticed import unnoticed
from queueio.runtime.diagnosis.queues import opened
from queueio.runtime.topology import op_of


def lasting_op(enqueue_op: Any) -> Any:
    """What to run for an enqueue op: itself, or an op that empty rows do not end the process in.

    One under a cond (`maybe_batch` with one `keep_input` for all rows) stays as it is.

    Args:
      enqueue_op: what a queue runner was given.
    """
    op = op_of(enqueue_op)
    if not isinstance(op, tf.Operation):  # it is the session's to say so
        return enqueue_op
    if op.type != "QueueEnqueueManyV2" or op._get_control_flow_context() is not None:
        return enqueue_op
    if not may_be_empty(_rows(op)):
        return enqueue_op
    with (
        opened(op.graph, f"{op.name}{ROW_BY_ROW}"),
        tf.device(op.device),
        unnoticed(op.graph),  # a MetaGraph would hold the contexts of the cond and the loop
    ):
        with tf.control_dependencies(op.control_inputs):
            queue, *components = map(tf.identity, op.inputs)
        return _by_what_comes(queue, components).op


def in_its_place(runner: Any, enqueue_op: Any) -> Any:
    """What a thread of a runner that has begun runs for one of its enqueue ops."""
    return getattr(runner, "_lasting", {}).get(id(enqueue_op), enqueue_op)


def _rows(op: Any) -> list[Any]:
    """The spec of each component of a row: what the queue asks for, and what is known of it."""
    queue, parts = root(op.inputs[0]).op, list(op.inputs)[1:]
    asked = list(queue.get_attr("shapes")) if is_queue(queue) else []
    if not asked:
        return [tf.TensorSpec(part.shape[1:], part.dtype) for part in parts]
    priority = [tf.TensorShape([])] * (len(parts) - len(asked))  # of which the queue does not tell
    return [
        tf.TensorSpec(_both(part.shape[1:], tf.TensorShape(shape)), part.dtype)
        for part, shape in zip(parts, [*priority, *asked], strict=True)
    ]


def _both(made: tf.TensorShape, asked: tf.TensorShape) -> tf.TensorShape:
    return made.merge_with(asked) if made.is_compatible_with(asked) else asked


def _by_what_comes(queue: Any, components: list[Any]) -> Any:
    """Rows that cannot go in, as their number differs, are left to TensorFlow's op to refuse."""
    counts = tf.stack([tf.shape(part)[0] for part in components])
    empty = tf.stack([tf.equal(tf.size(part), 0) for part in components])
    alike = tf.reduce_all(tf.equal(counts, counts[0]))

    def one_by_one() -> Any:
        def put(number: Any) -> Any:
            row = [part[number] for part in components]
            with tf.control_dependencies([_made(tf.raw_ops.QueueEnqueueV2, queue, row)]):
                return number + 1

        return tf.while_loop(
            lambda number: number < counts[0], put, [tf.constant(0)], parallel_iterations=1
        )

    def at_once() -> Any:
        with tf.control_dependencies([_made(tf.raw_ops.QueueEnqueueManyV2, queue, components)]):
            return tf.identity(counts[0])

    return tf.cond(alike & tf.reduce_any(empty), one_by_one, at_once)


def _made(kind: Any, queue: Any, components: list[Any]) -> Any:
    return kind(handle=queue, components=components)
