"""Cuts batches out of chunks."""

from __future__ import annotations

import tensorflow as tf

from queueio.compile.kernels.as_written import either, flat_mapped


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
