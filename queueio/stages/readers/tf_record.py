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

from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from queueio.compile import blocks
from queueio.compile.spans import rows_at_once
from queueio.eager import refuse_eager
from queueio.plan import Walk, lifts
from queueio.stages.readers.reader import ReaderBase, Records

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
        refuse_eager("TFRecordReader")
        compression = v1.io.TFRecordOptions.get_compression_type_string(options)
        super().__init__(tf.raw_ops.TFRecordReaderV2(compression_type=compression, name=name))


@dataclass(frozen=True)
class TFRecords(Records):
    """The records of TFRecord files."""

    compression_type: str = ""

    def dataset(self, name: Any) -> Any:
        """Pairs (`file:byte offset`, record)."""
        # A missing file is found out here: its dataset would raise the error again and again.
        with tf.control_dependencies([rows_at_once(name, most=1, total=1)]):
            name = tf.identity(name)
        records = tf.data.TFRecordDataset(name, compression_type=self.compression_type)

        def keyed(offset: Any, record: Any) -> tuple[Any, Any]:
            key = tf.strings.join([name, ":", tf.strings.as_string(offset)])
            # Around each record: its length (8 bytes), a checksum of that (4) and of itself (4).
            size = tf.cast(tf.strings.length(record), tf.int64)
            return offset + size + 16, (key, record)

        return records.scan(tf.constant(0, tf.int64), keyed)

    def chunks(self, names: Any, keys: bool, dtype: Any) -> Any:
        """Chunks of records."""
        return (
            blocks.tf_records(names, self.compression_type, keys)
            if dtype in (None, tf.string)
            else None
        )

    def to_source(self, writer: Any, keys: bool) -> tuple[str | None, str]:
        """`TFRecordDataset`, with byte offsets where keys are used."""
        if keys:
            name = writer.verbatim("keyed_records", _KEYED_RECORDS)
            return None, f'{name}(file, "{self.compression_type}")'
        kind = self.compression_type
        return None, f'{_DATASET}(file, compression_type="{kind}")' if kind else _DATASET


@lifts("TFRecordReader", "TFRecordReaderV2")
def lift(op: Any, walk: Walk) -> Records:
    """A TFRecord reader."""
    return TFRecords(compression_type=op.get_attr("compression_type").decode())
