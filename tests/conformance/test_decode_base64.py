"""io.decode_base64: web-safe base64 to bytes."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import io


def test_other_characters_are_refused(session: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(io.decode_base64("a+b/"))


def test_web_safe_characters_with_and_without_padding(session: Any) -> None:
    got = session.run(io.decode_base64(["-_8", "YQ==", "YQ"]))
    assert got.tolist() == [b"\xfb\xff", b"a", b"a"]
