"""io.parse_single_example: one Example to tensors."""

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
        io.parse_single_example(example(a=[1]), {})


def test_a_shape_with_an_unknown_dimension_is_refused() -> None:
    with pytest.raises(ValueError, match="shape"):
        io.parse_single_example("", {"a": tf.io.FixedLenFeature([None], tf.int64)})


@pytest.mark.parametrize(
    ("feature", "word"),
    [
        (tf.io.FixedLenFeature([], tf.float32), "a"),
        (tf.io.FixedLenFeature([3], tf.int64), "a"),
    ],
)
def test_another_dtype_or_shape_is_refused(session: Any, feature: Any, word: str) -> None:
    parsed = io.parse_single_example(example(a=[1, 2]), {"a": feature})
    with pytest.raises(tf.errors.InvalidArgumentError, match=word):
        session.run(parsed)


def test_a_feature_without_a_default_must_be_there(session: Any) -> None:
    parsed = io.parse_single_example(example(a=[1]), {"b": tf.io.FixedLenFeature([], tf.int64)})
    with pytest.raises(tf.errors.InvalidArgumentError, match="b"):
        session.run(parsed)


def test_what_is_no_example_is_refused(session: Any) -> None:
    parsed = io.parse_single_example("nonsense", {"a": tf.io.FixedLenFeature([], tf.int64)})
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(parsed)


def test_dense_sparse_and_default_features(session: Any) -> None:
    features = {
        "scalar": tf.io.FixedLenFeature([], tf.int64),
        "pair": tf.io.FixedLenFeature([2], tf.float32),
        "absent": tf.io.FixedLenFeature([1], tf.string, default_value=["none"]),
        "tags": tf.io.VarLenFeature(tf.string),
        "walk": tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True),
    }
    serialized = example(scalar=[4], pair=[1.5, 2.5], tags=[b"x", b"y"], walk=[1, 2, 3])
    parsed = session.run(io.parse_single_example(serialized, features))
    assert (parsed["scalar"], parsed["pair"].tolist()) == (4, [1.5, 2.5])
    assert parsed["absent"].tolist() == [b"none"]
    assert (parsed["tags"].indices.tolist(), parsed["tags"].values.tolist()) == (
        [[0], [1]],
        [b"x", b"y"],
    )
    assert parsed["walk"].tolist() == [1, 2, 3]


def test_static_shapes_are_those_of_the_features() -> None:
    features = {"a": tf.io.FixedLenFeature([2, 3], tf.int64)}
    serialized = v1.placeholder(tf.string, [])
    assert io.parse_single_example(serialized, features)["a"].shape.as_list() == [2, 3]
