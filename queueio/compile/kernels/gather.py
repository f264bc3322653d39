"""Puts small chunks together, as long as they are light."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.compile.kernels.as_written import kept, mapped, scanned
from queueio.compile.kernels.budget import CHUNK_BYTES, SHORT_BYTES, SHORT_CHUNK_BYTES, Rows, weigh
from queueio.compile.kernels.together import no_rows

ops = tf.raw_ops
_Held = tuple[tf.Tensor, tf.Tensor, Rows]
"""How many rows wait, what they weigh, and for each component a list of chunks."""


def gathered(chunks: tf.data.Dataset, rows: int) -> tf.data.Dataset:
    """The same rows in chunks of `rows` rows or of some bytes, or more; the last may be smaller.

    The bytes are `CHUNK_BYTES`, or `SHORT_CHUNK_BYTES` where rows are short.
    `Dataset.rebatch` would wait for that many rows, whatever they weigh.
    """
    spec = chunks.element_spec
    end = tf.data.Dataset.from_tensors((True, no_rows(spec)))
    marked = mapped(chunks, lambda *rows: (False, rows)).concatenate(end)
    steps = scanned(marked, _empty(spec), lambda held, new: _step(held, new, rows))
    return mapped(kept(steps, lambda full, _: full), lambda _, rows: rows)


def _empty(spec: Any) -> _Held:
    lists = tuple(
        ops.EmptyTensorList(
            element_shape=tf.constant(_shape(s), tf.int32), max_num_elements=-1,
            element_dtype=s.dtype,
        )
        for s in spec
    )  # fmt: skip
    return tf.constant(0), tf.constant(0, tf.int64), lists


def _shape(spec: Any) -> list[int]:
    return [-1, *spec.shape[1:].as_list()]


def _step(held: _Held, new: Any, least: int) -> tuple[_Held, tuple[tf.Tensor, Rows]]:
    (waiting, weight, lists), (ended, rows) = held, new
    count, weight = waiting + tf.shape(rows[0])[0], weight + weigh(rows)
    short = weight <= tf.cast(count, tf.int64) * SHORT_BYTES
    heavy = weight >= tf.where(short, tf.constant(SHORT_CHUNK_BYTES, tf.int64), CHUNK_BYTES)
    enough = tf.logical_or(count >= least, heavy)
    full = tf.logical_and(tf.logical_or(ended, enough), count > 0)

    def longer() -> Rows:
        return tuple(
            ops.TensorListPushBack(input_handle=h, tensor=r)
            for h, r in zip(lists, rows, strict=True)
        )

    def joined() -> Rows:
        return tuple(
            ops.TensorListConcatV2(
                input_handle=h, element_shape=tf.constant(_shape(r), tf.int32),
                leading_dims=tf.zeros([0], tf.int64), element_dtype=r.dtype,
            ).tensor
            for h, r in zip(longer(), rows, strict=True)
        )  # fmt: skip

    def leave() -> Any:
        return _empty(rows), tf.cond(waiting > 0, joined, lambda: rows)

    def wait() -> Any:
        return (count, weight, longer()), tuple(r[:0] for r in rows)

    kept, out = tf.cond(full, leave, wait)
    return kept, (full, tuple(tf.ensure_shape(o, r.shape) for o, r in zip(out, rows, strict=True)))
