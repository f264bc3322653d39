"""io.parse_single_sequence_example: one SequenceExample to tensors."""

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
        io.parse_single_sequence_example(sequence_example(1))


def test_a_missing_context_feature_is_an_error(session: Any) -> None:
    context = {"absent": tf.io.FixedLenFeature([], tf.int64)}
    parsed = io.parse_single_sequence_example(sequence_example(1), context)
    with pytest.raises(tf.errors.InvalidArgumentError, match="absent"):
        session.run(parsed[0])


def test_context_and_steps(session: Any) -> None:
    parsed = io.parse_single_sequence_example(sequence_example(5, 6), CONTEXT, SEQUENCE)
    assert parsed[1]["tokens"].shape.as_list() == [None]
    context, steps = session.run(parsed)
    assert (context["length"], steps["tokens"].tolist()) == (2, [5, 6])
