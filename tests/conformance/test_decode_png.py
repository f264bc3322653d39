"""io.decode_png: a PNG file to pixels."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf
from datafiles import png

from queueio import io

v1 = tf.compat.v1


def test_what_is_no_png_is_refused(session: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(io.decode_png("nonsense"))


@pytest.mark.parametrize("dtype", [tf.uint8, tf.uint16])
def test_pixels(session: Any, dtype: Any) -> None:
    got = session.run(io.decode_png(png(), dtype=dtype))
    scale = 257 if dtype == tf.uint16 else 1
    assert got[:, :, 0].tolist() == [[20 * (4 * y + x) * scale for x in range(4)] for y in range(3)]


def test_channels(session: Any) -> None:
    image = io.decode_png(png(), channels=3)
    assert image.shape.as_list() == [None, None, 3]
    assert session.run(image).shape == (3, 4, 3)
