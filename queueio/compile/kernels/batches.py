"""Cuts batches out of chunks, one by one or several at once."""

from __future__ import annotations

import tensorflow as tf

from queueio.compile.kernels.as_written import either, flat_mapped
from queueio.compile.kernels.gather import gathered


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
        return chunks.rebatch(batch, drop_remainder=drop_remainder)
    size = batch if drop_remainder else None
    spec = tuple(tf.TensorSpec([size, *s.shape[1:]], s.dtype) for s in chunks.element_spec)

    def batches(*rows: tf.Tensor) -> tf.data.Dataset:
        return either(
            tf.equal(tf.shape(rows[0])[0], batch),
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
        chunks = gathered(chunks, batch, batch, (batch, batch), weighed=False)
    size = batch if drop_remainder else None
    spec = tuple(tf.TensorSpec([None, size, *s.shape[1:]], s.dtype) for s in chunks.element_spec)

    def stacks(*rows: tf.Tensor) -> tf.data.Dataset:
        count = tf.shape(rows[0])[0]
        return either(
            tf.equal(count % (most * batch), 0),
            lambda: tf.data.Dataset.from_tensor_slices(_stacked(rows, batch, most)),
            lambda: _unequal(rows, batch, most, drop_remainder),
            spec,
        )

    return flat_mapped(chunks, stacks)


def _unequal(
    rows: tuple[tf.Tensor, ...], batch: int, most: int, drop_remainder: bool
) -> tf.data.Dataset:
    """The stacks of a chunk, of which the last ones are smaller."""
    count = tf.shape(rows[0])[0]
    full, whole = count // (most * batch) * most * batch, count // batch * batch
    stacks = tf.data.Dataset.from_tensor_slices(
        _stacked(tuple(r[:full] for r in rows), batch, most)
    )
    fewer = tuple(
        tf.reshape(part, tf.concat([[-1, batch], tf.shape(part)[1:]], 0))
        for part in (r[full:whole] for r in rows)
    )
    stacks = stacks.concatenate(_if(whole > full, fewer))
    return (
        stacks
        if drop_remainder
        else stacks.concatenate(_if(count > whole, tuple(r[whole:][tf.newaxis] for r in rows)))
    )


def _if(there: tf.Tensor, element: tuple[tf.Tensor, ...]) -> tf.data.Dataset:
    return tf.data.Dataset.from_tensors(element).take(tf.cast(there, tf.int64))


def _stacked(rows: tuple[tf.Tensor, ...], batch: int, most: int) -> tuple[tf.Tensor, ...]:
    """Rows of whole stacks as [n, most, batch, ...]."""
    count = tf.shape(rows[0])[0] // (most * batch)
    return tuple(tf.reshape(r, tf.concat([[count, most, batch], tf.shape(r)[1:]], 0)) for r in rows)


def _slices(rows: tuple[tf.Tensor, ...], batch: int, drop_remainder: bool) -> tf.data.Dataset:
    full = tf.shape(rows[0])[0] // batch
    body = tuple(
        tf.reshape(r[: full * batch], tf.concat([[full, batch], tf.shape(r)[1:]], 0)) for r in rows
    )
    body = tuple(
        tf.ensure_shape(b, [None, batch, *r.shape[1:]]) for b, r in zip(body, rows, strict=True)
    )
    batches = tf.data.Dataset.from_tensor_slices(body)
    if drop_remainder:
        return batches
    rest = tf.data.Dataset.from_tensors(tuple(r[full * batch :] for r in rows))
    some = tf.cast(tf.shape(rows[0])[0] > full * batch, tf.int64)
    return batches.concatenate(rest.take(some))
