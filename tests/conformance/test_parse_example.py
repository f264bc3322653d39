"""io.parse_example: a vector of Examples to a batch of tensors."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import io

v1 = tf.compat.v1


def example(**features: Any) -> bytes:
    """A serialised Example of ints, floats and bytes."""
    kinds = {int: "int64_list", float: "float_list", bytes: "bytes_list"}
    proto = tf.train.Example()
    for name, values in features.items():
        getattr(proto.features.feature[name], kinds[type(values[0])]).value.extend(values)
    return proto.SerializeToString()


def test_no_features_are_refused() -> None:
    with pytest.raises(ValueError):
        io.parse_example([example(a=[1])], {})


def test_the_example_without_the_feature_is_an_error(session: Any) -> None:
    features = {"a": tf.io.FixedLenFeature([], tf.int64)}
    with pytest.raises(tf.errors.InvalidArgumentError, match="a"):
        session.run(io.parse_example([example(a=[1]), example(b=[1])], features))


def test_example_names_are_in_the_error(session: Any) -> None:
    features = {"a": tf.io.FixedLenFeature([], tf.int64)}
    parsed = io.parse_example([example(b=[1])], features, example_names=["the-first"])
    with pytest.raises(tf.errors.InvalidArgumentError, match="the-first"):
        session.run(parsed)


def test_dense_features_get_a_leading_dimension(session: Any) -> None:
    features = {"a": tf.io.FixedLenFeature([2], tf.int64)}
    parsed = io.parse_example([example(a=[1, 2]), example(a=[3, 4])], features)
    assert parsed["a"].shape.as_list() == [2, 2]
    assert session.run(parsed)["a"].tolist() == [[1, 2], [3, 4]]


def test_sparse_features_get_a_row_per_example(session: Any) -> None:
    features = {"tags": tf.io.VarLenFeature(tf.string)}
    serialized = [example(a=[1]), example(tags=[b"x", b"y"])]
    tags = session.run(io.parse_example(serialized, features))["tags"]
    assert tags.indices.tolist() == [[1, 0], [1, 1]]
    assert tags.dense_shape.tolist() == [2, 2]


def test_what_has_no_shape_is_a_vector_as_it_was(session: Any) -> None:
    serialized = v1.placeholder(tf.string)
    features = {"a": tf.io.FixedLenFeature([2], tf.int64), "tags": tf.io.VarLenFeature(tf.string)}
    parsed = io.parse_example(serialized, features)
    assert parsed["a"].shape.as_list() == [None, 2]  # as in 1.15.5
    assert parsed["tags"].indices.shape.as_list() == [None, 2]
    one = example(a=[1, 2])
    assert session.run(parsed["a"], {serialized: [one]}).tolist() == [[1, 2]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(parsed["a"], {serialized: one})
