"""io.decode_gif: the frames of a GIF file."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import io

# One black pixel.
GIF = (
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff"
    b",\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
)


def test_what_is_no_gif_is_refused(session: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(io.decode_gif("nonsense"))


def test_frames_come_first(session: Any) -> None:
    frames = io.decode_gif(GIF)
    assert frames.shape.as_list() == [None, None, None, 3]
    assert session.run(frames).tolist() == [[[[0, 0, 0]]]]
