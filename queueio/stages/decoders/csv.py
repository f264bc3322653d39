"""Splits a line into typed columns.

Legacy:
    reader = tf.TextLineReader()
    _, line = reader.read(tf.train.string_input_producer(["a.csv"], num_epochs=1))
    name, number = tf.decode_csv(line, record_defaults=[[""], [0]])

Modern:
    lines = tf.data.TextLineDataset("a.csv")
    columns = lines.batch(2).map(lambda rows: tuple(tf.io.decode_csv(rows, [[""], [0]])))
    dataset = columns.unbatch()

Emits:
    per column the dtype of its default, shape ()

Differs:
    The same op in both forms. It takes a whole batch of lines at once: decode after `batch`, and
    the cost per call is paid once for all of them.

Raises:
    InvalidArgumentError: a row has another number of columns, or a field is not a number.
    queueio names the file, the line, the column and the text.

An empty field takes its column's default; a default of shape (0,) makes the column required.

Source:
    tf.decode_csv of TensorFlow 1.15
"""

from __future__ import annotations

import tensorflow as tf

OPS = frozenset({"DecodeCSV"})
"""The ops that decode so."""

decode_csv = tf.compat.v1.decode_csv
"""Converts CSV records to tensors, one for each column; TensorFlow's own."""
