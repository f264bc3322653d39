"""Equal values have equal digests, different values have different ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from queueio import recorder

DTYPES = ["int8", "uint8", "int32", "int64", "uint64", "float32", "float64", "bool"]


def digests(array: np.ndarray, dtype: str | None = None) -> list[bytes]:  # type: ignore[type-arg]
    name = dtype or ("string" if array.dtype == object else array.dtype.name)
    return [row.tobytes() for row in recorder.digest_component(array, name)]


def texts(*values: bytes) -> np.ndarray:  # type: ignore[type-arg]
    out = np.empty(len(values), object)
    out[:] = values
    return out


@pytest.mark.parametrize(
    "values",
    [
        (b"a", b"a\0", b"a\0\0", b"", b"\0", b"\0\0"),
        tuple(b"x" * n for n in range(40)),
        (b"ab", b"ba", b"abab", b"a" * 100_000, b"a" * 99_999 + b"b"),
    ],
)
def test_different_strings_have_different_digests(values: tuple[bytes, ...]) -> None:
    assert len(set(digests(texts(*values)))) == len(values)


def test_a_sign_flipped_in_two_places_is_seen() -> None:
    rng = np.random.default_rng(0)
    one = rng.normal(size=(500, 4))
    two = one.copy()
    two[:, [0, 2]] *= -1
    assert not set(digests(one)) & set(digests(two))


def test_swapped_values_are_seen() -> None:
    one = np.array([[1, 2, 3, 4]], np.int64)
    assert digests(one) != digests(one[:, ::-1])


def test_all_nan_are_one_and_minus_zero_is_zero() -> None:
    bits = np.array([0x7FF8000000000000, 0x7FF8000000000001, 0xFFF8000000000000], np.uint64)
    assert len(set(digests(bits.view(np.float64)))) == 1
    assert len(set(digests(np.array([0.0, -0.0])))) == 1


@settings(max_examples=60)
@given(st.sampled_from(DTYPES), st.data())
def test_digests_do_not_depend_on_the_batch(dtype: str, data: st.DataObject) -> None:
    shape = data.draw(arrays.array_shapes(min_dims=1, max_dims=3, max_side=6))
    array = data.draw(arrays.arrays(dtype, shape))
    alone = [digests(array[i : i + 1])[0] for i in range(len(array))]
    assert digests(array) == alone


@settings(max_examples=60)
@given(st.lists(st.binary(max_size=40), min_size=1, max_size=8))
def test_digests_of_strings_are_equal_exactly_if_the_strings_are(values: list[bytes]) -> None:
    found = digests(texts(*values))
    alone = [digests(texts(value))[0] for value in values]
    assert found == alone
    assert len(set(found)) == len(set(values))


@settings(max_examples=60)
@given(arrays.arrays("int32", (5, 3), elements=st.integers(-3, 3)))
def test_rows_have_equal_digests_exactly_if_they_are_equal(array: np.ndarray) -> None:  # type: ignore[type-arg]
    assert len(set(digests(array))) == len({row.tobytes() for row in array})


def test_widened_values_have_the_digests_of_the_narrow_ones() -> None:
    narrow = np.arange(6, dtype=np.float32).reshape(2, 3) / 7
    assert digests(narrow, "float64") == digests(narrow.astype(np.float64))


def test_bits_spread_evenly() -> None:
    found = recorder.digest_component(np.arange(20_000), "int64")
    ones = np.unpackbits(found.view(np.uint8).reshape(20_000, 16), axis=1).mean(axis=0)
    assert abs(ones - 0.5).max() < 0.02
    assert len(np.unique(found[:, 0])) == len(np.unique(found[:, 1])) == 20_000
