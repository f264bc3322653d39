"""Cuts batches out of chunks, one by one or several at once."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.compile.kernels.as_written import either, flat_mapped, rebatched, scanned
from queueio.compile.kernels.budget import Rows
from queueio.compile.kernels.rows import as_row, between, in_batches, rows_in
from queueio.compile.kernels.together import no_rows, with_end


def cut_batches(
    chunks: tf.data.Dataset, batch: int, drop_remainder: bool = False, whole: bool = False
) -> tf.data.Dataset:
    """Batches of `batch` rows from chunks of any number of rows, in order.

    Args:
      chunks: a dataset of flat tuples of dense tensors, shape [C, ...].
      batch: rows of a batch.
      drop_remainder: leave out a smaller last batch.
      whole: every chunk but the last is a multiple of `batch`, which saves a copy: a slice of
        a tensor shares its memory.
    """
    if not whole:
        return rebatched(chunks, batch, drop_remainder)
    size = batch if drop_remainder else None
    spec = tuple(tf.TensorSpec([size, *s.shape[1:]], s.dtype) for s in chunks.element_spec)

    def batches(*rows: tf.Tensor) -> tf.data.Dataset:
        return either(
            tf.equal(rows_in(rows), batch),
            lambda: tf.data.Dataset.from_tensors(rows),  # slices of strings are copies
            lambda: _slices(rows, batch, drop_remainder),
            spec,
        )

    return flat_mapped(chunks, batches)


def cut_stacks(
    chunks: tf.data.Dataset,
    batch: int,
    most: int,
    drop_remainder: bool = False,
    whole: bool = False,
) -> tf.data.Dataset:
    """The same batches as `cut_batches` gives, up to `most` of them at a time.

    No batch waits for another one: what comes out together was in one chunk.

    Returns:
      A dataset of flat tuples of shape [k, batch, ...]; of [1, rest, ...] at the end, where the
      remainder is kept.
    """
    if not whole:
        chunks = of_whole_batches(chunks, batch, drop_remainder)
    size = batch if drop_remainder else None
    spec = tuple(tf.TensorSpec([None, size, *s.shape[1:]], s.dtype) for s in chunks.element_spec)

    def stacks(*rows: tf.Tensor) -> tf.data.Dataset:
        total = rows_in(rows)
        one = (total > 0) & (total <= most * batch) & tf.equal(total % batch, 0)
        return either(
            one,
            lambda: tf.data.Dataset.from_tensors(in_batches(rows, batch)),
            lambda: _unequal(rows, batch, most, drop_remainder),
            spec,
        )

    return flat_mapped(chunks, stacks)


def _unequal(rows: Rows, batch: int, most: int, drop_remainder: bool) -> tf.data.Dataset:
    """The stacks of a chunk, of which the last ones are smaller."""
    total = rows_in(rows)
    full, whole = total // (most * batch) * most * batch, total // batch * batch
    stacks = tf.data.Dataset.from_tensor_slices(in_batches(between(rows, end=full), most, batch))
    fewer = in_batches(between(rows, full, whole), batch)
    stacks = stacks.concatenate(_if(whole > full, fewer))
    if drop_remainder:
        return stacks
    rest = tuple(map(as_row, between(rows, whole)))
    return stacks.concatenate(_if(total > whole, rest))


def of_whole_batches(
    chunks: tf.data.Dataset, batch: int, drop_remainder: bool = False
) -> tf.data.Dataset:
    """The same rows: what is left of a chunk goes to the next one; perhaps with none."""
    spec = chunks.element_spec
    if not drop_remainder:
        chunks = with_end(chunks)

    def step(rest: Rows, new: Any) -> tuple[Rows, Rows]:
        ended, rows = (False, new) if drop_remainder else new
        rows = tuple(tf.concat(both, 0) for both in zip(rest, rows, strict=True))
        total = rows_in(rows)
        full = tf.where(ended, total, total // batch * batch)
        return between(rows, full), between(rows, end=full)

    return scanned(chunks, no_rows(spec), step)


def _if(there: tf.Tensor, element: Rows) -> tf.data.Dataset:
    return tf.data.Dataset.from_tensors(element).take(tf.cast(there, tf.int64))


def _slices(rows: Rows, batch: int, drop_remainder: bool) -> tf.data.Dataset:
    total = rows_in(rows)
    full = total // batch * batch
    body = in_batches(between(rows, end=full), batch)
    body = tuple(
        tf.ensure_shape(b, [None, batch, *r.shape[1:]]) for b, r in zip(body, rows, strict=True)
    )
    batches = tf.data.Dataset.from_tensor_slices(body)
    if drop_remainder:
        return batches
    rest = tf.data.Dataset.from_tensors(between(rows, full))
    some = tf.cast(total > full, tf.int64)
    return batches.concatenate(rest.take(some))
