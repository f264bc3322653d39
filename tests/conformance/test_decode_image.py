"""io.decode_image: an image file of any kind."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf
from datafiles import GRAY_JPEG, png

from queueio import io

v1 = tf.compat.v1


def test_what_is_no_image_is_refused(session: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(io.decode_image("nonsense"))


@pytest.mark.parametrize(("content", "shape"), [(GRAY_JPEG, (8, 8, 3)), (png(), (3, 4, 3))])
def test_the_kind_is_found_out(session: Any, content: bytes, shape: Any) -> None:
    assert session.run(io.decode_image(content, channels=3)).shape == shape


def test_floats_are_between_zero_and_one(session: Any) -> None:
    image = io.decode_image(png(), dtype=tf.float32)
    assert image.dtype == tf.float32
    assert session.run(image).max() == pytest.approx(220 / 255)
