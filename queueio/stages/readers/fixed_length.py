"""Reads records of a fixed number of bytes.

Legacy:
    reader = tf.FixedLengthRecordReader(record_bytes=3, header_bytes=1)
    key, record = reader.read(tf.train.string_input_producer(["a.bin"], num_epochs=1))

Modern:
    dataset = tf.data.FixedLengthRecordDataset("a.bin", record_bytes=3, header_bytes=1)

Emits:
    key: string, shape (), `file:record`; value: string, shape ()

Differs:
    Keys count records from 0. `hop_bytes` (overlapping or spaced records) has no counterpart in
    the dataset. A partial record at the end is dropped without a word here and is an error
    there; a file shorter than its header looks like the end of all input here. queueio reports
    both.

Raises:
    ValueError for a size that cannot be. NotFoundError for a missing file, once. OutOfRangeError
    when the names are used up.

Bytes have no types: `decode_raw` gives them one, then slices and casts take label and image
apart.

Source:
    tf.FixedLengthRecordReader of TensorFlow 1.15
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import tensorflow as tf

from queueio.compile.kernels import blocks
from queueio.compile.kernels.file_pool import FilePool
from queueio.compile.kernels.keys import KeyForm
from queueio.eager import refuse_eager_reader
from queueio.errors import message
from queueio.forensics import tf_records
from queueio.forensics.location import Budget
from queueio.forensics.records import ENDS_READING, WHOLE_BYTES, FileRecord, Loss
from queueio.forensics.sniff import HEAD, compression_of
from queueio.plan import Walk, lifts
from queueio.stages.readers.reader import (
    ReaderBase,
    Records,
    check_not_negative,
    whole_number,
)
from queueio.words import times

if TYPE_CHECKING:
    from queueio.emit.writer import Writer

_NUMBERED_RECORDS = '''
def numbered_records(file: tf.Tensor, records: tf.data.Dataset) -> tf.data.Dataset:
    """Pairs of `file:record` and the record."""
    return records.enumerate().map(
        lambda n, record: (
            tf.strings.join([file, ":", tf.strings.as_string(n)]),
            record,
        )
    )
'''
_SPACED_RECORDS = '''
def spaced_records(
    file: tf.Tensor, size: int, header: int, footer: int, hop: int, kind: str
) -> tf.data.Dataset:
    """Records of `size` bytes, one every `hop` bytes."""
    content = tf.io.decode_compressed(tf.io.read_file(file), kind)
    end = tf.strings.length(content) - footer - size + 1
    starts = tf.range(header, tf.maximum(end, header), hop)
    return tf.data.Dataset.from_tensor_slices(starts).map(
        lambda start: tf.strings.substr(content, start, size)
    )
'''


class FixedLengthRecordReader(ReaderBase):
    """Gives records of a fixed size; keys are `file:record` from 0."""

    def __init__(
        self,
        record_bytes: int,
        header_bytes: int | None = None,
        footer_bytes: int | None = None,
        hop_bytes: int | None = None,
        name: str | None = None,
        encoding: str | None = None,
    ) -> None:
        """Makes the reader.

        Args:
          record_bytes: size of a record in bytes.
          header_bytes: bytes to leave out at the start of every file.
          footer_bytes: bytes to leave out at the end of every file.
          hop_bytes: distance in bytes from one record's start to the next; 0 for record_bytes.
          name: name of the op (default "FixedLengthRecordReaderV2").
          encoding: "GZIP", "ZLIB" or "" for how the files are compressed.

        Raises:
          RuntimeError: eager execution is on.
          ValueError: record_bytes is not positive, or another size is negative.
        """
        refuse_eager_reader("FixedLengthRecordReader")
        _check(record_bytes, header_bytes, footer_bytes, hop_bytes)
        super().__init__(
            tf.raw_ops.FixedLengthRecordReaderV2(
                record_bytes=record_bytes,
                header_bytes=header_bytes or 0,
                footer_bytes=footer_bytes or 0,
                hop_bytes=hop_bytes or 0,
                encoding=encoding or "",
                name=name,
            )
        )


def _check(record_bytes: int, *others: int | None) -> None:
    if record_bytes < 1:
        what = f"record_bytes is {record_bytes}"
        why = "TF1 took 0 and gave records of no bytes for ever, from the first file"
        raise ValueError(message(what, why, "Give the size of one record in bytes, 1 or more"))
    for name, size in zip(("header_bytes", "footer_bytes", "hop_bytes"), others, strict=True):
        check_not_negative(name, size, "bytes")


_BLOCK_BYTES = 1 << 22


@dataclass(frozen=True)
class FixedLengthRecords(Records):
    """Records of `record_bytes` bytes, one every `hop_bytes` bytes."""

    unit: ClassVar[str] = "record"
    numbered: ClassVar[bool] = True
    record_bytes: int
    header_bytes: int = 0
    footer_bytes: int = 0
    hop_bytes: int = 0
    encoding: str = ""

    def dataset(self, name: Any) -> Any:
        """Pairs (`file:record`, record); none of a file shorter than its header.

        There TF1's reader ended all input without a word; a dataset goes on with the next file.
        """
        # FixedLengthRecordDataset knows no hop, and takes a partial last record for an error.
        content = tf.io.read_file(name)
        if self.encoding:
            content = tf.io.decode_compressed(content, compression_type=self.encoding)
        end = tf.strings.length(content) - self.footer_bytes - self.record_bytes + 1
        starts = tf.range(self.header_bytes, tf.maximum(end, self.header_bytes), self.hop)
        records = tf.data.Dataset.from_tensor_slices(starts).enumerate()
        return records.map(
            lambda n, start: (
                tf.strings.join([name, ":", tf.strings.as_string(n)]),
                tf.strings.substr(content, start, self.record_bytes),
            )
        )

    def chunks(self, names: Any, keys: KeyForm, dtype: Any) -> Any:
        """Chunks of records, as strings or as rows of numbers."""
        return blocks.fixed_length(
            names,
            self.record_bytes,
            self.header_bytes,
            self.footer_bytes,
            self.hop_bytes,
            self.encoding,
            keys,
            block_bytes=_BLOCK_BYTES,
            dtype=dtype or tf.string,
        )

    def small(self, keys: KeyForm, dtype: Any) -> Any:
        """The records of light files, cut at once."""
        if self.encoding or self.hop != self.record_bytes:
            return None
        sizes = (self.record_bytes, self.header_bytes, self.footer_bytes)
        return blocks.small_fixed_length(*sizes, keys, dtype)

    def singles(self, names: Any, keys: KeyForm) -> Any:
        """Single records, where the files can be read without decoding them whole."""
        if self.encoding or self.hop != self.record_bytes:
            return None
        sizes = (self.record_bytes, self.header_bytes, self.footer_bytes)
        return blocks.single_records(names, *sizes, keys)

    def pool(self, names: Any) -> Any:
        """What shuffles the records as they are read, of the same files."""
        if self.encoding or self.hop != self.record_bytes:
            return None
        return FilePool(names, self.record_bytes, self.header_bytes, self.footer_bytes)

    @property
    def size(self) -> int:
        """`record_bytes`: what is shorter is no record."""
        return self.record_bytes

    @property
    def hop(self) -> int:
        """Bytes from one record's start to the next."""
        return self.hop_bytes or self.record_bytes

    def to_source(self, writer: Writer, keys: bool) -> tuple[str | None, str]:
        """`FixedLengthRecordDataset`, with record numbers where keys are used."""
        if self.hop != self.record_bytes:
            name = writer.verbatim("spaced_records", _SPACED_RECORDS)
            sizes = f"{self.record_bytes}, {self.header_bytes}, {self.footer_bytes}, {self.hop}"
            dataset = f'{name}(file, {sizes}, "{self.encoding}")'
        else:
            given = {"header_bytes": self.header_bytes, "footer_bytes": self.footer_bytes}
            more = [f"{key}={value}" for key, value in given.items() if value]
            more += [f'compression_type="{self.encoding}"'] if self.encoding else []
            arguments = ", ".join(["file", f"record_bytes={self.record_bytes}", *more])
            dataset = f"tf.data.FixedLengthRecordDataset({arguments})"
            writer.note("A file that ends inside a record raises here; the reader dropped it.")
        if keys:
            name = writer.verbatim("numbered_records", _NUMBERED_RECORDS)
            dataset = f"{name}(file, {dataset})"
        return None, dataset

    @property
    def compression(self) -> str:
        return self.encoding

    def records_in(self, size: int) -> int:
        """How many records a file of `size` bytes yields."""
        room = size - self.header_bytes - self.footer_bytes - self.record_bytes
        return room // self.hop + 1 if room >= 0 else 0

    def walk(self, file: str) -> Iterator[FileRecord]:
        """The whole records."""
        with open(file, "rb") as raw:
            body = tf_records.opened(raw, self.encoding).read(WHOLE_BYTES)
        for number in range(self.records_in(len(body))):
            start = self.header_bytes + number * self.hop
            yield FileRecord(file, number, body[start : start + self.record_bytes])

    def count(self, file: str, budget: Budget) -> int | None:
        """By the file's size."""
        return self.records_in(os.path.getsize(file)) if self.is_plain(file) else None

    def lost(self, file: str, budget: Budget) -> Loss | None:
        """What makes no whole record; all of it, where compressed bytes are cut into records."""
        on_disk = os.path.getsize(file)
        with open(file, "rb") as raw:
            if not self.encoding and (true := compression_of(raw.read(HEAD))):
                reason = f"it is {true.lower()} data that was read as if it were records"
                remedy = f"Use FixedLengthRecordReader(..., encoding={true!r})"
                return Loss(file, on_disk, self.records_in(on_disk), on_disk, reason, remedy)
            source = tf_records.opened(raw, self.encoding)
            while source.skip(tf_records.CHUNK * 16) and not budget.spent():
                pass
        if budget.gave_up:
            return None
        size = source.position
        if source.cut:
            reason = f"the {self.encoding.lower()} stream is cut short after {times(size, 'byte')}"
            again = "Copy or write the file again"
            return Loss(file, size, self.records_in(size), None, reason, again)
        return self._lost_of(file, size)

    def asking_for_multiple(self, size: int, file: str) -> str:
        """By another record size, unless the file's is the given one."""
        given = self.record_bytes
        if self.hop != given or not self.is_plain(file):
            return f"Check record_bytes={given}, and the dtype"
        body = os.path.getsize(file) - self.header_bytes - self.footer_bytes
        if body % given == 0:
            return (
                f"The file is {body // given} whole records of record_bytes={given}: check the "
                "dtype, or decode only the part of each record that is of it (tf.substr)"
            )
        fits = [many for many in range(size, min(body, 2 * given) + 1, size) if body % many == 0]
        if not fits:
            return f"Check record_bytes={given}, header_bytes and footer_bytes, and the dtype"
        fit = min(fits, key=lambda many: abs(many - given))
        return f"Set record_bytes={given} to the file's true record size, such as {fit}"

    def _lost_of(self, file: str, size: int) -> Loss | None:
        count, edges = self.records_in(size), self.header_bytes + self.footer_bytes
        repair = "Take it off the list, or repair it"
        if size < self.header_bytes:
            reason = (
                f"it is shorter than its header of {times(self.header_bytes, 'byte')}{ENDS_READING}"
                " as if the epoch were over: the files after it in the filename queue were not read"
                " by this thread"
            )
            return Loss(file, size, 0, size, reason, repair, True)
        if size < edges:
            reason = f"it is shorter than header and footer together, {times(edges, 'byte')}"
            return Loss(file, size, 0, size, reason, repair)
        covered = (count - 1) * self.hop + self.record_bytes if count else 0
        if count:  # the gap that the hop means to pass over
            covered += max(0, self.hop - self.record_bytes)
        rest = size - edges - covered
        if rest <= 0:
            return None
        hop = f" every {times(self.hop, 'byte')}" if self.hop != self.record_bytes else ""
        reason = (
            f"after {times(self.header_bytes, 'byte')} of header, records of "
            f"{times(self.record_bytes, 'byte')}{hop} "
            f"and {times(self.footer_bytes, 'byte')} of footer, {rest} bytes are left that make no "
            "whole record"
        )
        remedy = "Check record_bytes, header_bytes and footer_bytes, or whether the file was cut"
        return Loss(file, size, count, rest, reason, remedy)


@lifts("FixedLengthRecordReader", "FixedLengthRecordReaderV2")
def lift(op: Any, walk: Walk) -> Records:
    """A reader of records of a fixed length."""
    if op.get_attr("record_bytes") < 1:
        remedy = "Give record_bytes the size of one record"
        raise walk.refuse(op, "it gives records of no bytes for ever", remedy, never=True)
    encoding = op.get_attr("encoding").decode() if "encoding" in op.node_def.attr else ""
    return FixedLengthRecords(
        record_bytes=int(op.get_attr("record_bytes")),
        header_bytes=whole_number(op, "header_bytes", walk),
        footer_bytes=whole_number(op, "footer_bytes", walk),
        hop_bytes=whole_number(op, "hop_bytes", walk),
        encoding=encoding if encoding in ("GZIP", "ZLIB") else "",  # TF1 takes all else as it is
    )
