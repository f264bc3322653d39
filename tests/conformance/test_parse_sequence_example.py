"""io.parse_sequence_example: a vector of SequenceExamples to padded tensors."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import io

v1 = tf.compat.v1
CONTEXT = {"length": tf.io.FixedLenFeature([], tf.int64)}
SEQUENCE = {"tokens": tf.io.FixedLenSequenceFeature([], tf.int64)}


def sequence_example(*tokens: int) -> bytes:
    proto = tf.train.SequenceExample()
    proto.context.feature["length"].int64_list.value.append(len(tokens))
    for token in tokens:
        step = proto.feature_lists.feature_list["tokens"].feature.add()
        step.int64_list.value.append(token)
    return proto.SerializeToString()


def test_no_features_are_refused() -> None:
    with pytest.raises(ValueError):
        io.parse_sequence_example([sequence_example(1)])


def test_steps_are_padded_and_their_lengths_given(session: Any) -> None:
    serialized = [sequence_example(1), sequence_example(2, 3)]
    context, steps, lengths = session.run(io.parse_sequence_example(serialized, CONTEXT, SEQUENCE))
    assert context["length"].tolist() == [1, 2]
    assert steps["tokens"].tolist() == [[1, 0], [2, 3]]
    assert lengths["tokens"].tolist() == [1, 2]
