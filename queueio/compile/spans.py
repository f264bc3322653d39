"""Reads stretches of a file, given by offset and length."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf


def file_size(name: tf.Tensor) -> tf.Tensor:
    """Bytes of a file, a scalar int64 tensor; raises NotFound when it runs if there is none."""
    size = tf.numpy_function(_stat, [name], tf.int64, stateful=False)
    size = tf.ensure_shape(size, [])
    # Reading the file that cannot be read raises TensorFlow's own error for it.
    return tf.cond(size < 0, lambda: _length_by_reading(name), lambda: size)


def _stat(name: bytes) -> Any:
    try:
        return np.int64(tf.io.gfile.stat(name.decode()).length)
    except tf.errors.OpError:
        return np.int64(-1)


def _length_by_reading(name: tf.Tensor) -> tf.Tensor:
    return tf.cast(tf.strings.length(tf.io.read_file(name)), tf.int64)


def spans(
    name: tf.Tensor, content: tf.Tensor | None, size: tf.Tensor, wanted: tf.data.Dataset
) -> tf.data.Dataset:
    """Reads the stretches of one file.

    Args:
      name: the file.
      content: its bytes, when they had to be decoded anyway; otherwise None.
      size: its length in bytes.
      wanted: tuples (offset, length, *rest) of int64 scalars, length above 0.

    Returns:
      A dataset of tuples (data, *rest).
    """
    if content is not None:
        return wanted.map(lambda at, n, *rest: (tf.strings.substr(content, at, n), *rest))

    def read(at: tf.Tensor, length: tf.Tensor, *rest: tf.Tensor) -> tf.data.Dataset:
        after = size - at - length
        data = tf.data.FixedLengthRecordDataset(
            name, length, header_bytes=at, footer_bytes=after, buffer_size=0
        )
        return tf.data.Dataset.zip((data, *(tf.data.Dataset.from_tensors(r) for r in rest)))

    return wanted.flat_map(read)
