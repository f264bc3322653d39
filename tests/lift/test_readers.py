"""Readers as graphs from elsewhere have them, which say what the functions here do not let pass."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import queueio
from queueio import train

v1 = tf.compat.v1


def read(reader: Any, path: Path) -> Any:
    names = train.string_input_producer([str(path)], num_epochs=1, shuffle=False)
    return tf.raw_ops.ReaderReadV2(reader_handle=reader, queue_handle=names.queue_ref)


@pytest.mark.parametrize("vectorise", [False, True])
@pytest.mark.parametrize("encoding", ["gzip", "NONE", "x"])
def test_an_encoding_that_is_neither_gzip_nor_zlib_is_none(
    encoding: str, vectorise: bool, tmp_path: Path
) -> None:
    """TensorFlow 1.15.5, asked, reads such files as they are."""
    (tmp_path / "records").write_bytes(bytes(range(12)))

    def build() -> Any:
        reader = v1.FixedLengthRecordReader(6, encoding=encoding)
        return read(reader.reader_ref, tmp_path / "records")

    records = queueio.lift(build).to_dataset(vectorise=vectorise)
    assert [value.numpy() for _, value in records] == [bytes(range(6)), bytes(range(6, 12))]


@pytest.mark.parametrize(
    ("op", "name"),
    [
        (tf.raw_ops.TextLineReaderV2, "skip_header_lines"),
        *((tf.raw_ops.FixedLengthRecordReaderV2, f"{part}_bytes") for part in ("header", "footer",
                                                                                "hop")),
    ],
)  # fmt: skip
def test_a_number_below_zero_is_refused_as_the_reader_does_when_it_reads(
    op: Any, name: str, tmp_path: Path
) -> None:
    size = {} if name == "skip_header_lines" else {"record_bytes": 3}

    def build() -> Any:
        return read(op(**size, **{name: -1}), tmp_path / "records")

    with pytest.raises(queueio.NoEquivalent, match=f"{name} is -1"):
        queueio.lift(build)
