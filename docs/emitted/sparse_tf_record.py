"""The input pipeline of programs.py in tf.data, in place of its queues.

Written by queueio 0.1.0; needs TensorFlow only.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import tensorflow as tf


def parse_record(record: tf.Tensor, keep: Any) -> tuple[dict[str, Any], tf.Tensor]:
    """From record to the tensors of an example (programs.py:92-93)."""
    examples = tf.io.parse_single_example(
        record,
        {
            "tags": tf.io.VarLenFeature(tf.string),
            "label": tf.io.FixedLenFeature([], tf.int64),
            "weights": tf.io.FixedLenFeature([2], tf.float32),
        },
    )
    return (
        {
            "label": examples["label"],
            "tags": examples["tags"],
            "weights": examples["weights"],
        },
        keep,
    )


def input_fn(
    files: Sequence[str] = ("data/examples-0.tfrecord", "data/examples-1.tfrecord"),
    batch_size: int = 7,
    num_epochs: int | None = 2,
    keep: bool = True,
) -> tf.data.Dataset:
    """The examples, in batches as the training step took them.

    Args:
      files: the files to read.
      batch_size: examples in a batch.
      num_epochs: how often the data is read; None for without end.
      keep: value of the placeholder 'PlaceholderWithDefault' of the old graph;
        its queues had the default.

    Returns:
      A dataset of label: int64 (7,), tags: sparse string (7, None), weights:
        float32 (7, 2).
    """
    # programs.py:83: queue = tf.train.string_input_producer(
    dataset = tf.data.Dataset.from_tensor_slices(list(files))
    dataset = dataset.repeat(num_epochs)

    # programs.py:91: readers = [tf.TFRecordReader().read(queue) for _ in range(2)]
    # The readers take turns here; which came first was a race there.
    dataset = dataset.interleave(tf.data.TFRecordDataset, cycle_length=2)

    # programs.py:93: keep = tf.placeholder_with_default(True, [])
    dataset = dataset.map(
        functools.partial(parse_record, keep=tf.convert_to_tensor(keep, tf.bool)),
        num_parallel_calls=tf.data.AUTOTUNE,
    )

    # programs.py:94: return tf.train.maybe_batch_join(examples, keep, 7)
    dataset = dataset.filter(lambda _, keep: keep)
    dataset = dataset.map(lambda example, _: example)

    # A last batch that is not full is left out, as before.
    dataset = dataset.batch(batch_size, drop_remainder=True)

    return dataset.prefetch(tf.data.AUTOTUNE)
