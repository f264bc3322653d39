"""Opens a file for reading in whole blocks: how long it is, and what is left over at its end."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf


def power_of_two(most: int) -> int:
    """The largest one up to `most`: chunks of such sizes are put together without copying."""
    return 1 << (max(most, 1).bit_length() - 1)


def measure(
    name: tf.Tensor, header: int, footer: int, record: int, block: int
) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """Returns (size, full, tail) of a file: its bytes, the bytes in whole blocks, the rest.

    Between `header` and `footer` a file holds records of `record` bytes; what is less than a
    record at the end is not counted. `block` is a multiple of `record`. Raises NotFound, when it
    runs, if there is no such file.
    """

    def ends(name: bytes) -> Any:
        return _ends(name.decode(), header, footer, record, block)

    size, full, tail = tf.numpy_function(
        ends, [name], (tf.int64, tf.int64, tf.string), stateful=False
    )
    # Reading what cannot be read raises TensorFlow's own error for it.
    size = tf.cond(size < 0, lambda: _length(tf.io.read_file(name)), lambda: size)
    return (tf.ensure_shape(size, []), tf.ensure_shape(full, []), tf.ensure_shape(tail, []))


def _ends(name: str, header: int, footer: int, record: int, block: int) -> Any:
    # tf.data cannot seek: a reader that skips reads what it skips. One seek here is cheaper.
    try:
        size = tf.io.gfile.stat(name).length
        whole = max(size - header - footer, 0) // record * record
        full = whole // block * block
        with tf.io.gfile.GFile(name, "rb") as file:
            file.seek(header + full)
            return np.int64(size), np.int64(full), file.read(whole - full)
    except tf.errors.OpError:
        return np.int64(-1), np.int64(0), b""


def full_blocks(
    name: tf.Tensor, size: tf.Tensor, full: tf.Tensor, header: int, block: int
) -> tf.data.Dataset:
    """The whole blocks of a file, as strings."""
    after = size - header - full
    data = tf.data.FixedLengthRecordDataset(
        name, block, header_bytes=header, footer_bytes=tf.where(full > 0, after, 0)
    )
    return data.take(full // block)


def _length(content: tf.Tensor) -> tf.Tensor:
    return tf.cast(tf.strings.length(content), tf.int64)


def rows_at_once(name: tf.Tensor, most: int, total: int) -> tf.Tensor:
    """How many records of an uncompressed TFRecord file to hold: `total` bytes, `most` records.

    The file's first record stands for all. Raises NotFound, when it runs, if there is no file.
    """

    def rows(name: bytes) -> Any:
        try:
            with tf.io.gfile.GFile(name.decode(), "rb") as file:
                length = int.from_bytes(file.read(8), "little")
        except tf.errors.OpError:
            return np.int64(0)
        return np.int64(power_of_two(min(most, total // max(length, 1))))

    found = tf.numpy_function(rows, [name], tf.int64, stateful=False)
    # Raised here, an error is raised once; the dataset of a missing file would try for ever.
    found = tf.cond(found < 1, lambda: _length(tf.io.read_file(name)), lambda: found)
    return tf.ensure_shape(found, [])
