"""io.TFRecordReader: the records of TFRecord files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from queueio import io, train

v1 = tf.compat.v1
GZIP = tf.io.TFRecordOptions("GZIP")
ZLIB = tf.io.TFRecordOptions("ZLIB")


def keys(read: Any, reader: Any, queue: Any) -> list[bytes]:
    return [key for key, _ in read(reader.read(queue))]


def test_eager_execution_is_refused(eager: None) -> None:
    with pytest.raises(RuntimeError, match="eager"):
        io.TFRecordReader()


@pytest.mark.parametrize(
    ("name", "options"),
    [("corrupt.tfrecord", None), ("examples.tfrecord.gz", None), ("examples-0.tfrecord", GZIP)],
)
def test_what_is_no_record_is_data_loss(run: Any, files: Any, name: str, options: Any) -> None:
    outcome = run(io.TFRecordReader(options=options).read(files(name)))
    assert isinstance(outcome.end, tf.errors.DataLossError)


def test_a_corrupt_record_is_corrupt_for_ever(session: Any, files: Any) -> None:
    key, _ = io.TFRecordReader().read(files("corrupt.tfrecord", "examples-0.tfrecord"))
    session.run(v1.local_variables_initializer())
    train.start_queue_runners(session)
    assert session.run(key) == b"data/corrupt.tfrecord:0"
    for _ in range(3):
        with pytest.raises(tf.errors.DataLossError):
            session.run(key)


def test_a_missing_file_is_not_found(run: Any, files: Any) -> None:
    outcome = run(io.TFRecordReader().read(files("absent.tfrecord")))
    assert isinstance(outcome.end, tf.errors.NotFoundError)


def test_keys_are_byte_offsets(read: Any, files: Any) -> None:
    got = keys(read, io.TFRecordReader(), files("examples-0.tfrecord"))
    offsets = [int(key.rsplit(b":", 1)[1]) for key in got]
    assert offsets[0] == 0
    # A record has 16 bytes besides its payload: the length and two checksums.
    size = Path("data/examples-0.tfrecord").stat().st_size
    assert len(offsets) == 4 and offsets == sorted(offsets) and offsets[-1] < size - 16


@pytest.mark.parametrize(
    ("name", "options"), [("examples.tfrecord.gz", GZIP), ("examples.tfrecord.zlib", ZLIB)]
)
def test_compressed_files_have_keys_of_the_uncompressed(
    read: Any, files: Any, name: str, options: Any
) -> None:
    reader = io.TFRecordReader(options=options)
    records = read(reader.read(files(name)))
    plain = list(tf.compat.v1.io.tf_record_iterator("data/examples-0.tfrecord"))[:3]
    assert [value for _, value in records] == plain
    lengths = [len(value) + 16 for value in plain]
    assert [int(key.rsplit(b":", 1)[1]) for key, _ in records] == [
        sum(lengths[:i]) for i in range(3)
    ]


def test_read_up_to_stops_at_the_end_of_a_file(drain: Any, files: Any) -> None:
    queue = files("examples-0.tfrecord", "examples-1.tfrecord")
    steps = drain(io.TFRecordReader().read_up_to(queue, 3))
    assert [len(step[1]) for step in steps] == [3, 1, 3]


def test_name_and_compression_are_those_of_its_op() -> None:
    op = io.TFRecordReader("mine", GZIP).reader_ref.op
    assert (op.name, op.type) == ("mine", "TFRecordReaderV2")
    assert op.get_attr("compression_type") == b"GZIP"
