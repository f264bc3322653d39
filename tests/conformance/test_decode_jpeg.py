"""io.decode_jpeg: a JPEG file to uint8 pixels."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf
from datafiles import GRAY_JPEG

from queueio import io

v1 = tf.compat.v1


def test_what_is_no_jpeg_is_refused(session: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(io.decode_jpeg("nonsense"))


@pytest.mark.parametrize(("channels", "last"), [(0, 1), (1, 1), (3, 3)])
def test_pixels(session: Any, channels: int, last: int) -> None:
    image = io.decode_jpeg(GRAY_JPEG, channels=channels)
    assert image.shape.as_list() == [None, None, channels or None]
    got = session.run(image)
    assert (got.dtype, got.shape) == ("uint8", (8, 8, last))
    assert set(got.ravel()) == {128}


def test_ratio_makes_it_smaller(session: Any) -> None:
    assert session.run(io.decode_jpeg(GRAY_JPEG, ratio=2)).shape == (4, 4, 1)
