"""Reads files a block at a time: datasets of chunks of records, with the readers' keys.

Each function takes a dataset of file names and gives a dataset of tuples `(values,)` or, if keys
are asked for, `(keys, values)`: string vectors [C] of records in the order of the files; keys may
come in two parts (keys.py). A chunk never spans two files. A missing file raises NotFound once;
reading may go on with the next.
"""

from __future__ import annotations

from collections.abc import Callable

import tensorflow as tf

from queueio.compile.kernels import native
from queueio.compile.kernels.as_written import either, enumerated, flat_mapped, mapped, scanned
from queueio.compile.kernels.budget import CHUNK_BYTES, Rows, calls
from queueio.compile.kernels.file_blocks import (
    blocks_of_file,
    length_of,
    power_of_two,
    records_of,
    rows_at_once,
)
from queueio.compile.kernels.keys import KeyForm, keys_of, shared
from queueio.compile.kernels.lines import split_lines
from queueio.compile.kernels.rows import rows_in
from queueio.compile.kernels.small_files import Small, contents

BLOCK_BYTES = 1 << 18
_MOST_ROWS = 16384
_RECORDS = 2048
_MOST_RECORDS = 4096
_FRAMING = 16  # bytes that a TFRecord adds to its record


def text_lines(
    files: tf.data.Dataset,
    skip_header_lines: int = 0,
    keys: KeyForm = KeyForm.NONE,
    block_bytes: int = BLOCK_BYTES,
) -> tf.data.Dataset:
    """Lines without their ends, as TextLineReader gives them; keys are `file:line` from 1."""
    return split_lines(files, skip_header_lines, keys, block_bytes)


def fixed_length(
    files: tf.data.Dataset,
    record_bytes: int,
    header_bytes: int = 0,
    footer_bytes: int = 0,
    hop_bytes: int = 0,
    encoding: str = "",
    keys: KeyForm = KeyForm.NONE,
    block_bytes: int = BLOCK_BYTES,
    dtype: tf.DType = tf.string,
) -> tf.data.Dataset:
    """Records of one length, as FixedLengthRecordReader gives them; keys are `file:n` from 0.

    `hop_bytes` of 0 means `record_bytes`. `encoding` is "", "GZIP" or "ZLIB"; encoded files are
    decoded whole. With a numeric `dtype` the values are a matrix of the records' numbers, which
    saves making strings of them first.
    """
    hop = hop_bytes or record_bytes
    step = power_of_two(min(block_bytes // hop, _MOST_ROWS))
    sizes = (header_bytes, footer_bytes, record_bytes, hop, step)
    cut = lambda data: _cut(data, record_bytes, hop, dtype)  # noqa: E731
    at_a_time = calls() if record_bytes <= CHUNK_BYTES else 0

    def records(name: tf.Tensor, first: tf.Tensor, data: tf.Tensor) -> tuple[tf.Tensor, ...]:
        values = cut(data)
        numbers = tf.range(first, first + rows_in([values], tf.int64))
        return *keys_of(keys, name, numbers), values

    if encoding or hop != record_bytes:
        of_file = _pieces_of_content(sizes, encoding)
    elif keys:
        of_file = _numbered_blocks(sizes)
    else:
        blocks = flat_mapped(files, lambda name: _blocks(name, sizes))
        return mapped(blocks, lambda data: (cut(data),), at_a_time)
    pieces = flat_mapped(files, of_file)
    if not keys:
        return mapped(pieces, lambda _, __, data: (cut(data),), at_a_time)
    return mapped(pieces, records, at_a_time)


def single_records(
    files: tf.data.Dataset,
    record_bytes: int,
    header_bytes: int = 0,
    footer_bytes: int = 0,
    keys: KeyForm = KeyForm.NONE,
) -> tf.data.Dataset:
    """Records of one length, one by one: for rows so wide that to copy them costs more.

    Strings, or triples with the parts of their keys.
    """

    def of_file(name: tf.Tensor) -> tf.data.Dataset:
        records = blocks_of_file(name, header_bytes, footer_bytes, record_bytes, record_bytes)
        if not keys:
            return records
        names = tf.data.Dataset.from_tensors(name).repeat()
        return tf.data.Dataset.zip((names, tf.data.Dataset.range(tf.int64.max), records))

    return flat_mapped(files, of_file)


_Sizes = tuple[int, int, int, int, int]
_OfFile = Callable[[tf.Tensor], tf.data.Dataset]


def _blocks(name: tf.Tensor, sizes: _Sizes) -> tf.data.Dataset:
    header, footer, record, _, step = sizes
    return blocks_of_file(name, header, footer, record, step * record)


def _numbered_blocks(sizes: _Sizes) -> _OfFile:
    """Tuples (name, number of the first record, bytes)."""
    step = sizes[-1]

    def of_file(name: tf.Tensor) -> tf.data.Dataset:
        return mapped(enumerated(_blocks(name, sizes)), lambda i, data: (name, i * step, data))

    return of_file


def _pieces_of_content(sizes: _Sizes, encoding: str) -> _OfFile:
    """The same from a file read whole: it is encoded, or its records overlap or leave gaps."""
    header, footer, record, hop, step = sizes

    def of_file(name: tf.Tensor) -> tf.data.Dataset:
        content = tf.io.read_file(name)
        if encoding:
            content = tf.io.decode_compressed(content, encoding)
        room = length_of(content) - header - footer - record
        count = tf.where(room < 0, tf.constant(0, tf.int64), room // hop + 1)

        def piece(first: tf.Tensor) -> tuple[tf.Tensor, ...]:
            n = tf.minimum(count - first, step)
            data = tf.strings.substr(content, header + first * hop, (n - 1) * hop + record)
            return name, first, data

        return mapped(tf.data.Dataset.range(0, count, step), piece)

    return of_file


def _cut(data: tf.Tensor, length: int, hop: int, dtype: tf.DType) -> tf.Tensor:
    if dtype != tf.string and hop == length:
        return tf.reshape(tf.io.decode_raw(data, dtype), [-1, length // dtype.size])
    n = (tf.strings.length(data) - length) // hop + 1
    starts = tf.range(n) * hop
    values = tf.strings.substr(data, starts, tf.fill(tf.shape(starts), length))
    return values if dtype == tf.string else tf.io.decode_raw(values, dtype)


def tf_records(
    files: tf.data.Dataset,
    compression: str = "",
    keys: KeyForm = KeyForm.NONE,
    records: int | None = None,
) -> tf.data.Dataset:
    """Records of TFRecord files; keys are `file:offset`, the offset in the uncompressed file.

    A chunk holds `records` of them; by default so many that it has a few megabytes.
    """

    def of_file(name: tf.Tensor) -> tf.data.Dataset:
        rows, plain = rows_at_once(name, compression, records or _MOST_RECORDS)
        chunks = lambda: _whole_chunks(name, compression, rows)  # noqa: E731
        natively = lambda: native.chunks_of_tf_records(name, rows)  # noqa: E731
        own = native.reads_tf_records() and not compression
        placed = _placed(name, either(plain, natively, chunks) if own else chunks(), keys)
        return flat_mapped(
            placed, lambda at, last, *chunk: _or_rest(name, compression, keys, at, last, chunk)
        )

    return flat_mapped(files, of_file)


def tf_examples(files: tf.data.Dataset, parsed: native.Parsed) -> tf.data.Dataset:
    """What is parsed out of the records of TFRecord files, tuples of [C, ...]."""

    def of_file(name: tf.Tensor) -> tf.data.Dataset:
        rows, plain = rows_at_once(name, "", _MOST_RECORDS)

        def unlike() -> tf.data.Dataset:
            none = parsed.none()
            placed = _placed(name, _whole_chunks(name, "", rows), KeyForm.NONE)
            return mapped(placed, lambda at, last, values: (at, last, False, values, *none))

        read = either(plain, lambda: parsed.chunks(name, rows), unlike)
        return flat_mapped(read, lambda *chunk: _parsed(name, parsed, *chunk))

    return flat_mapped(files, of_file)


def _parsed(
    name: tf.Tensor,
    parsed: native.Parsed,
    at: tf.Tensor,
    last: tf.Tensor,
    good: tf.Tensor,
    records: tf.Tensor,
    *values: tf.Tensor,
) -> tf.data.Dataset:
    """What is made of a chunk: of its values, or else of the records that were read instead."""

    def plainly() -> tf.data.Dataset:
        return parsed.plainly(_or_rest(name, "", KeyForm.NONE, at, last, (records,)))

    return either(good, lambda: tf.data.Dataset.from_tensors(parsed.made(values)), plainly)


def _whole_chunks(name: tf.Tensor, compression: str, rows: tf.Tensor) -> tf.data.Dataset:
    """Pairs (values, False), up to a chunk that cannot be read whole, and a last (none, True)."""
    read = records_of(name, compression).batch(rows).ignore_errors()
    end = tf.data.Dataset.from_tensors((tf.zeros([0], tf.string), True))
    return mapped(read, lambda values: (values, False)).concatenate(end)


def _placed(name: tf.Tensor, chunks: tf.data.Dataset, keys: KeyForm) -> tf.data.Dataset:
    """The chunks of a file, each behind the offset where it begins."""
    return scanned(
        chunks, tf.constant(0, tf.int64), lambda at, new: _with_offsets(name, at, new, keys)
    )


def _with_offsets(
    name: tf.Tensor, at: tf.Tensor, new: tuple[tf.Tensor, tf.Tensor], keys: KeyForm
) -> tuple[tf.Tensor, tuple[tf.Tensor, ...]]:
    """Passes on where the chunk ends in the file; where it starts is the state."""
    values, last = new
    lengths = tf.cast(tf.strings.length(values), tf.int64) + _FRAMING
    end = at + tf.reduce_sum(lengths)
    offsets = at + tf.cumsum(lengths, exclusive=True)
    return end, (at, last, *keys_of(keys, name, offsets), values)


def _or_rest(
    name: tf.Tensor,
    compression: str,
    keys: KeyForm,
    at: tf.Tensor,
    last: tf.Tensor,
    chunk: tuple[tf.Tensor, ...],
) -> tf.data.Dataset:
    """The chunk; after the last one, record by record what is left, up to the error in it."""

    def rest() -> tf.data.Dataset:
        records = records_of(name, compression, at).batch(1)
        return scanned(records, at, keyed) if keys else mapped(records, lambda values: (values,))

    def keyed(at: tf.Tensor, values: tf.Tensor) -> tuple[tf.Tensor, tuple[tf.Tensor, ...]]:
        end = at + tf.cast(tf.strings.length(values[0]), tf.int64) + _FRAMING
        return end, (*keys_of(keys, name, at[tf.newaxis]), values)

    return either(last, rest, lambda: tf.data.Dataset.from_tensors(chunk))


def whole_files(files: tf.data.Dataset, keys: KeyForm = KeyForm.NONE) -> tf.data.Dataset:
    """One record per file, its content; the key is the file's name. Chunks of one."""

    def of_file(name: tf.Tensor) -> tuple[tf.Tensor, ...]:
        value = tf.io.read_file(name)[tf.newaxis]
        return (name[tf.newaxis], value) if keys else (value,)

    return mapped(files, of_file, calls())


def identity(files: tf.data.Dataset, keys: KeyForm = KeyForm.NONE) -> tf.data.Dataset:
    """The names themselves, as IdentityReader gives them, key and value alike."""
    # Not a zip of the names with themselves: each side would shuffle them for itself.
    return mapped(files.batch(_RECORDS), lambda names: (names, names) if keys else (names,))


def small_texts(skip_header_lines: int, keys: KeyForm) -> Small:
    """Reads light text files; see `text_lines`."""

    def read(names: tf.Tensor) -> tuple[tf.Tensor, Rows]:
        texts = tf.strings.regex_replace(contents(names), "\r(\n|\\z)", "\\1")
        some = tf.squeeze(tf.where(tf.not_equal(texts, "")), 1)
        texts = tf.strings.regex_replace(tf.gather(texts, some), "\n\\z", "")
        places, lines, _ = tf.raw_ops.StringSplitV2(input=texts, sep="\n")
        at, number = tf.unstack(places, 2, 1)
        file = tf.gather(some, at)
        wanted = tf.squeeze(tf.where(number >= skip_header_lines), 1)
        lines = tf.gather(lines, wanted)
        if not keys:
            return tf.constant(True), (lines,)
        file, number = tf.gather(file, wanted), tf.gather(number, wanted)
        of_line = tf.gather(shared(names), file)
        return tf.constant(True), (*keys_of(keys, of_line, number + 1), lines)

    return read


def small_fixed_length(
    record_bytes: int, header_bytes: int, footer_bytes: int, keys: KeyForm, dtype: tf.DType
) -> Small:
    """Reads light files of records of one length, without gaps; see `fixed_length`."""

    def read(names: tf.Tensor) -> tuple[tf.Tensor, Rows]:
        whole = contents(names)
        size = tf.strings.length(whole)
        count = tf.maximum(size - header_bytes - footer_bytes, 0) // record_bytes
        data = tf.strings.substr(whole, tf.minimum(size, header_bytes), count * record_bytes)
        values = _cut(tf.strings.reduce_join(data), record_bytes, record_bytes, dtype)
        if not keys:
            return tf.constant(True), (values,)
        number = tf.ragged.range(count).flat_values
        return tf.constant(True), (*keys_of(keys, tf.repeat(shared(names), count), number), values)

    return read


def small_tf_examples(parsed: native.Parsed) -> Small:
    """The same of what is parsed out of them."""
    return lambda names: parsed.small(names, _MOST_RECORDS)


def small_tf_records() -> Small:
    """Reads light TFRecord files, if they are whole, and the records are not too many."""

    def read(names: tf.Tensor) -> tuple[tf.Tensor, Rows]:
        if native.reads_tf_records():
            return native.small_tf_records(names, _MOST_RECORDS)

        def all_of_them(names: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            records = records_of(names).batch(_MOST_RECORDS)
            return tf.constant(True), records.get_single_element()

        tried = mapped(tf.data.Dataset.from_tensors(names), all_of_them).ignore_errors()
        nothing = tf.data.Dataset.from_tensors((False, tf.zeros([0], tf.string)))
        good, records = tried.concatenate(nothing).take(1).get_single_element()
        return good, (records,)

    return read


def small_whole_files(keys: KeyForm) -> Small:
    """Reads light files, each one record; see `whole_files`."""

    def read(names: tf.Tensor) -> tuple[tf.Tensor, Rows]:
        values = contents(names)
        return tf.constant(True), (names, values) if keys else (values,)

    return read
