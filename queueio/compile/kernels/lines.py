"""Splits blocks of text into lines, many at once."""

from __future__ import annotations

import tensorflow as tf

from queueio.compile.kernels.as_written import enumerated, flat_mapped, kept, mapped, scanned
from queueio.compile.kernels.budget import calls
from queueio.compile.kernels.file_blocks import full_blocks, sizes_of
from queueio.compile.kernels.keys import KeyForm, keys_of
from queueio.compile.kernels.rows import between
from queueio.compile.kernels.tracing import chosen

_TAIL_BYTES = 1 << 14
_GATHERED_BYTES = 1 << 22


def split_lines(
    files: tf.data.Dataset, skip_header_lines: int, keys: KeyForm, block_bytes: int
) -> tf.data.Dataset:
    """See `blocks.text_lines`."""
    texts = flat_mapped(files, lambda name: _blocks(name, block_bytes))
    texts = scanned(texts, (("", ""), False), _whole_lines)
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


_Parts = tuple[tf.Tensor, tf.Tensor]


def _whole_lines(
    held: tuple[_Parts, tf.Tensor], new: tuple[tf.Tensor, ...]
) -> tuple[tuple[_Parts, tf.Tensor], tuple[tf.Tensor, ...]]:
    """Keeps back what follows the last line end; gives what precedes it, with what was kept."""
    (rest, fresh), (name, first, last, data) = held, new
    first = tf.logical_or(fresh, first)
    end = tf.where(last, -1, _last_line_end(data))
    # A file may end without a line end, but a last line of nothing is no line.
    some = tf.where(last, tf.logical_not(_nothing(rest)), end >= 0)
    before = tf.strings.substr(data, 0, tf.maximum(end, 0))
    text = chosen(some, lambda: rest[0] + rest[1] + before, lambda: tf.constant(""))
    over = tf.logical_or(some, last)
    after = tf.strings.substr(data, end + 1, tf.strings.length(data))
    kept = chosen(over, lambda: (tf.constant(""), after), lambda: _longer(rest, after))
    return (kept, tf.logical_and(first, tf.logical_not(over))), (name, first, text, some)


def _nothing(rest: _Parts) -> tf.Tensor:
    return tf.logical_and(
        tf.equal(rest[0], ""), tf.logical_or(tf.equal(rest[1], ""), tf.equal(rest[1], "\r"))
    )


def _longer(rest: _Parts, new: tf.Tensor) -> _Parts:
    """The begun line with a further piece of it.

    A string is copied to become longer: the pieces gather in one of some megabytes, so that a line
    of many blocks is not copied for each of them.
    """
    long, short = rest[0], rest[1] + new
    gathered = chosen(
        tf.strings.length(short) < _GATHERED_BYTES,
        lambda: (tf.identity(long), tf.identity(short)),
        lambda: (long + short, tf.constant("")),
    )
    return gathered[0], gathered[1]


def _last_line_end(data: tf.Tensor) -> tf.Tensor:
    """Position of the last newline of `data`, or -1: mostly it is among the last bytes."""
    length = tf.strings.length(data)
    near = tf.maximum(length - _TAIL_BYTES, 0)
    found = _last_newline(data, near)
    # Lines of one length may never end there, a multiple of which a block is.
    return chosen(
        tf.logical_or(found >= 0, tf.equal(near, 0)),
        lambda: tf.identity(found),
        lambda: _last_newline(data, tf.constant(0)),
    )


def _last_newline(data: tf.Tensor, start: tf.Tensor) -> tf.Tensor:
    """Position of the last newline of `data` from `start` on, or -1."""
    part = tf.strings.substr(data, start, tf.strings.length(data))
    ends = tf.where(tf.equal(tf.io.decode_raw(part, tf.uint8), 10))
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
