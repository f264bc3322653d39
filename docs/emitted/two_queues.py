"""The input pipeline in tf.data, in place of its queues.

Written by queueio 0.1.0; needs TensorFlow only.
"""

from __future__ import annotations

import tensorflow as tf


def input_fn(
    batch_size: int = 4,
    batch_size_2: int = 3,
    num_epochs: int | None = 1,
    shuffle_buffer: int = 20,
    seed: int | None = None,
) -> tf.data.Dataset:
    """The examples, in batches as the training step took them.

    Args:
      batch_size: examples in a batch.
      batch_size_2: examples in a batch on the way.
      num_epochs: how often the data is read; None for without end.
      shuffle_buffer: examples to draw from; the queue held 4 to 20.
      seed: seed of the shuffling; None for another order in each run.

    Returns:
      A dataset of int32 (4,).
    """
    # registry.py:67: return tf.train.range_input_producer(
    dataset = tf.data.Dataset.range(12, output_type=tf.int32)
    dataset = dataset.repeat(num_epochs)

    # shuffling.py:61: mixed = tf.train.shuffle_batch([numbers(tf, 12)], 3, 20, 4)
    # Examples mix across the borders of epochs, as they did in the queue.
    dataset = dataset.shuffle(shuffle_buffer, seed=seed)

    # A last batch that is not full is left out, as before.
    dataset = dataset.batch(batch_size_2, drop_remainder=True)

    # shuffling.py:62: return tf.train.batch([mixed], 4, capacity=5, enqueue_many=True)
    dataset = dataset.unbatch()

    # A last batch that is not full is left out, as before.
    dataset = dataset.batch(batch_size, drop_remainder=True)

    return dataset.prefetch(tf.data.AUTOTUNE)
