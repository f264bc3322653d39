"""io.parse_tensor: a serialised TensorProto to a tensor."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import io


def test_what_is_no_proto_is_refused(session: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(io.parse_tensor("nonsense", tf.int32))


def test_another_dtype_is_refused(session: Any) -> None:
    proto = tf.make_tensor_proto([1, 2], tf.int32).SerializeToString()
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(io.parse_tensor(proto, tf.float32))


def test_the_tensor_comes_back(session: Any) -> None:
    proto = tf.make_tensor_proto([[1, 2], [3, 4]], tf.int32).SerializeToString()
    tensor = io.parse_tensor(proto, tf.int32, name="parsed")
    assert tensor.op.name == "parsed" and tensor.shape.rank is None
    assert session.run(tensor).tolist() == [[1, 2], [3, 4]]
