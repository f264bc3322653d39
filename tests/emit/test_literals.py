"""Constants keep every bit of their numbers: signs of zeros, what is no number, both parts."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import train
from queueio.emit.spelling import literal

v1 = tf.compat.v1
NAN, INF = float("nan"), float("inf")
ARRAYS = {
    "negative zeros": np.full([3, 4], -0.0, np.float32),
    "zeros of both signs": np.array([0.0, -0.0] * 6, np.float32),
    "negative zeros of halves": np.full([9], -0.0, np.float16),
    "zeros": np.zeros([3, 4], np.float64),
    "ones": np.ones([9], np.int64),
    "ones with a negative zero beside": np.full([9], complex(1, -0.0), np.complex64),
    "complex numbers": np.array([1 - 2j, 0.1j, 3e40, -1e22 + 5j], np.complex128),
    "a complex number without a real part": np.array([complex(0, -2)], np.complex64),
    "complex parts that are no numbers": np.array(
        [complex(NAN, -0.0), complex(-0.0, 2), complex(-INF, INF), complex(3, NAN)], np.complex64
    ),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_comes_back_from_its_literal_with_every_bit(name: str) -> None:
    array = ARRAYS[name]
    written = literal.typed(array, tf.as_dtype(array.dtype)).flat
    # In a function, as it is written: outside of one TensorFlow takes -0.0 for a 0.0 that it holds.
    made = tf.function(lambda: tf.convert_to_tensor(eval(written, {"tf": tf})))()
    assert made.dtype == array.dtype and made.shape == array.shape
    assert made.numpy().tobytes() == array.tobytes(), written


SPELLED = {
    "numbers with exponents": (np.array([3e38, -1e20, 1e-7]), "[3e38, -1e20, 1e-07]"),
    "complex numbers": (np.array([1 - 2j, -3 + 1e22j]), "[1.0 - 2.0j, -3.0 + 1e22j]"),
    "bytes with either quote": (np.array([b"\xff'\"\"", b"\xff'\"'"], object),
                                """[b'\\xff\\'""', b"\\xff'\\"'"]"""),
}  # fmt: skip


@pytest.mark.parametrize("name", SPELLED)
def test_a_literal_stands_as_a_formatter_leaves_it(name: str) -> None:
    array, spelled = SPELLED[name]
    assert literal.plain(array).flat == spelled


@pytest.mark.parametrize("name", ["negative zeros", "zeros of both signs"])
def test_a_large_constant_keeps_the_signs_of_its_zeros(name: str, tmp_path: Any) -> None:
    array = np.tile(ARRAYS[name].ravel(), 9)

    def build() -> Any:
        number = v1.train.range_input_producer(2, num_epochs=1, shuffle=False).dequeue()
        return v1.train.batch([tf.cast(number, tf.float32) * array], 2)

    (batch,) = written(build, tmp_path).as_numpy_iterator()
    assert np.signbit(batch[1]).tolist() == np.signbit(array).tolist()


def row_number() -> Any:
    return v1.train.range_input_producer(2, num_epochs=1, shuffle=False).dequeue()


def test_two_large_constants_that_differ_in_the_sign_of_zeros_are_two(tmp_path: Any) -> None:
    def build() -> Any:
        number = tf.cast(row_number(), tf.float32)
        return v1.train.batch([number * np.array([0.0, 1.0] * 15, np.float32),
                               number * np.array([-0.0, 1.0] * 15, np.float32)], 2)  # fmt: skip

    ((one, other),) = written(build, tmp_path).as_numpy_iterator()
    assert not np.signbit(one).any() and np.signbit(other[1]).tolist() == [True, False] * 15


@pytest.mark.parametrize("style", ["plain", "fast"])
def test_a_large_constant_may_be_of_bfloat16(style: str, tmp_path: Any) -> None:
    rows = np.arange(60.0).reshape(30, 2)

    def build() -> Any:
        large = tf.constant(rows, tf.bfloat16)
        row, number = v1.train.slice_input_producer(
            [large, tf.range(30)], num_epochs=1, shuffle=False
        )
        return v1.train.batch([row, tf.gather(large, number)], 30)

    ((row, taken),) = written(build, tmp_path, style).as_numpy_iterator()
    assert row.dtype == taken.dtype == tf.bfloat16.as_numpy_dtype
    assert row.tolist() == taken.tolist() == rows.tolist()


def test_numbers_beyond_int64_keep_every_bit_beside_smaller_ones(tmp_path: Any) -> None:
    wide = np.array([0, 2**64 - 1, 2**63 + 1, 1], np.uint64)

    def build() -> Any:
        row, pair = v1.train.slice_input_producer(
            [wide, np.stack([wide, wide + 1], 1)], num_epochs=1, shuffle=False
        )
        chosen = tf.gather(wide, v1.to_int32(tf.equal(row, 0)) + 1)
        return v1.train.batch([row, pair, chosen, tf.constant(wide)], 4)

    ((row, pair, chosen, whole),) = written(build, tmp_path).as_numpy_iterator()
    assert row.tolist() == whole[3].tolist() == wide.tolist()
    assert pair.tolist() == [[each, (each + 1) % 2**64] for each in wide.tolist()]
    assert chosen.tolist() == [2**63 + 1] + [2**64 - 1] * 3


def written(build: Any, folder: Any, style: str = "plain") -> Any:
    """The dataset of what is written of a pipeline."""
    path = folder / "written.py"
    queueio.lift(build).to_source(style=style).write(path)
    scope: dict[str, Any] = {"__name__": "written", "__file__": str(path)}
    exec(path.read_text(), scope)
    return scope["input_fn"]()


class Name(str, enum.Enum):
    ID = "id"


KEYS = {
    "numbers": [10, 2, -3],
    "numpy's numbers": [np.int64(4), np.int32(3)],
    "bytes": [b"b", b"a"],
    "pairs": [(2, "b"), (1, "a")],
    "strings of an enum": [Name.ID, "other"],
    "numpy's strings": [np.str_("b"), np.str_("a")],
    "strings that look like numbers": ["10", "2"],
    "strings that end a string, or escape": ['a"""b', "C:\\x", "N\\N", "two\nlines", "last\\"],
}


@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS)
def test_fetches_keep_the_keys_of_their_dict(keys: Any, tmp_path: Any) -> None:
    def build() -> Any:
        number = train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
        given = {f"k{place}": number * (place + 2) for place in range(len(keys))}
        batch = train.batch(given, 2)
        return {key: batch[name] for key, name in zip(keys, given, strict=True)}

    for batch in written(build, tmp_path), queueio.lift(build).to_dataset():
        first = next(iter(batch))
        assert set(first) == set(keys)
        for place, key in enumerate(keys):
            assert first[key].numpy().tolist() == [0, place + 2]


def test_a_key_that_cannot_be_written_is_refused_by_its_name(tmp_path: Any) -> None:
    def build() -> Any:
        number = train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
        return {tf.int32: train.batch([number], 2)}

    with pytest.raises(queueio.NotLifted, match=r"tf\.int32, a key among the fetches"):
        written(build, tmp_path)
