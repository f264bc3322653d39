"""Splits blocks of text into lines, many at once."""

from __future__ import annotations

import tensorflow as tf

from queueio.compile.kernels.as_written import enumerated, flat_mapped, kept, mapped, scanned
from queueio.compile.kernels.budget import calls
from queueio.compile.kernels.file_blocks import full_blocks, sizes_of
from queueio.compile.kernels.keys import KeyForm, keys_of
from queueio.compile.kernels.rows import between

_TAIL_BYTES = 1 << 14


def split_lines(
    files: tf.data.Dataset, skip_header_lines: int, keys: KeyForm, block_bytes: int
) -> tf.data.Dataset:
    """See `blocks.text_lines`."""
    texts = flat_mapped(files, lambda name: _blocks(name, block_bytes))
    texts = scanned(texts, ("", False), _whole_lines)
    texts = kept(texts, lambda name, first, text, some: some)
    lines = mapped(texts, _split, calls())
    if skip_header_lines or keys:
        count = lambda line, new: _count(line, new, skip_header_lines)  # noqa: E731
        lines = scanned(lines, tf.constant(0, tf.int64), count)
        lines = kept(lines, lambda name, number, values: tf.size(values) > 0)
        finish = lambda name, number, values: _finish(name, number, values, keys)  # noqa: E731
        return mapped(lines, finish, calls())
    return mapped(lines, lambda name, first, values: (values,))


def _blocks(name: tf.Tensor, block_bytes: int) -> tf.data.Dataset:
    """Tuples (name, first of file, last of file, data); the last has no data."""
    size, full, tail = sizes_of(name, 0, 0, 1, block_bytes)
    middle = full_blocks(name, size, full, 0, block_bytes)
    middle = mapped(middle, lambda data: (False, data))
    blocks = middle.concatenate(tf.data.Dataset.from_tensors((False, tail)))
    blocks = blocks.concatenate(tf.data.Dataset.from_tensors((True, "")))
    return mapped(enumerated(blocks), lambda i, new: (name, tf.equal(i, 0), *new))


def _whole_lines(
    held: tuple[tf.Tensor, tf.Tensor], new: tuple[tf.Tensor, ...]
) -> tuple[tuple[tf.Tensor, tf.Tensor], tuple[tf.Tensor, ...]]:
    """Keeps back what follows the last line end; gives what precedes it, with what was kept."""
    rest, fresh = held
    name, first, last, data = new
    first = tf.logical_or(fresh, first)
    end = tf.where(last, -1, _last_line_end(data))
    text = tf.where(last, rest, rest + tf.strings.substr(data, 0, tf.maximum(end, 0)))
    # A file may end without a line end, but a last line of nothing is no line.
    nothing = tf.logical_or(tf.equal(rest, ""), tf.equal(rest, "\r"))
    some = tf.where(last, tf.logical_not(nothing), end >= 0)
    kept = tf.where(some, "", rest) + tf.strings.substr(data, end + 1, tf.strings.length(data))
    fresh = tf.logical_and(first, tf.logical_not(tf.logical_or(some, last)))
    return (tf.where(last, "", kept), fresh), (name, first, text, some)


def _last_line_end(data: tf.Tensor) -> tf.Tensor:
    """Position of the last newline among the last bytes of `data`, or -1.

    A line longer than those bytes is found later, with the next block.
    """
    length = tf.strings.length(data)
    start = tf.maximum(length - _TAIL_BYTES, 0)
    tail = tf.io.decode_raw(tf.strings.substr(data, start, _TAIL_BYTES), tf.uint8)
    ends = tf.where(tf.equal(tail, 10))
    last = tf.cast(tf.reduce_max(tf.concat([[[-1]], ends], 0)), tf.int32)
    return tf.where(last < 0, -1, start + last)


def _split(
    name: tf.Tensor, first: tf.Tensor, text: tf.Tensor, some: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    # Readers drop one carriage return at the end of a line, and no other.
    text = tf.strings.regex_replace(text, "\r(\n|\\z)", "\\1")
    return name, first, tf.raw_ops.StringSplitV2(input=[text], sep="\n").values


def _count(
    line: tf.Tensor, new: tuple[tf.Tensor, ...], skip: int
) -> tuple[tf.Tensor, tuple[tf.Tensor, ...]]:
    """Numbers the lines of a file from 0 and drops its header."""
    name, first, values = new
    line = tf.where(first, tf.constant(0, tf.int64), line)
    header = tf.clip_by_value(skip - line, 0, tf.size(values, tf.int64))
    after = line + tf.size(values, tf.int64)
    return after, (name, line + header, *between([values], header))


def _finish(
    name: tf.Tensor, number: tf.Tensor, values: tf.Tensor, keys: KeyForm
) -> tuple[tf.Tensor, ...]:
    numbers = tf.range(number + 1, number + 1 + tf.size(values, tf.int64))
    return *keys_of(keys, name, numbers), values
