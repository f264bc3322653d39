"""The input pipeline of tutorial_pipelines.py in tf.data, in place of its queues.

Written by queueio 0.1.0; needs TensorFlow only.
"""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf


def parse_record(record: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """From record to the tensors of an example (tutorial_pipelines.py:90-98)."""
    numbers = tf.io.decode_raw(record, tf.uint8)
    channels = tf.reshape(numbers[1:3073], [3, 32, 32])
    image = tf.cast(tf.transpose(channels, [1, 2, 0]), tf.float32)
    image = tf.image.random_crop(image, [24, 24, 3])
    image = tf.image.random_flip_left_right(image)
    image = tf.image.random_brightness(image, max_delta=63.0)
    image = tf.image.random_contrast(image, lower=0.2, upper=1.8)
    image = tf.image.per_image_standardization(image)
    label = tf.cast(numbers[:1], tf.int32)
    return image, tf.ensure_shape(label, [1])


def input_fn(
    files: Sequence[str] = (
        "data_batch_1.bin",
        "data_batch_2.bin",
        "data_batch_3.bin",
        "data_batch_4.bin",
        "data_batch_5.bin",
    ),
    batch_size: int = 128,
    num_epochs: int | None = None,
    shuffle_buffer: int = 1384,
    seed: int | None = None,
) -> tf.data.Dataset:
    """The examples, in batches as the training step took them.

    Args:
      files: the files to read.
      batch_size: examples in a batch.
      num_epochs: how often the data is read; None for without end.
      shuffle_buffer: examples to draw from; the queue held 1000 to 1384.
      seed: seed of the shuffling; None for another order in each run.

    Returns:
      A dataset of float32 (128, 24, 24, 3), int32 (128, 1).
    """
    # tutorial_pipelines.py:88: names = tf.train.string_input_producer(files)
    # Shuffled as a whole and anew in each epoch, as before.
    dataset = tf.data.Dataset.from_tensor_slices(list(files))
    dataset = dataset.shuffle(len(files), seed=seed)
    dataset = dataset.repeat(num_epochs)

    # tutorial_pipelines.py:89: _, record = tf.FixedLengthRecordReader(RECORD_BYTES).r …
    # A file that ends inside a record raises here; the reader dropped it.
    dataset = dataset.flat_map(
        lambda file: tf.data.FixedLengthRecordDataset(file, record_bytes=3073)
    )

    # tutorial_pipelines.py:91: label = tf.cast(tf.strided_slice(numbers, [0], [1]), …
    # Random numbers are drawn anew for each example, as before; the numbers themselves
    # are others.
    dataset = dataset.map(parse_record, num_parallel_calls=tf.data.AUTOTUNE)

    # tutorial_pipelines.py:100: return tf.train.shuffle_batch(
    # Examples mix across the borders of epochs, as they did in the queue.
    dataset = dataset.shuffle(shuffle_buffer, seed=seed)

    # A last batch that is not full is left out, as before.
    dataset = dataset.batch(batch_size, drop_remainder=True)

    return dataset.prefetch(tf.data.AUTOTUNE)
