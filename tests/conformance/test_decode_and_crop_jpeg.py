"""io.decode_and_crop_jpeg: a window of a JPEG file."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf
from datafiles import GRAY_JPEG

from queueio import io

v1 = tf.compat.v1


def test_a_window_outside_of_the_image_is_refused(session: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(io.decode_and_crop_jpeg(GRAY_JPEG, [0, 0, 9, 9]))


def test_the_window(session: Any) -> None:
    got = session.run(io.decode_and_crop_jpeg(GRAY_JPEG, [1, 2, 3, 4], channels=3))
    assert got.shape == (3, 4, 3)
