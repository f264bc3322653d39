"""io.decode_compressed: compressed bytes to bytes."""

from __future__ import annotations

import zlib
from typing import Any

import pytest
import tensorflow as tf

from queueio import io


def test_bytes_that_are_not_compressed_are_refused(session: Any) -> None:
    with pytest.raises(tf.errors.OpError):
        session.run(io.decode_compressed("plain", compression_type="GZIP"))


def test_an_unknown_compression_is_refused(session: Any) -> None:
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        session.run(io.decode_compressed("plain", compression_type="ZIP"))


@pytest.mark.parametrize(("kind", "bits"), [("GZIP", 31), ("ZLIB", 15)])
def test_what_was_compressed_comes_back(session: Any, kind: str, bits: int) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, bits)
    packed = packer.compress(b"text") + packer.flush()
    assert session.run(io.decode_compressed([packed], kind)).tolist() == [b"text"]
    assert session.run(io.decode_compressed(packed, compression_type=kind)) == b"text"
