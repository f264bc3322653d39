"""How much is under way at a time: calls by the processors, and rows by what they weigh.

The weight of a row of numbers is known when a dataset is made. That of a string is not: most are
shorter than a line of text, and some are an image or a film. So where strings wait, what has come
is weighed.

How many calls of a stage run side by side is fixed. Chunks are few and alike, so there is nothing
to tune; tf.data's model of the pipeline would cost more than it finds, a third of a microsecond
for every record that a reader gives.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Any

import tensorflow as tf

from queueio.compile.kernels.as_written import either, flat_mapped, mapped
from queueio.compile.kernels.rows import between, none_of, rows_in

CHUNK_BYTES = 2 << 20
"""What a chunk of rows may weigh, unless a single row weighs more."""
HEAVY_BYTES = 4 * CHUNK_BYTES
"""A batch that weighs more is neither made beside another one nor before it is asked for."""
_MOST_CALLS = 8
_STRING_BYTES = 24  # of a string, beside what it holds
Rows = tuple[tf.Tensor, ...]


def known_bytes(elements: Iterable[Any]) -> int | None:
    """Bytes of one element, given its tensors or their specs.

    None where only the data tell: strings, sparse tensors, unknown shapes.
    """
    total = 0
    for spec in elements:
        size = None if isinstance(spec, tf.SparseTensorSpec) else spec.shape.num_elements()
        if size is None or spec.dtype in (tf.string, tf.resource, tf.variant):
            return None
        total += size * spec.dtype.size
    return total


def bytes_of_row(chunks: tf.data.Dataset) -> int | None:
    """The same of one row of a dataset of chunks, flat tuples of shape [C, ...]."""
    return known_bytes(tf.TensorSpec(s.shape[1:], s.dtype) for s in chunks.element_spec)


def rows_within(row: int, most: int, total: int = CHUNK_BYTES) -> int:
    """Rows of `row` bytes that weigh no more than `total`: `most` of them at most, one at least."""
    return max(1, min(most, total // max(row, 1)))


def weigh(rows: Rows) -> tf.Tensor:
    """Bytes of the tensors of a chunk, int64 scalar."""
    return tf.add_n([_bytes(part) for part in rows])


def _bytes(part: tf.Tensor) -> tf.Tensor:
    count = tf.size(part, tf.int64)
    if part.dtype != tf.string:
        return count * part.dtype.size
    return count * _STRING_BYTES + tf.reduce_sum(tf.cast(tf.strings.length(part), tf.int64))


def at_most(chunks: tf.data.Dataset, rows: int, total: int | None = CHUNK_BYTES) -> tf.data.Dataset:
    """The same rows, in chunks of no more than `rows` rows and about `total` bytes."""

    def parts(*chunk: tf.Tensor) -> tf.data.Dataset:
        count = rows_in(chunk, tf.int64)
        step = tf.constant(rows, tf.int64)
        if total is not None:
            fit = count * total // tf.maximum(weigh(chunk), 1)
            step = tf.clip_by_value(fit, 1, rows)
        whole = tf.logical_and(count > 0, count <= step)
        return either(
            whole,
            lambda: tf.data.Dataset.from_tensors(chunk),
            lambda: cut(chunk, count, step),
            spec,
        )

    spec = tuple(tf.TensorSpec([None, *s.shape[1:]], s.dtype) for s in chunks.element_spec)
    return flat_mapped(chunks, parts)


def cut(chunk: Rows, count: tf.Tensor, step: tf.Tensor) -> tf.data.Dataset:
    """The rows of a chunk, of which there are `count`, `step` at a time (int64 scalars)."""
    starts = tf.data.Dataset.range(0, count, step)
    return mapped(starts, lambda at: between(chunk, at, at + step))


def calls() -> int:
    """Calls of one stage at a time: one for each processor, two at least, up to eight."""
    return max(2, min(_processors(), _MOST_CALLS))


def _processors() -> int:
    """Those that this process may use; all of them where the system does not tell, as macOS."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def spaced(chunks: tf.data.Dataset) -> tf.data.Dataset:
    """The same chunks, with empty ones behind each that is heavy.

    An empty one takes the place of a chunk among the `calls()` that are worked on side by side,
    and costs nothing. What outweighs all that these may weigh is alone there, and its successor
    comes when it is asked for. Where rows are known to be light the chunks stay as they are.
    """
    row = bytes_of_row(chunks)
    if row is not None and row <= CHUNK_BYTES:
        return chunks
    places = tf.constant(calls(), tf.int64)

    def with_gap(*chunk: tf.Tensor) -> tf.data.Dataset:
        gap = tf.minimum(weigh(chunk) // (2 * CHUNK_BYTES), places)
        alone = tf.data.Dataset.from_tensors(chunk)
        empty = tf.data.Dataset.from_tensors(none_of(chunk))
        return either(gap > 0, lambda: alone.concatenate(empty.repeat(gap)), lambda: alone, spec)

    spec = tuple(tf.TensorSpec([None, *s.shape[1:]], s.dtype) for s in chunks.element_spec)
    return flat_mapped(chunks, with_gap)


def at_once(most: int | None) -> dict[str, Any]:
    """Arguments of `Dataset.map`: side by side, `most` elements at a time where that is a number.

    Those for the order go with the calls only: alone they have no effect, and tf.data warns.
    """
    return {} if most == 1 else {"num_parallel_calls": most or calls(), "deterministic": True}


def untuned(dataset: tf.data.Dataset, measured: bool = False) -> tf.data.Dataset:
    """`dataset` without the tuner and the search for rewrites, which costs each iterator's start.

    With `measured` the tuner's model of it is kept. Options set later on win over these.
    """
    options = tf.data.Options()
    options.autotune.enabled = measured
    options.experimental_optimization.apply_default_optimizations = False
    return dataset.with_options(options)
