"""Columns cut out of Examples are what ParseExample gives, bit for bit, or it is asked itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from queueio.compile import examples as module
from queueio.compile.fragment import Fragment
from queueio.compile.pipeline import map_chunks
from tests.compile.test_vectorise import chunks_of, run

v1 = tf.compat.v1
FEATURES = {
    "image": tf.io.FixedLenFeature([], tf.string),
    "name": tf.io.FixedLenFeature([], tf.string),
    "label": tf.io.FixedLenFeature([], tf.int64),
    "pair": tf.io.FixedLenFeature([2], tf.int64),
    "box": tf.io.FixedLenFeature([2, 2], tf.float32),
}


def fragment() -> Fragment:
    record = v1.placeholder(tf.string, [])
    parsed = v1.parse_single_example(record, FEATURES)
    image = tf.reshape(tf.io.decode_raw(parsed["image"], tf.int16), [2, 2])
    return Fragment.between([record], [image, *(parsed[k] for k in list(FEATURES)[1:]), record])


def serialized(**values: Any) -> bytes:
    example = tf.train.Example()
    for key, value in values.items():
        feature = example.features.feature[key]
        if isinstance(value, bytes):
            feature.bytes_list.value.append(value)
        elif isinstance(value[0], float):
            feature.float_list.value.extend(value)
        else:
            feature.int64_list.value.extend(value)
    return example.SerializeToString(deterministic=True)


def plain(seed: int, label: int = 3) -> bytes:
    rng = np.random.default_rng(seed)
    return serialized(
        image=rng.bytes(8), name=rng.bytes(3), label=[label],
        pair=[int(rng.integers(128, 2**14)), -int(rng.integers(1, 2**40))],
        box=[float(x) for x in rng.normal(size=4)],
    )  # fmt: skip


def taken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Counts the chunks that were cut into columns; what runs is the code that ships."""
    count: list[int] = []
    values = module._values

    def counted(*args: Any) -> Any:
        seen = tf.numpy_function(lambda: count.append(1) or np.int32(0), [], tf.int32)
        with tf.control_dependencies([seen]):
            return tuple(map(tf.identity, values(*args)))

    monkeypatch.setattr(module, "_values", counted)
    return count


# A message that quotes a record may be no text, and Python then fails to raise the error itself.
FAILURES = (tf.errors.OpError, UnicodeDecodeError)


def _kind(error: Exception) -> type[Exception]:
    untold = isinstance(error, UnicodeDecodeError)
    return tf.errors.InvalidArgumentError if untold else type(error)


def check(rows: list[bytes], chunk: int = 4) -> None:
    with tf.Graph().as_default():
        whole = fragment()
    want: list[Any] = []
    error: type[Exception] | None = None
    for row in rows:
        try:
            want += run(whole, [row])
        except FAILURES as bad:
            error = _kind(bad)
            break
    got: list[Any] = []
    stream = map_chunks(chunks_of(rows, chunk), whole).as_numpy_iterator()
    raised = None
    try:
        for piece in stream:
            got += zip(*piece, strict=True)
    except FAILURES as bad:
        raised = _kind(bad)
    assert raised is error
    assert len(got) == len(want)
    assert [list(map(_bits, row)) for row in got] == [list(map(_bits, row)) for row in want]


def _bits(value: Any) -> Any:
    array = np.asarray(value)
    text = array.dtype.kind in "OS"
    return array.tolist() if text else (array.dtype, array.shape, array.tobytes())


def test_examples_that_differ_in_their_values_alone_are_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    count = taken(monkeypatch)
    check([plain(i) for i in range(8)])
    assert len(count) == 2


def _without(key: str) -> bytes:
    example = tf.train.Example.FromString(plain(9))
    del example.features.feature[key]
    return example.SerializeToString(deterministic=True)


def _twice() -> bytes:
    """Two entries of one key: the parser takes one of them."""
    return plain(1) + tf.train.Example.FromString(plain(2)).SerializeToString(deterministic=True)


UNLIKE = {
    "a longer integer": plain(9, label=300),
    "another feature": serialized(**{"extra": b"x"}) + plain(9),
    "a feature missing": _without("label"),
    "an image of another length": serialized(
        image=b"123456", name=b"abc", label=[1], pair=[1, 2], box=[1.0] * 4
    ),
    "an integer where bytes belong": serialized(
        image=[5], name=b"abc", label=[1], pair=[1, 2], box=[1.0] * 4
    ),
    "no proto at all": b"\xff" * len(plain(9)),
    "nothing": b"",
    "cut off": plain(9)[:-1],
    "every entry twice": _twice(),
    "a field that nobody knows": plain(9) + b"\x78\x01",
}


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("name", UNLIKE)
def test_a_record_of_another_form_is_parsed_or_refused_as_ever(name: str, first: bool) -> None:
    good = [plain(i) for i in range(6)]
    check([UNLIKE[name], *good] if first else [*good[:2], UNLIKE[name], *good[2:]])


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_records_damaged_in_one_byte_give_the_same_values_or_the_same_error(
    data: st.DataObject,
) -> None:
    rows = [plain(i) for i in range(4)]
    which = data.draw(st.integers(0, 3))
    at = data.draw(st.integers(0, len(rows[which]) - 1))
    damaged = bytearray(rows[which])
    damaged[at] = data.draw(st.integers(0, 255))
    rows[which] = bytes(damaged)
    check(rows)
