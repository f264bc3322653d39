"""The records of files, as a reader op would deliver them, with its keys.

For looking at input again after an error: pure Python, no session, from the reader op's type
and attributes alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from queueio.forensics import tf_records
from queueio.forensics.sources import WHOLE_READS, base_type

WHOLE_BYTES = 256 << 20
"""Whole files larger than this are not read again."""


@dataclass(frozen=True)
class Record:
    """One record: its file, its number as in the key, and its bytes."""

    file: str
    number: int | None
    value: bytes

    @property
    def key(self) -> str:
        return self.file if self.number is None else f"{self.file}:{self.number}"


UNITS = {"TextLineReader": "line", "TFRecordReader": "byte", "FixedLengthRecordReader": "record"}


def unit_of(reader: tf.Operation) -> str:
    """What the numbers in a reader's keys count: "line", "byte", "record" or ""."""
    return UNITS.get(base_type(reader), "")


def attr(reader: tf.Operation, name: str, default: Any) -> Any:
    """An attribute of a reader op as str or int, or its default in older versions of the op."""
    try:
        value = reader.get_attr(name)
    except ValueError:
        return default
    return value.decode() if isinstance(value, bytes) else value


def compression(reader: tf.Operation) -> str:
    """The compression that a reader expects: "GZIP", "ZLIB" or ""."""
    return str(attr(reader, "compression_type", "") or attr(reader, "encoding", ""))


def records(reader: tf.Operation, file: str) -> Iterator[Record]:
    """The records of one file, as the reader delivers them; stops where the file is broken."""
    kind = base_type(reader)
    if kind == "IdentityReader":
        yield Record(file, None, os.fsencode(file))
        return
    with open(file, "rb") as raw:
        if kind == "TextLineReader":
            yield from _lines(raw, file, attr(reader, "skip_header_lines", 0))
        elif kind == "TFRecordReader":
            source = tf_records.opened(raw, compression(reader))
            yield from (Record(file, at, data) for at, data in tf_records.records(source))
        elif kind == "FixedLengthRecordReader":
            yield from _fixed(tf_records.opened(raw, compression(reader)), file, reader)
        elif kind in ("WholeFileReader", *WHOLE_READS) and os.path.getsize(file) <= WHOLE_BYTES:
            yield Record(file, None, raw.read())


def _lines(raw: Any, file: str, skip: int) -> Iterator[Record]:
    for number, line in enumerate(raw, 1):
        if number > skip:
            text = line.removesuffix(b"\n").removesuffix(b"\r")
            yield Record(file, number, text)


@dataclass(frozen=True)
class FixedLayout:
    """The four lengths of a FixedLengthRecordReader, in bytes; a hop of 0 is a record's."""

    header: int
    record: int
    footer: int
    hop: int

    @classmethod
    def of(cls, reader: tf.Operation) -> FixedLayout:
        record = attr(reader, "record_bytes", 0)
        return cls(
            attr(reader, "header_bytes", 0),
            record,
            attr(reader, "footer_bytes", 0),
            attr(reader, "hop_bytes", 0) or record,
        )

    def count(self, size: int) -> int:
        """How many records a file of `size` bytes yields."""
        room = size - self.header - self.footer - self.record
        return room // self.hop + 1 if room >= 0 else 0


def _fixed(source: tf_records.Bytes, file: str, reader: tf.Operation) -> Iterator[Record]:
    layout = FixedLayout.of(reader)
    body = source.read(WHOLE_BYTES)
    for number in range(layout.count(len(body))):
        start = layout.header + number * layout.hop
        yield Record(file, number, body[start : start + layout.record])
