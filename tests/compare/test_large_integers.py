"""Ids beyond 2^53, which no float holds, are compared to the last digit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

import queueio.compare as comparing
from queueio import recorder
from queueio.compare.reading.digest import common_dtypes, digest_batch
from queueio.compare.reading.exact import lost, same, wide
from queueio.compare.sides.schema import Component, Schema

COUNT = 40
BASES = [2**53, 2**60, 2**63 - 1000, -(2**63), 2**63, 2**64 - 1000]
EDGES = [0, 1, -1, 7, 2**24 + 1, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, 2**63, 2**64 - 1]
NUMBERS = st.one_of(st.sampled_from([*EDGES, -(2**63)]), st.integers(-(2**63), 2**64 - 1))


def integers(values: list[int]) -> np.ndarray:  # type: ignore[type-arg]
    return np.array(values, np.uint64 if max(values) >= 2**63 else np.int64)


def ids(base: int, *changed: int, by: int = 1, places: int = 1) -> Callable[[], Any]:
    values = integers([base + places * n + by * (n in changed) for n in range(COUNT)])
    numbers = np.arange(COUNT)
    return lambda: tf.data.Dataset.from_tensor_slices((numbers, values)).batch(4)


def judged(old: Any, new: Any, **options: Any) -> Any:
    return comparing(old, new, cost=False, stages=False, **options)


@pytest.mark.long
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("tolerance", [{}, {"rtol": 1e-3}, {"atol": 5.0}])
def test_one_id_that_is_off_by_one_is_found(base: int, tolerance: dict[str, float]) -> None:
    result = judged(ids(base), ids(base, 39), **tolerance)
    assert not result.ok and [f.code for f in result.findings] == ["changed"], str(result)
    assert f"old {base + 39}, new {base + 40}" in str(result)
    assert judged(ids(base), ids(base), **tolerance).ok


@pytest.mark.long
def test_small_integers_have_no_tolerance_either() -> None:
    result = judged(ids(1000), ids(1000, 5), rtol=0.1, atol=2.0)
    assert [f.code for f in result.findings] == ["changed"], str(result)


@pytest.mark.long
@pytest.mark.parametrize("by", [1, 300])
def test_ids_that_all_are_shifted_are_shifted_by_so_much_and_not_multiplied(by: int) -> None:
    result = judged(ids(2**53), ids(2**53 + by))
    assert [f.code for f in result.findings] == ["offset"], str(result)
    assert f"by {by}." in result.findings[0].sentence


@pytest.mark.long
def test_a_long_offset_is_told_to_its_last_digit() -> None:
    result = judged(ids(2**60), ids(2**60 + 123_456_789))
    assert "by 123456789." in result.findings[0].sentence


@pytest.mark.parametrize("base", [10**6, 2**53, 2**60])
def test_other_ids_are_no_factor_and_no_line(base: int) -> None:
    other = integers([base + n + n * n % 7 for n in range(COUNT)])
    numbers = np.arange(COUNT)
    new = tf.data.Dataset.from_tensor_slices((numbers, other)).batch(4)
    result = judged(ids(base), lambda: new)
    assert [f.code for f in result.findings] == ["changed"], str(result)


@pytest.mark.long
def test_ids_that_are_multiplied_are_so_exactly() -> None:
    result = judged(ids(2**55, places=3), ids(2**57, places=12))
    assert [f.code for f in result.findings] == ["scale"] and "by 4," in str(result)


@pytest.mark.long
def test_shuffled_ids_are_paired_with_their_nearest() -> None:
    values = 2**60 + 100 * np.arange(COUNT)
    other = values + np.where(np.arange(COUNT) < 10, np.arange(COUNT) % 4 + 1, 0)

    def shuffled(array: Any) -> Any:
        made = tf.data.Dataset.from_tensor_slices((np.arange(COUNT) % 3, array))
        return lambda: made.shuffle(COUNT).batch(4)

    result = judged(shuffled(values), shuffled(other), order=False)
    (finding,) = result.findings
    assert finding.count == 10, str(result)
    assert all(0 < e.new - e.old < 5 for e in finding.evidence), str(result)


@pytest.mark.long
def test_large_ids_that_are_drawn_are_judged_by_their_last_digits() -> None:
    def drawn(most: int) -> Any:
        def draw(number: Any) -> Any:
            return number, 2**60 + tf.random.uniform([], 0, most, tf.int64)

        return lambda: tf.data.Dataset.range(300).map(draw).shuffle(300).batch(20)

    result = judged(drawn(5), drawn(4), ignore=["random"])
    assert "distribution" in [f.code for f in result.findings], str(result)


@pytest.mark.long
def test_another_dtype_hides_no_other_id() -> None:
    for dtype in (np.float64, np.uint64):
        values = (2**53 + np.arange(COUNT)).astype(dtype)
        changed = values.copy()
        changed[39] += 2
        for array, equal in ((values, dtype == np.uint64), (changed, False)):
            new = tf.data.Dataset.from_tensor_slices((np.arange(COUNT), array)).batch(4)
            result = judged(ids(2**53), lambda new=new: new, ignore=["dtype"])
            assert result.ok == equal, str(result)


RECORDED = {
    ("int32", "int64"): 6 + 2**32,
    ("uint8", "float32"): 6.5,
    ("float32", "int64"): 2**24 + 1,
}


@pytest.mark.parametrize(("recorded", "delivered"), RECORDED)
def test_a_value_that_a_recording_cannot_hold_is_none_of_its(recorded: str, delivered: str) -> None:
    def schema(dtype: str) -> Schema:
        return Schema((Component("0", "dense", dtype, (None,)),), None, True)

    other = RECORDED[recorded, delivered]
    dtypes = common_dtypes(schema(recorded), schema(delivered), schema(recorded))
    new = np.array([5, other], delivered)
    old, got = (digest_batch([each], dtypes) for each in (new.astype(recorded), new))
    assert (old == got).all(axis=(1, 2)).tolist() == [True, False]


def test_what_no_cast_keeps_is_found_in_sparse_and_ragged_rows_too() -> None:
    values = np.array([1, 2, 2**53 + 1, 3], np.int64)
    as_float = values.astype(np.float64)
    indices = np.array([[0, 0], [1, 0], [1, 2], [2, 1]])
    for kind in ("sparse", "ragged"):

        def batch(array: Any, kind: str = kind) -> Any:
            if kind == "sparse":
                return recorder.Sparse(indices, array, np.array([3, 3]))
            return recorder.Ragged(array, np.array([0, 1, 3, 4]))

        a, b = (digest_batch([batch(each)], ["float64"]) for each in (values, as_float))
        assert (a == b).all(axis=(1, 2)).tolist() == [True, False, True]


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=8))
def test_numbers_are_equal_as_python_says(pairs: list[tuple[int, int]]) -> None:
    for a, b in [*pairs, *((a, a) for a, _ in pairs)]:
        for x in (integers([a]), np.array([a], np.float64)):
            for y in (integers([b]), np.array([b], np.float64)):
                assert same(wide(x), wide(y))[0] == (x[0].item() == y[0].item())
        assert lost(integers([a]), "float64")[0] == (int(float(a)) != a)


@pytest.mark.long
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_the_last_bit_of_a_float_counts(dtype: str) -> None:
    values = np.linspace(1, 2, COUNT).astype(dtype)
    other = values.copy()
    other[3] = np.nextafter(other[3].real, 9)
    sides = [lambda v=v: tf.data.Dataset.from_tensor_slices(v).batch(4) for v in (values, other)]
    assert not judged(*sides).ok
    assert judged(*sides, rtol=1e-15).ok
