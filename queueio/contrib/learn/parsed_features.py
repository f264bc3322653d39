"""Keeps batches of parsed features ready in a queue.

Legacy:
    records = tf.contrib.learn.read_batch_examples(
        "a.examples", 2, tf.TFRecordReader, randomize_input=False, num_epochs=1)
    parsed = tf.parse_example(records, {"x": tf.FixedLenFeature([], tf.int64)})
    _, features = tf.contrib.learn.io.queue_parsed_features(parsed, num_enqueue_threads=1)
    x = features["x"]

Modern:
    features = {"x": tf.io.FixedLenFeature([], tf.int64)}
    records = tf.data.TFRecordDataset("a.examples").batch(2)
    dataset = records.map(lambda r: tf.io.parse_example(r, features)["x"]).prefetch(100)

Emits:
    the features' dtypes and shapes

Differs:
    Two threads parse by default, and then the order of the batches is a matter of luck; `map` with
    num_parallel_calls keeps it. A sparse feature travels as its three tensors.

Raises:
    OutOfRangeError: at the dequeue after the last batch.

The queue is a FIFO whose capacity counts batches. Its runner takes a cancelled input for the end.

Source:
    tf.contrib.learn.io.queue_parsed_features of TensorFlow 1.15
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.graph.summaries import fraction_full, per_place
from queueio.runtime.threads.queue_runner import QueueRunner
from queueio.runtime.threads.start import add_queue_runner
from queueio.stages.queues.fifo import FIFOQueue

v1 = tf.compat.v1

_CLOSED = (tf.errors.OutOfRangeError, tf.errors.CancelledError)


def queue_parsed_features(
    parsed_features: dict[str, Any],
    keys: Any = None,
    feature_queue_capacity: int = 100,
    num_enqueue_threads: int = 2,
    name: str | None = None,
) -> tuple[Any, dict[str, Any]]:
    """Keeps batches of parsed features ready in a queue.

    Args:
      parsed_features: tensors and sparse tensors by their names.
      keys: the keys of the examples, a string vector; or None.
      feature_queue_capacity: how many batches the queue holds.
      num_enqueue_threads: how many threads parse. With more than one the order is not defined.
      name: name of the scope (default "queue_parsed_features").

    Returns:
      A pair: keys like `keys` (or None), and a dict like `parsed_features`.
    """
    names = sorted(parsed_features)
    tensors = [part for key in names for part in _parts(parsed_features[key])]
    with v1.name_scope(name, "queue_parsed_features", tensors):
        queued = _through_queue(
            [*tensors, *([] if keys is None else [keys])],
            feature_queue_capacity,
            num_enqueue_threads,
        )
        rest = iter(queued)
        features = {key: _again(parsed_features[key], rest) for key in names}
        return next(rest, None), features


def _through_queue(tensors: list[Any], capacity: int, threads: int) -> list[Any]:
    queue = FIFOQueue(capacity, [tensor.dtype for tensor in tensors])
    fraction = tf.cast(queue.size(), tf.float32) * per_place(capacity)
    v1.summary.scalar(f"queue/parsed_features/{queue.name}/{fraction_full(capacity)}", fraction)
    enqueues = [queue.enqueue(tensors) for _ in range(threads)]
    add_queue_runner(QueueRunner(queue, enqueues, queue_closed_exception_types=_CLOSED))
    taken = queue.dequeue()
    taken = taken if isinstance(taken, list) else [taken]
    for tensor, before in zip(taken, tensors, strict=True):
        tensor.set_shape(before.shape)
    return taken


def _parts(value: Any) -> list[Any]:
    if isinstance(value, tf.SparseTensor):
        return [value.indices, value.values, value.dense_shape]
    return [value]


def _again(value: Any, taken: Any) -> Any:
    """What was taken apart for the queue, put together of what came out."""
    if isinstance(value, tf.SparseTensor):
        return tf.SparseTensor(next(taken), next(taken), next(taken))
    return next(taken)
