"""Unpacks bytes that were compressed or encoded as text.

Legacy:
    reader = tf.TextLineReader()
    _, line = reader.read(tf.train.string_input_producer(["a.base64"], num_epochs=1))
    text = tf.decode_base64(line)

Modern:
    dataset = tf.data.TextLineDataset("a.base64").map(tf.io.decode_base64)

Emits:
    string, the shape of the input

Differs:
    The same ops in both forms; they take any number of strings at once.

Raises:
    InvalidArgumentError or DataLossError: the bytes are not of that encoding.

Source:
    tf.decode_base64 and tf.io.decode_compressed of TensorFlow 1.15
"""

from __future__ import annotations

import tensorflow as tf

decode_base64 = tf.io.decode_base64
"""Decodes web-safe base64; TensorFlow's own."""

decode_compressed = tf.io.decode_compressed
"""Decompresses GZIP or ZLIB strings; TensorFlow's own."""

parse_tensor = tf.io.parse_tensor
"""Restores a tensor that `serialize_tensor` wrote; TensorFlow's own."""
