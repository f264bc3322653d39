"""io.decode_bmp: a BMP file to pixels."""

from __future__ import annotations

import struct
from typing import Any

import pytest
import tensorflow as tf

from queueio import io


def bmp() -> bytes:
    """Two rows of two pixels of 24 bits, stored from the last row up as blue, green, red."""
    pixels = bytes([7, 8, 9, 10, 11, 12, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0])
    head = struct.pack("<2sIHHI", b"BM", 54 + len(pixels), 0, 0, 54)
    return head + struct.pack("<IiiHHIIiiII", 40, 2, 2, 1, 24, 0, len(pixels), 0, 0, 0, 0) + pixels


def test_what_is_no_bmp_is_refused(session: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(io.decode_bmp("nonsense"))


def test_pixels_are_red_green_blue_from_the_top(session: Any) -> None:
    got = session.run(io.decode_bmp(bmp(), channels=3))
    assert got.tolist() == [[[3, 2, 1], [6, 5, 4]], [[9, 8, 7], [12, 11, 10]]]
