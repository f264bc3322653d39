"""Reads the records of TFRecord files.

Legacy:
    reader = tf.TFRecordReader()
    key, record = reader.read(tf.train.string_input_producer(["a.tfrecord"], num_epochs=1))

Modern:
    dataset = tf.data.TFRecordDataset("a.tfrecord")

Emits:
    key: string, shape (), `file:byte offset`; value: string, shape ()

Differs:
    Keys hold the offset of the record in the file, after decompression. A file cut off inside a
    length field ends without a word in both forms; queueio says so.

Raises:
    DataLossError for a corrupt record, again at every further read; NotFoundError for a missing
    file, once.

Compression is never guessed: the reader's options must name it. A file read with the wrong
compression is reported as a corrupt record at 0.

Source:
    tf.TFRecordReader of TensorFlow 1.15
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import tensorflow as tf

from queueio.compile.kernels import blocks
from queueio.compile.kernels.file_blocks import rows_at_once
from queueio.compile.kernels.keys import KeyForm
from queueio.compile.kernels.native import Parsed
from queueio.eager import refuse_eager_reader
from queueio.forensics import tf_records
from queueio.forensics.location import Budget
from queueio.forensics.records import FileRecord, Loss
from queueio.forensics.sniff import sniff
from queueio.plan import Walk, lifts
from queueio.stages.readers.reader import ReaderBase, Records
from queueio.words import times

if TYPE_CHECKING:
    from queueio.emit.writer import Writer

_DATASET = "tf.data.TFRecordDataset"
_KEYED_RECORDS = '''
def keyed_records(file: tf.Tensor, compression_type: str) -> tf.data.Dataset:
    """Pairs of `file:byte offset` and the record."""
    records = tf.data.TFRecordDataset(file, compression_type=compression_type)

    def with_key(
        offset: tf.Tensor, record: tf.Tensor
    ) -> tuple[tf.Tensor, tuple[tf.Tensor, tf.Tensor]]:
        key = tf.strings.join([file, ":", tf.strings.as_string(offset)])
        # Around each record: 8 bytes of length, and two checksums of 4 bytes.
        size = tf.cast(tf.strings.length(record), tf.int64)
        return offset + size + 16, (key, record)

    return records.scan(tf.constant(0, tf.int64), with_key)
'''

v1 = tf.compat.v1


class TFRecordReader(ReaderBase):
    """Gives the records of TFRecord files; keys are `file:byte offset`."""

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        """Makes the reader.

        Args:
          name: name of the op (default "TFRecordReaderV2").
          options: a `TFRecordOptions`, a `TFRecordCompressionType`, or "GZIP", "ZLIB" or "".

        Raises:
          RuntimeError: eager execution is on.
        """
        refuse_eager_reader("TFRecordReader")
        compression = v1.io.TFRecordOptions.get_compression_type_string(options)
        super().__init__(tf.raw_ops.TFRecordReaderV2(compression_type=compression, name=name))


@dataclass(frozen=True)
class TFRecords(Records):
    """The records of TFRecord files."""

    unit: ClassVar[str] = "byte"
    numbered: ClassVar[bool] = True
    compression_type: str = ""

    def dataset(self, name: Any) -> Any:
        """Pairs (`file:byte offset`, record)."""
        # A missing file is found out here: its dataset would raise the error again and again.
        with tf.control_dependencies(rows_at_once(name, "", most=1)):
            name = tf.identity(name)
        records = tf.data.TFRecordDataset(name, compression_type=self.compression_type)

        def keyed(offset: Any, record: Any) -> tuple[Any, Any]:
            key = tf.strings.join([name, ":", tf.strings.as_string(offset)])
            # Around each record: its length (8 bytes), a checksum of that (4) and of itself (4).
            size = tf.cast(tf.strings.length(record), tf.int64)
            return offset + size + 16, (key, record)

        return records.scan(tf.constant(0, tf.int64), keyed)

    @property
    def parses(self) -> bool:
        """Unless each file is unpacked first."""
        return not self.compression_type

    def chunks(self, names: Any, keys: KeyForm, dtype: Any) -> Any:
        """Chunks of records, or of what is parsed out of them."""
        if isinstance(dtype, Parsed):
            return blocks.tf_examples(names, dtype)
        return (
            blocks.tf_records(names, self.compression_type, keys)
            if dtype in (None, tf.string)
            else None
        )

    def small(self, keys: KeyForm, dtype: Any) -> Any:
        """The records of light files one after the other; keys want each file's offsets."""
        if isinstance(dtype, Parsed):
            return blocks.small_tf_examples(dtype)
        alone = keys or self.compression_type or dtype != tf.string
        return None if alone else blocks.small_tf_records()

    def to_source(self, writer: Writer, keys: bool) -> tuple[str | None, str]:
        """`TFRecordDataset`, with byte offsets where keys are used."""
        if keys:
            name = writer.verbatim("keyed_records", _KEYED_RECORDS)
            return None, f'{name}(file, "{self.compression_type}")'
        kind = self.compression_type
        return None, f'{_DATASET}(file, compression_type="{kind}")' if kind else _DATASET

    @property
    def compression(self) -> str:
        return self.compression_type

    def walk(self, file: str) -> Iterator[FileRecord]:
        """The whole records."""
        with open(file, "rb") as raw:
            for at, data in tf_records.records(tf_records.opened(raw, self.compression)):
                yield FileRecord(file, at, data)

    def count(self, file: str, budget: Budget) -> int | None:
        """From length to length."""
        if not self.is_plain(file):
            return None
        with open(file, "rb") as raw:
            walked = tf_records.walk_plain(raw, lambda: not budget.spent())
        return walked[0] if walked else 0

    def lost(self, file: str, budget: Budget) -> Loss | None:
        """A length field that is cut off: it is taken for the end of the file."""
        walked, cut = self._walked(file, budget)
        if walked is None:
            return None
        count, end, size = walked
        rest = size - end
        if not 0 < rest < tf_records.HEADER:
            return None  # a whole file, or one at which the reader itself raises an error
        reason = (
            f"the file ends {times(rest, 'byte')} into the 12-byte length field of record {count}"
        )
        if cut:
            reason += f", because its {self.compression.lower()} stream is cut short"
        lost = None if cut else rest
        return Loss(file, size, count, lost, reason, "The file was cut: copy or write it again")

    def _walked(self, file: str, budget: Budget) -> tuple[tuple[int, int, int] | None, bool]:
        """(records, where the last one ends, size); and whether a compressed stream is cut."""
        with open(file, "rb") as raw:
            if not self.compression:
                return tf_records.walk_plain(raw, lambda: not budget.spent()), False
            source = tf_records.opened(raw, self.compression)
            count, end = 0, 0
            for frame in tf_records.frames(source):
                if not count & 0xFFF and budget.spent():
                    return None, False
                count, end = count + 1, frame.end
            return (count, end, source.position), source.cut

    def may_begin(self, head: bytes) -> bool:
        """With a length and its checksum."""
        return sniff(head).startswith("a TFRecord")

    def asking_for(self, compression: str) -> str:
        """The reader with its options."""
        if not compression:
            return "tf.TFRecordReader()"
        kind = f"tf.python_io.TFRecordCompressionType.{compression}"
        return f"tf.TFRecordReader(options=tf.python_io.TFRecordOptions({kind}))"


@lifts("TFRecordReader", "TFRecordReaderV2")
def lift(op: Any, walk: Walk) -> Records:
    """A TFRecord reader."""
    return TFRecords(compression_type=op.get_attr("compression_type").decode())
