"""Reads Examples of files into batches and parses each batch in threads of its own.

Legacy:
    features = tf.contrib.learn.read_batch_record_features(
        "a.examples", 2, {"x": tf.FixedLenFeature([], tf.int64)},
        randomize_input=False, num_epochs=1, queue_capacity=9)
    x = features["x"]

Modern:
    features = {"x": tf.io.FixedLenFeature([], tf.int64)}
    records = tf.data.TFRecordDataset("a.examples").batch(2)
    dataset = records.map(lambda r: tf.io.parse_example(r, features)["x"]).prefetch(100)

Emits:
    per feature what `tf.parse_example` gives of a batch: [batch_size, …], or sparse

Differs:
    A reader takes read_batch_size records at once, by default a whole batch of them. Two threads
    parse by default (num_enqueue_threads), so the order of the batches is a matter of luck even
    with randomize_input=False.

Raises:
    ValueError: what `read_batch_examples` raises.
    OutOfRangeError: after the last batch of the last epoch.

The two queues are those of `read_batch_examples` and `queue_parsed_features`, in one scope.

Source:
    tf.contrib.learn.read_batch_features, read_batch_record_features, read_keyed_batch_features
    and read_keyed_batch_features_shared_queue of TensorFlow 1.15
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from queueio.contrib.learn.parsed_features import queue_parsed_features
from queueio.contrib.learn.read_examples import (
    read_keyed_batch_examples,
    read_keyed_batch_examples_shared_queue,
)
from queueio.stages.readers.tf_record import TFRecordReader

v1 = tf.compat.v1


def read_keyed_batch_features(
    file_pattern: Any,
    batch_size: Any,
    features: dict[str, Any],
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    reader_num_threads: int = 1,
    feature_queue_capacity: int = 100,
    num_enqueue_threads: int = 2,
    parse_fn: Callable[[Any], Any] | None = None,
    name: str | None = None,
    read_batch_size: int | None = None,
) -> tuple[Any, dict[str, Any]]:
    """Reads Examples into batches, parses them, and gives their keys besides.

    Args:
      file_pattern: a file, a pattern, or a list of them.
      batch_size: how many examples make a batch.
      features: `FixedLenFeature`, `VarLenFeature` … by name, as `tf.parse_example` takes them.
      reader: what gives a reader when called: a class such as `tf.TFRecordReader`.
      randomize_input: whether names and examples are shuffled.
      num_epochs: how often the files are read; None for ever.
      queue_capacity: how many serialised examples the first queue holds.
      reader_num_threads: how many readers there are.
      feature_queue_capacity: how many parsed batches the second queue holds.
      num_enqueue_threads: how many threads parse.
      parse_fn: what makes a serialised Example of a record.
      name: name of the scope (default "read_batch_features").
      read_batch_size: how many records a reader takes at once (default `batch_size`).

    Returns:
      A pair: the keys, a string vector, and the features by name.

    Raises:
      ValueError: as `read_batch_examples`.
    """
    with v1.name_scope(name, "read_batch_features", [file_pattern]) as scope:
        keys, examples = read_keyed_batch_examples(
            file_pattern,
            batch_size,
            reader,
            randomize_input=randomize_input,
            num_epochs=num_epochs,
            queue_capacity=queue_capacity,
            num_threads=reader_num_threads,
            read_batch_size=batch_size if read_batch_size is None else read_batch_size,
            parse_fn=parse_fn,
            name=scope,
        )
        parsed = v1.parse_example(examples, features)
        return queue_parsed_features(
            parsed, keys, feature_queue_capacity, num_enqueue_threads, name=scope
        )


def read_keyed_batch_features_shared_queue(
    file_pattern: Any,
    batch_size: Any,
    features: dict[str, Any],
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    reader_num_threads: int = 1,
    feature_queue_capacity: int = 100,
    num_queue_runners: int = 2,
    parse_fn: Callable[[Any], Any] | None = None,
    name: str | None = None,
) -> tuple[Any, dict[str, Any]]:
    """Does the same; which file is next is kept in global variables.

    Args: those of `read_keyed_batch_features`; `num_queue_runners` is how many threads parse.

    Returns:
      A pair: the keys, a string vector, and the features by name.

    Raises:
      ValueError: as `read_keyed_batch_examples_shared_queue`.
    """
    with v1.name_scope(name, "read_batch_features", [file_pattern]) as scope:
        keys, examples = read_keyed_batch_examples_shared_queue(
            file_pattern,
            batch_size,
            reader,
            randomize_input=randomize_input,
            num_epochs=num_epochs,
            queue_capacity=queue_capacity,
            num_threads=reader_num_threads,
            read_batch_size=batch_size,
            parse_fn=parse_fn,
            name=scope,
        )
        parsed = v1.parse_example(examples, features)
        return queue_parsed_features(
            parsed, keys, feature_queue_capacity, num_queue_runners, name=scope
        )


def read_batch_features(
    file_pattern: Any,
    batch_size: Any,
    features: dict[str, Any],
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    feature_queue_capacity: int = 100,
    reader_num_threads: int = 1,
    num_enqueue_threads: int = 2,
    parse_fn: Callable[[Any], Any] | None = None,
    name: str | None = None,
    read_batch_size: int | None = None,
) -> dict[str, Any]:
    """Reads Examples into batches and parses them.

    Args: those of `read_keyed_batch_features`, in another order.

    Returns:
      The features by name.

    Raises:
      ValueError: as `read_batch_examples`.
    """
    return read_keyed_batch_features(
        file_pattern,
        batch_size,
        features,
        reader,
        randomize_input=randomize_input,
        num_epochs=num_epochs,
        queue_capacity=queue_capacity,
        reader_num_threads=reader_num_threads,
        feature_queue_capacity=feature_queue_capacity,
        num_enqueue_threads=num_enqueue_threads,
        parse_fn=parse_fn,
        name=name,
        read_batch_size=read_batch_size,
    )[1]


def read_batch_record_features(
    file_pattern: Any,
    batch_size: Any,
    features: dict[str, Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    reader_num_threads: int = 1,
    name: str | None = "dequeue_record_examples",
) -> dict[str, Any]:
    """Reads Examples of TFRecord files into batches and parses them.

    Args: those of `read_keyed_batch_features`.

    Returns:
      The features by name.

    Raises:
      ValueError: as `read_batch_examples`.
    """
    return read_batch_features(
        file_pattern,
        batch_size,
        features,
        TFRecordReader,
        randomize_input=randomize_input,
        num_epochs=num_epochs,
        queue_capacity=queue_capacity,
        reader_num_threads=reader_num_threads,
        name=name,
    )
