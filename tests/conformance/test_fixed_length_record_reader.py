"""io.FixedLengthRecordReader: records of so many bytes."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import io

v1 = tf.compat.v1


def records(read: Any, reader: Any, queue: Any) -> list[list[int]]:
    return [list(value) for _, value in read(reader.read(queue))]


def test_eager_execution_is_refused(eager: None) -> None:
    with pytest.raises(RuntimeError, match="eager"):
        io.FixedLengthRecordReader(3)


@pytest.mark.parametrize("size", [0, -1])
def test_a_record_of_no_bytes_is_refused_where_it_is_made(size: int) -> None:
    with pytest.raises(ValueError, match=f"record_bytes is {size}.*1 or more"):
        io.FixedLengthRecordReader(size)


@pytest.mark.parametrize("name", ["header_bytes", "footer_bytes", "hop_bytes"])
def test_sizes_below_zero_are_refused_where_they_are_given(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} must be >= 0 not -2"):
        io.FixedLengthRecordReader(3, **{name: -2})


def test_keys_count_records_from_zero(read: Any, files: Any) -> None:
    pairs = read(io.FixedLengthRecordReader(6).read(files("fixed.bin")))
    assert pairs == [
        (b"data/fixed.bin:0", bytes(range(6))),
        (b"data/fixed.bin:1", bytes(range(6, 12))),
    ]


def test_header_and_footer_are_left_out_of_every_file(read: Any, files: Any) -> None:
    reader = io.FixedLengthRecordReader(3, header_bytes=4, footer_bytes=2)
    assert records(read, reader, files("framed.bin", num_epochs=2)) == [[0, 1, 2], [3, 4, 5]] * 2


@pytest.mark.parametrize(
    ("hop", "expected"),
    [
        (4, [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]),
        (3, [[0, 1, 2, 3], [3, 4, 5, 6], [6, 7, 8, 9]]),
    ],
)
def test_a_hop_shorter_than_a_record_makes_them_overlap(
    read: Any, files: Any, hop: int, expected: list[list[int]]
) -> None:
    reader = io.FixedLengthRecordReader(4, hop_bytes=hop)
    assert records(read, reader, files("fixed.bin")) == expected


@pytest.mark.parametrize("encoding", ["GZIP", "ZLIB"])
def test_compressed_files(read: Any, files: Any, encoding: str) -> None:
    name = {"GZIP": "fixed.bin.gz", "ZLIB": "fixed.bin.zlib"}[encoding]
    reader = io.FixedLengthRecordReader(4, encoding=encoding)
    assert records(read, reader, files(name)) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]


def test_a_partial_last_record_is_left_out(read: Any, files: Any) -> None:
    got = records(read, io.FixedLengthRecordReader(5), files("fixed.bin"))
    assert got == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]


def test_read_up_to_stops_at_the_end_of_a_file(drain: Any, files: Any) -> None:
    queue = files("fixed.bin", num_epochs=2)
    steps = drain(io.FixedLengthRecordReader(4).read_up_to(queue, 2))
    assert [len(step[0]) for step in steps] == [2, 1, 2, 1]


def test_options_are_attributes_of_its_op() -> None:
    reader = io.FixedLengthRecordReader(3, 4, 2, 1, "mine", "GZIP")
    op = reader.reader_ref.op
    names = ("record_bytes", "header_bytes", "footer_bytes", "hop_bytes", "encoding")
    assert [op.get_attr(name) for name in names] == [3, 4, 2, 1, b"GZIP"]
    assert (op.name, op.type) == ("mine", "FixedLengthRecordReaderV2")
