"""Opens a file for reading in whole blocks: how long it is, and what is left over at its end."""

from __future__ import annotations

import os
import stat
import zlib
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.compile.kernels.budget import CHUNK_BYTES
from queueio.compile.kernels.python_ops import python_op
from queueio.compile.kernels.tracing import chosen

_BUFFER_BYTES = 1 << 18
_STRING = tf.TensorSpec([], tf.string)


def power_of_two(most: int) -> int:
    """The largest one up to `most`: chunks of such sizes are put together without copying."""
    return 1 << (max(most, 1).bit_length() - 1)


def sizes_of(
    name: tf.Tensor, header: int, footer: int, record: int, block: int
) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """Returns (size, full, tail) of a file: its bytes, the bytes in whole blocks, the rest.

    Between `header` and `footer` a file holds records of `record` bytes; what is less than a
    record at the end is not counted. `block` is a multiple of `record`. Raises NotFound, when it
    runs, if there is no such file.
    """
    asked = [name, *(tf.constant(n, tf.int64) for n in (header, footer, record, block))]
    size, full, tail = python_op(ends, asked, [tf.int64, tf.int64, tf.string])
    # Reading what cannot be read raises TensorFlow's own error for it.
    size, full, tail = chosen(
        size < 0, lambda: _read_whole(name, header, footer, record), lambda: (size, full, tail)
    )
    return (tf.ensure_shape(size, []), tf.ensure_shape(full, []), tf.ensure_shape(tail, []))


def _read_whole(name: tf.Tensor, header: int, footer: int, record: int) -> tuple[tf.Tensor, ...]:
    """The same of a file that TensorFlow may read and Python did not: all of it is the rest.

    Python does not know all names by which TensorFlow finds a file ("a.csv/"), and is refused one
    more open file that TensorFlow gets a moment later.
    """
    content = tf.io.read_file(name)
    size = length_of(content)
    whole = tf.maximum(size - header - footer, 0) // record * record
    tail = tf.strings.substr(content, tf.minimum(size, header), whole)
    return size, tf.constant(0, tf.int64), tail


def ends(name: bytes, header: int, footer: int, record: int, block: int) -> Any:
    """What `sizes_of` asks of Python; a size of -1 where the file, or how long it is, is not known.

    The system says 0 of what it makes up when it is read, as under /proc.
    """
    # tf.data cannot seek: a reader that skips reads what it skips. One seek here is cheaper.
    try:
        size = os.stat(name).st_size if is_local(name) else tf.io.gfile.stat(name.decode()).length
        if not size:
            return np.int64(-1), np.int64(0), b""
        whole = max(size - header - footer, 0) // record * record
        full = whole // block * block
        with _opened(name) as file:
            file.seek(header + full)
            return np.int64(size), np.int64(full), file.read(whole - full)
    except (tf.errors.OpError, OSError, ValueError):
        return np.int64(-1), np.int64(0), b""


def _far(name: bytes) -> bool:
    """Whether TensorFlow knows how to reach it: the names of other files may be any bytes."""
    return b"://" in name


def is_local(name: bytes) -> bool:
    """Whether the operating system finds by this name the file that TensorFlow finds.

    TensorFlow takes "folder/.." away by its letters; the folder may be a link to elsewhere.
    """
    if _far(name) or b".." not in name:
        return not _far(name)
    try:
        return os.path.samefile(name, os.path.normpath(name))
    except OSError:
        return False


def _opened(name: bytes) -> Any:
    return open(name, "rb") if is_local(name) else tf.io.gfile.GFile(name.decode(), "rb")


def blocks_of_file(
    name: tf.Tensor, header: int, footer: int, record: int, block: int
) -> tf.data.Dataset:
    """Strings of whole blocks, and one of the records that are left over; see `sizes_of`."""
    size, full, tail = sizes_of(name, header, footer, record, block)
    blocks = full_blocks(name, size, full, header, block)
    some = tf.cast(tf.strings.length(tail) > 0, tf.int64)
    return blocks.concatenate(tf.data.Dataset.from_tensors(tail).take(some))


def full_blocks(
    name: tf.Tensor, size: tf.Tensor, full: tf.Tensor, header: int, block: int
) -> tf.data.Dataset:
    """The whole blocks of a file, as strings."""
    after = size - header - full
    data = tf.raw_ops.FixedLengthRecordDatasetV2(
        filenames=name[tf.newaxis], header_bytes=tf.constant(header, tf.int64),
        record_bytes=tf.constant(block, tf.int64), footer_bytes=tf.where(full > 0, after, 0),
        buffer_size=_BUFFER_BYTES, compression_type="",
    )  # fmt: skip
    return tf.data.experimental.from_variant(data, _STRING).take(full // block)


def records_of(names: tf.Tensor, compression: str = "", at: tf.Tensor | None = None) -> Any:
    """The records of TFRecord files, strings; `at`: the offset in each where they begin.

    A `tf.data.TFRecordDataset` holds two functions besides, which take two milliseconds of every
    iterator's start, and forty of the first.
    """
    names = tf.reshape(names, [-1])
    offsets = tf.zeros([tf.size(names)], tf.int64) if at is None else tf.reshape(at, [-1])
    read = tf.raw_ops.TFRecordDatasetV2(
        filenames=names, compression_type=compression, buffer_size=_BUFFER_BYTES,
        byte_offsets=offsets,
    )  # fmt: skip
    return tf.data.experimental.from_variant(read, _STRING)


def length_of(content: tf.Tensor) -> tf.Tensor:
    """Bytes of a string, int64."""
    return tf.cast(tf.strings.length(content), tf.int64)


_HEAD_BYTES = 1 << 16
_RECORD_HEAD, _FRAMING = 8, 16  # bytes that say a record's length; all that are not of its content


def _unpacked(head: bytes, compression: str) -> bytes:
    """The first bytes of a file's content, as many as can be made of `head` and are enough."""
    if not compression:
        return head
    unpack = zlib.decompressobj(31 if compression == "GZIP" else 15)
    try:
        return unpack.decompress(head, _HEAD_BYTES)
    except zlib.error:  # reading it will say so
        return b""


def _longest(head: bytes) -> int:
    """Bytes of the longest TFRecord that begins in `head`."""
    longest = at = 0
    while at + _RECORD_HEAD <= len(head):
        length = int.from_bytes(head[at : at + _RECORD_HEAD], "little")
        longest, at = max(longest, length), at + length + _FRAMING
    return longest


def rows_at_once(name: tf.Tensor, compression: str, most: int) -> tuple[tf.Tensor, tf.Tensor]:
    """How many records of a TFRecord file to hold: `most`, or those that make a chunk.

    The longest record of the first few stands for all. Second comes whether it is a file of this
    machine, and neither a pipe nor far away. Raises NotFound, when it runs, if there is no file.
    """
    asked = [name, tf.constant(compression), tf.constant(most, tf.int64)]
    found, plain = python_op(rows_that_fit, asked, [tf.int64, tf.bool])
    # Raised here, an error is raised once; the dataset of a missing file would try for ever.
    found = chosen(
        found < 1, lambda: tf.maximum(length_of(tf.io.read_file(name)), 1), lambda: found
    )
    return tf.ensure_shape(found, []), tf.ensure_shape(plain, [])


def rows_that_fit(name: bytes, compression: bytes, most: int) -> Any:
    """What `rows_at_once` asks of Python; 0 where the file cannot be read."""
    try:
        with _opened(name) as file:
            length = _longest(_unpacked(file.read(_HEAD_BYTES), compression.decode()))
            plain = is_local(name) and stat.S_ISREG(os.fstat(file.fileno()).st_mode)
    except (tf.errors.OpError, OSError, ValueError):
        return np.int64(0), np.bool_(False)
    rows = power_of_two(min(int(most), CHUNK_BYTES // max(length, 1)))
    return np.int64(rows), np.bool_(plain)
