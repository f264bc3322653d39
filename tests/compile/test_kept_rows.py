"""Sparse and padded examples that a pipeline leaves out or sorts, row by row and one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import contrib, io, train
from tests.turns import by_turns

v1 = tf.compat.v1


def written(path: Path, rng: np.random.Generator) -> str:
    with tf.io.TFRecordWriter(str(path)) as writer:
        for number in range(int(rng.integers(1, 400))):
            example = tf.train.Example()
            feature = example.features.feature
            feature["ids"].int64_list.value.extend(rng.integers(0, 99, rng.integers(0, 9)).tolist())
            feature["number"].int64_list.value.append(number)
            writer.write(example.SerializeToString())
    return str(path)


def kept_sparse(parsed: Any) -> Any:
    keep = tf.not_equal(parsed["number"] % 3, 1)
    return train.maybe_batch([parsed["ids"], parsed["number"]], keep, 4)


def kept_padded(parsed: Any) -> Any:
    ids = tf.sparse.to_dense(parsed["ids"])
    return train.maybe_batch(
        [parsed["number"], ids], tf.size(ids) > 2, 4, dynamic_pad=True,
        allow_smaller_final_batch=True,
    )  # fmt: skip


def sorted_sparse(parsed: Any) -> Any:
    number = parsed["number"]
    return contrib.training.bucket(
        [parsed["ids"], number], tf.cast(number % 3, tf.int32), [2, 5, 3], 3,
        keep_input=tf.not_equal(number % 7, 3), allow_smaller_final_batch=True,
    )  # fmt: skip


def sorted_padded(parsed: Any) -> Any:
    ids = tf.sparse.to_dense(parsed["ids"])
    return contrib.training.bucket_by_sequence_length(
        tf.size(ids), [ids, parsed["number"]], 3, [2, 5], dynamic_pad=True,
        keep_input=parsed["number"] < 300,
    )  # fmt: skip


def values(dataset: Any) -> list[Any]:
    return [
        [part.numpy().tolist() for part in tf.nest.flatten(batch, expand_composites=True)]
        for batch in dataset
    ]


@pytest.mark.long
@pytest.mark.parametrize("build", [kept_sparse, kept_padded, sorted_sparse, sorted_padded])
@pytest.mark.parametrize("seed", by_turns(range(3)))
def test_they_are_those_of_single_examples(build: Any, seed: int, tmp_path: Path) -> None:
    path = written(tmp_path / "examples", np.random.default_rng(seed))

    def pipeline() -> Any:
        names = train.string_input_producer([path], num_epochs=2, shuffle=False)
        features = {"ids": v1.VarLenFeature(tf.int64), "number": v1.FixedLenFeature([], tf.int64)}
        return build(v1.parse_single_example(io.TFRecordReader().read(names)[1], features))

    plan = queueio.lift(pipeline)
    assert values(plan.to_dataset()) == values(plan.to_dataset(vectorise=False))
