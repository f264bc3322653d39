"""Takes the features out of a serialized tf.train.Example.

Legacy:
    reader = tf.TFRecordReader()
    _, record = reader.read(tf.train.string_input_producer(["a.examples"], num_epochs=1))
    features = tf.parse_single_example(record, {"x": tf.FixedLenFeature([], tf.int64)})
    x = features["x"]

Modern:
    spec = {"x": tf.io.FixedLenFeature([], tf.int64)}
    records = tf.data.TFRecordDataset("a.examples")
    dataset = records.batch(2).map(lambda rows: tf.io.parse_example(rows, spec)["x"]).unbatch()

Emits:
    per feature its dtype and shape; a SparseTensor for VarLenFeature

Differs:
    `parse_example` takes a batch of records in one call and costs little more than one record
    does: parse after `batch`.

Raises:
    InvalidArgumentError: a feature is missing, or of another dtype or size.

Source:
    tf.parse_single_example of TensorFlow 1.15
"""

from __future__ import annotations

import tensorflow as tf

OPS = frozenset({
    "ParseExample", "ParseExampleV2", "ParseSingleExample", "ParseSequenceExample",
    "ParseSequenceExampleV2", "ParseSingleSequenceExample",
})  # fmt: skip
"""The ops that decode so."""

v1 = tf.compat.v1

parse_example = v1.parse_example
"""Parses a vector of serialized Examples; TensorFlow's own."""

parse_single_example = v1.parse_single_example
"""Parses one serialized Example; TensorFlow's own."""

parse_single_sequence_example = v1.parse_single_sequence_example
"""Parses one serialized SequenceExample into context and sequence features; TensorFlow's own."""

parse_sequence_example = tf.io.parse_sequence_example
"""Parses a vector of serialized SequenceExamples; TensorFlow's own."""

decode_json_example = tf.io.decode_json_example
"""Converts Examples in JSON to their binary form; TensorFlow's own."""
