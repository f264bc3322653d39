"""io.decode_json_example: JSON to a serialised Example."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import io


def test_what_is_no_json_is_refused(session: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(io.decode_json_example("{nonsense"))


def test_the_example_can_be_parsed(session: Any) -> None:
    text = '{"features": {"feature": {"a": {"int64List": {"value": ["3", "4"]}}}}}'
    example = tf.train.Example.FromString(session.run(io.decode_json_example(text)))
    assert list(example.features.feature["a"].int64_list.value) == [3, 4]
