"""Lists that are cut off, and padding: what looks like the other."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
import tensorflow as tf

import queueio.compare as comparing

IDS = np.random.default_rng(0).integers(1, 1000, (40, 5))


def side(**columns: Any) -> Any:
    data = {"id": np.arange(40), **columns}
    return lambda: tf.data.Dataset.from_tensor_slices(data).batch(4)


def told(old: Any, new: Any) -> list[tuple[str, int]]:
    result = comparing(old, new, cost=False, order=False, stages=False)
    return [(finding.code, finding.count) for finding in result.findings]


@pytest.mark.long
def test_a_list_that_is_a_number_shorter_is_not_padded_to_another_length() -> None:
    assert told(side(words=IDS), side(words=IDS[:, :4])) == [("shape", 40)]


@pytest.mark.long
def test_a_label_of_fewer_or_more_classes_is_not_padded_to_another_length() -> None:
    label = np.eye(10, dtype=np.int64)[np.arange(40) % 10]
    longer = np.pad(label, ((0, 0), (0, 1)))
    for other in label[:, :9], longer:
        assert told(side(label=label), side(label=other)) == [("shape", 40)]
    assert told(side(words=label * 3), side(words=longer * 3)) == [("padding-length", 40)]


@pytest.mark.long
def test_a_number_that_is_put_behind_each_list_is_no_padding() -> None:
    length = 1 + np.arange(40)[:, None] % 5
    ids = np.where(np.arange(5) < length, IDS, 0)
    ended = np.where(np.arange(6) == length, 1001, np.pad(ids, ((0, 0), (0, 1))))
    assert told(side(words=ids), side(words=ended)) == [("shape", 40)]


@pytest.mark.long
@pytest.mark.parametrize("value", [np.finfo("f4").max, -np.inf])
def test_an_infinite_value_that_became_another_is_not_rounded(value: float) -> None:
    score = np.arange(120, dtype="f4").reshape(40, 3)
    score[3, 1] = np.inf
    other = np.where(score == np.inf, np.float32(value), score)
    assert told(side(score=score), side(score=other)) == [("changed", 1)]


@pytest.mark.long
def test_sparse_rows_are_not_padded_with_another_value() -> None:
    def sparse(values: Any) -> Any:
        rows = tf.sparse.from_dense(values + 1)  # nothing is left out
        rows = tf.SparseTensor(rows.indices, rows.values - 1, rows.dense_shape)
        return lambda: tf.data.Dataset.from_tensor_slices((np.arange(40), rows)).batch(4)

    other = IDS.copy()
    other[:10, 3:] = 0
    before = IDS.copy()
    before[:10, 3:] = 40
    assert told(sparse(before), sparse(other)) == [("changed", 10)]


@pytest.mark.long
def test_one_number_before_its_padding_shows_no_factor() -> None:
    ids = np.where(np.arange(5) < 1 + np.arange(40)[:, None] % 4, IDS, 0)
    assert told(side(words=ids), side(words=np.where(ids > 0, ids + 1, 0))) == [("offset", 40)]


@pytest.mark.long
@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, np.float16])
def test_a_relation_of_half_floats_is_named(dtype: Any) -> None:
    values = np.arange(40).astype(dtype)
    assert told(side(x=values), side(x=values * dtype(2) + dtype(1))) == [("linear", 40)]
