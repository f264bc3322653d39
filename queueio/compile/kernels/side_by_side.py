"""Several files read at once, of which no more waits than a chunk each, or two where they mix.

`Dataset.interleave` with parallel calls would hold about six for every file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from queueio.compile.kernels.as_written import (
    arguments,
    either,
    enumerated,
    flat_mapped,
    mapped,
    scanned,
    traced,
)
from queueio.compile.kernels.budget import CHUNK_BYTES, Rows, at_most, bytes_of_row, cut
from queueio.compile.kernels.gather import gathered
from queueio.compile.kernels.rows import rows_in

_MOST_ROWS = 4096
WIDE_BYTES = 1 << 15
"""Rows of more take turns one by one: those that were copied together would stay together."""


def interleaved(
    names: tf.data.Dataset, of_file: Callable[..., tf.data.Dataset], files: int
) -> tf.data.Dataset:
    """The elements of `files` datasets in turns; a next name takes the place of one that ends.

    Args:
      names: string scalars, or what else says which files are read one after another.
      of_file: makes the dataset of a name, a flat tuple of dense tensors for each element.
      files: how many are read side by side, each by a thread.
    """
    made: list[tf.data.Dataset] = []

    def variant(*name: tf.Tensor) -> tf.Tensor:
        made.append(of_file(*name))
        return tf.data.experimental.to_variant(made[-1])

    body = traced(variant, *arguments(names))
    spec = made[-1].element_spec
    read = tf.raw_ops.ParallelInterleaveDatasetV4(
        input_dataset=tf.data.experimental.to_variant(names),
        other_arguments=body.captured_inputs, f=body.function,
        cycle_length=tf.constant(files, tf.int64), block_length=tf.constant(1, tf.int64),
        buffer_output_elements=tf.constant(1, tf.int64),
        prefetch_input_elements=tf.constant(0, tf.int64),
        num_parallel_calls=tf.constant(files, tf.int64), deterministic="true",
        output_types=[s.dtype for s in spec], output_shapes=[s.shape for s in spec],
    )  # fmt: skip
    dataset = tf.data.experimental.from_variant(read, spec)
    dataset._queueio_source = (names, made, body)  # whose functions the variant needs
    return dataset


def mixed(
    names: tf.data.Dataset,
    of_file: Callable[..., tf.data.Dataset],
    files: int,
    lot: int = 1,
) -> tf.data.Dataset:
    """The rows of `files` datasets of chunks in turns, as readers that race mix them.

    A chunk of each is taken at a time, and what one has more of than another is spread evenly
    among the other's. Rows of one file keep their order. Wide rows are not copied together: a row
    of each at a time.

    A file that is read a second time beside the first one (more readers than files, or the end of
    an epoch beside the next one's start) has shorter chunks, so that the two drift apart as they
    do in a race: in step, each of its rows would come twice in a batch.

    Args:
      names: as `interleaved` takes them.
      of_file: makes the dataset of a name: flat tuples of dense tensors, [C, ...].
      files: how many are read side by side.
      lot: how many rows of a file stay together; fewer, at a file's end, come last of a chunk.
    """
    wide: list[bool] = []

    def chunks(number: tf.Tensor, again: tf.Tensor, name: Any) -> tf.data.Dataset:
        made = of_file(*name) if isinstance(name, tuple) else of_file(name)
        wide.append((bytes_of_row(made) or 0) > WIDE_BYTES)
        if wide[-1]:
            return at_most(made, lot, None)
        most = max(lot, _MOST_ROWS // lot * lot)
        whole = at_most(made, most, CHUNK_BYTES // files if lot == 1 else None)
        own = either(again, lambda: _parted(whole, number, files, lot), lambda: whole)
        return numbered(own, number)

    read = interleaved(_with_repeats(names, files), chunks, files)
    return read if wide[-1] else in_turns(read, files, lot)


def _with_repeats(names: tf.data.Dataset, files: int) -> tf.data.Dataset:
    """(number, whether one of the `files` - 1 names before is the same, name) for each name."""

    def step(before: tf.Tensor, new: Any) -> Any:
        number, name = new
        first = tf.reshape(name[0] if isinstance(name, tuple) else name, [-1])[:1]
        again = tf.reduce_any(tf.equal(before, first))
        return tf.concat([before, first], 0)[-(files - 1) :], (number, again, name)

    spec = arguments(names)[0]
    return scanned(enumerated(names), tf.zeros([0], spec.dtype), step)


def _parted(chunks: tf.data.Dataset, number: tf.Tensor, files: int, lot: int) -> tf.data.Dataset:
    """The same rows, whole lots, in chunks of half or more of what each was, by a file's number."""
    part, parts = files + 1 + number % files, 2 * files + 1

    def pieces(*rows: tf.Tensor) -> tf.data.Dataset:
        count = rows_in(rows, tf.int64)
        return cut(rows, count, tf.maximum(-(-count * part // (parts * lot)), 1) * lot)

    return flat_mapped(chunks, pieces)


def numbered(chunks: tf.data.Dataset, number: Any) -> tf.data.Dataset:
    """The same chunks, each row behind the number (int64) of where it is from."""
    number = tf.cast(number, tf.int64)
    return mapped(chunks, lambda *rows: (tf.fill([rows_in(rows)], number), *rows))


def in_turns(chunks: tf.data.Dataset, turns: int, lot: int = 1) -> tf.data.Dataset:
    """The rows of `turns` numbered chunks at a time, evenly spread, without the numbers.

    Those of one number keep their order, `lot` of them together.
    """
    round_ = gathered(chunks, tf.int32.max, weighed=False, most_chunks=turns)
    return mapped(round_, lambda number, *rows: _spread(number, rows, lot))


def _spread(number: tf.Tensor, rows: Rows, lot: int) -> Rows:
    _, of, counts = tf.unique_with_counts(number)
    by_number = tf.argsort(of, stable=True)
    place = tf.range(tf.size(of)) - tf.repeat(tf.cumsum(counts, exclusive=True), counts)
    full = tf.repeat(counts // lot, counts)
    when = (tf.cast(place // lot, tf.float64) + 0.5) / tf.cast(tf.maximum(full, 1), tf.float64)
    if lot > 1:  # whole lots are found by their place in a chunk
        when = tf.where(place // lot < full, when, tf.constant(2, tf.float64))
    order = tf.gather(by_number, tf.argsort(when, stable=True))
    return tuple(tf.gather(part, order) for part in rows)
