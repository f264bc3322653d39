"""io.decode_raw: bytes as numbers."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import io


def test_a_length_that_is_no_multiple_is_refused(session: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(io.decode_raw("abc", tf.int16))


def test_strings_of_unequal_length_are_refused(session: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(io.decode_raw(["ab", "abcd"], tf.uint8))


@pytest.mark.parametrize(("little", "expected"), [(True, [256, 2]), (False, [1, 512])])
def test_byte_order(session: Any, little: bool, expected: list[int]) -> None:
    got = session.run(io.decode_raw(b"\x00\x01\x02\x00", tf.int16, little_endian=little))
    assert got.tolist() == expected


def test_the_first_argument_may_be_called_bytes(session: Any) -> None:
    assert session.run(io.decode_raw(bytes=b"\x07", out_type=tf.uint8)).tolist() == [7]


def test_the_length_is_not_known_before() -> None:
    assert io.decode_raw("ab", tf.uint8).shape.as_list() == [None]
    assert io.decode_raw(["ab", "cd"], tf.uint8).shape.as_list() == [2, None]
