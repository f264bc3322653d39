"""Reads bytes as numbers.

Legacy:
    reader = tf.FixedLengthRecordReader(record_bytes=7)
    _, record = reader.read(tf.train.string_input_producer(["a.bin"], num_epochs=1))
    numbers = tf.decode_raw(record, tf.uint8)

Modern:
    records = tf.data.FixedLengthRecordDataset("a.bin", record_bytes=7)
    dataset = records.map(lambda record: tf.io.decode_raw(record, tf.uint8))

Emits:
    the dtype asked for, shape (None,): the length is only known at run time

Differs:
    The same op in both forms, and both lose the static length: call set_shape, or reshape, before
    a batch. Several records of equal length decode in one call.

Raises:
    InvalidArgumentError: the number of bytes is not a multiple of the dtype's size.

Source:
    tf.decode_raw of TensorFlow 1.15
"""

from __future__ import annotations

import tensorflow as tf

OPS = frozenset({"DecodeRaw", "DecodePaddedRaw"})
"""The ops that decode so."""

decode_raw = tf.compat.v1.decode_raw
"""Reinterprets the bytes of strings as numbers; TensorFlow's own."""
