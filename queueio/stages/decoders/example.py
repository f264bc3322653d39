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

from typing import Any

import tensorflow as tf

OPS = frozenset({
    "ParseExample", "ParseExampleV2", "ParseSingleExample", "ParseSequenceExample",
    "ParseSequenceExampleV2", "ParseSingleSequenceExample",
})  # fmt: skip
"""The ops that decode so."""

v1 = tf.compat.v1

parse_single_example = v1.parse_single_example
"""Parses one serialized Example; TensorFlow's own."""

parse_single_sequence_example = v1.parse_single_sequence_example
"""Parses one serialized SequenceExample into context and sequence features; TensorFlow's own."""

parse_sequence_example = tf.io.parse_sequence_example
"""Parses a vector of serialized SequenceExamples; TensorFlow's own."""

decode_json_example = tf.io.decode_json_example
"""Converts Examples in JSON to their binary form; TensorFlow's own."""


def parse_example(
    serialized: Any, features: dict[str, Any], name: str | None = None, example_names: Any = None
) -> dict[str, Any]:
    """Parses a vector of serialized Examples, by TensorFlow's own function.

    Args:
      serialized: a string vector. Of unknown shape it is taken for one, as TF1's op took it;
        today's takes a scalar, too, and then knows no shape of any feature.
      features: `FixedLenFeature`, `VarLenFeature` … by name.
      name: name of the scope (default "ParseExample").
      example_names: a string vector, for errors.

    Returns:
      A tensor or sparse tensor for each feature, with a leading dimension for the Examples.

    Raises:
      InvalidArgumentError: at run time, for what is no vector, and for a feature that is missing or
        of another dtype or size.
    """
    if tf.is_tensor(serialized) and serialized.shape.rank is None:
        # Not a name that the program's own ops would have got.
        serialized = tf.ensure_shape(serialized, [None], f"{name or 'ParseExample'}_serialized")
    parsed: dict[str, Any] = v1.parse_example(serialized, features, name, example_names)
    return parsed
