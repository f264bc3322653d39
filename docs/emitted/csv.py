"""The input pipeline of programs.py in tf.data, in place of its queues.

Written by queueio 0.1.0; needs TensorFlow only.
"""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf


def lines_of(file: tf.Tensor) -> tf.data.Dataset:
    """The lines of a file, which is read whole, byte for byte.

    TextLineDataset would drop every carriage return, not only those that end a line.
    """
    lines = tf.strings.split(tf.io.read_file(file), "\n")
    nothing = tf.reduce_any(tf.equal(lines[-1], ["", "\r"]))  # after the last line end
    count = tf.size(lines) - tf.cast(nothing, tf.int32)
    lines = tf.strings.regex_replace(lines[:count], "\r$", "")
    return tf.data.Dataset.from_tensor_slices(lines)


def parse_line(line: tf.Tensor) -> dict[str, tf.Tensor]:
    """From line to features, label (programs.py:31-33)."""
    width, height, kind = tf.io.decode_csv(line, [[0.0], [0.0], [""]])
    features = tf.stack([width, height])
    label = tf.cast(tf.equal(kind, "rose"), tf.int64)
    return {"features": features, "label": label}


def input_fn(
    files: Sequence[str] = ("data/flowers-0.csv", "data/flowers-1.csv"),
    batch_size: int = 6,
    num_epochs: int | None = 2,
    shuffle_buffer: int = 20,
    seed: int | None = None,
) -> tf.data.Dataset:
    """The examples, in batches as the training step took them.

    Args:
      files: the files to read.
      batch_size: examples in a batch.
      num_epochs: how often the data is read; None for without end.
      shuffle_buffer: examples to draw from; the queue held 5 to 20.
      seed: seed of the shuffling; None for another order in each run.

    Returns:
      A dataset of features: float32 (6, 2), label: int64 (6,).
    """
    # Faster, with the same examples: shuffle and batch first, then parse a whole batch
    # in one call (--style fast writes that form).

    # programs.py:28: queue = tf.train.string_input_producer(["data/flowers-0.csv", …
    # Shuffled as a whole and anew in each epoch, as before.
    dataset = tf.data.Dataset.from_tensor_slices(list(files))
    dataset = dataset.shuffle(len(files), seed=seed)
    dataset = dataset.repeat(num_epochs)

    # programs.py:30: _, line = reader.read(queue)
    dataset = dataset.flat_map(lambda file: lines_of(file).skip(1))

    # programs.py:33: label = tf.cast(tf.equal(kind, "rose"), tf.int64)
    dataset = dataset.map(parse_line, num_parallel_calls=tf.data.AUTOTUNE)

    # programs.py:34: return tf.train.shuffle_batch(
    # Examples mix across the borders of epochs, as they did in the queue.
    dataset = dataset.shuffle(shuffle_buffer, seed=seed)

    # A last batch that is not full is left out, as before.
    dataset = dataset.batch(batch_size, drop_remainder=True)

    return dataset.prefetch(tf.data.AUTOTUNE)
