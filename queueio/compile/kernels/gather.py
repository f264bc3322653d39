"""Puts small chunks together, as long as they are light."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.compile.kernels.as_written import kept, mapped, scanned
from queueio.compile.kernels.budget import CHUNK_BYTES, Rows, weigh
from queueio.compile.kernels.rows import between, none_of, rows_in
from queueio.compile.kernels.together import with_end
from queueio.compile.kernels.tracing import chosen

MOST_CHUNKS = 16
"""Where records are heavy a chunk is of two megabytes of them, whatever rows are made of it: so
many of them are read, and no thousands of records, before the first rows leave."""
ops = tf.raw_ops
_Held = tuple[tf.Tensor, tf.Tensor, tf.Tensor, Rows]
"""How many rows wait, of how many chunks, what they weigh, and for each component a list."""


def gathered(
    chunks: tf.data.Dataset,
    rows: int,
    least: int = 1,
    units: tuple[int, int] = (1, 1),
    weighed: bool = True,
    most_chunks: int = MOST_CHUNKS,
) -> tf.data.Dataset:
    """The same rows in larger chunks: one leaves with `rows` rows, or those of `most_chunks`.

    `Dataset.rebatch` would wait for that many rows, whatever they are made of.

    Args:
      chunks: a dataset of flat tuples of tensors, shape [C, ...].
      rows: how many it shall have.
      least: how many it has but at the end, unless it is heavy.
      units: what its rows are a multiple of: with `rows` rows, and with fewer; but at the end.
      weighed: whether it leaves as well when it weighs `CHUNK_BYTES`.
      most_chunks: how many chunks it is made of, at most.
    """

    def step(held: _Held, new: Any) -> Any:
        return _step(held, new, (rows, max(least, units[1]), most_chunks), units, weighed)

    steps = scanned(with_end(chunks), _empty(chunks.element_spec), step)
    return mapped(kept(steps, lambda full, _: full), lambda _, rows: rows)


def _empty(spec: Any) -> _Held:
    lists = tuple(
        ops.EmptyTensorList(
            element_shape=tf.constant(_shape(s), tf.int32), max_num_elements=-1,
            element_dtype=s.dtype,
        )
        for s in spec
    )  # fmt: skip
    return tf.constant(0), tf.constant(0), tf.constant(0, tf.int64), lists


def _shape(spec: Any) -> list[int]:
    return [-1, *spec.shape[1:].as_list()]


def _step(
    held: _Held, new: Any, wanted: tuple[int, int, int], units: tuple[int, int], weighed: bool
) -> tuple[_Held, tuple[tf.Tensor, Rows]]:
    (waiting, number, weight, lists), (ended, rows) = held, new
    many, least, most_chunks = wanted
    count, number = waiting + rows_in(rows), number + 1
    enough = tf.logical_or(count >= many, tf.logical_and(count >= least, number >= most_chunks))
    if weighed:
        weight += weigh(rows)
        enough = tf.logical_or(enough, weight >= CHUNK_BYTES)
    full = tf.logical_and(tf.logical_or(ended, enough), count > 0)

    def longer() -> Rows:
        return _pushed(lists, rows)

    def joined() -> Rows:
        return tuple(
            ops.TensorListConcatV2(
                input_handle=h, element_shape=tf.constant(_shape(r), tf.int32),
                leading_dims=tf.zeros([0], tf.int64), element_dtype=r.dtype,
            ).tensor
            for h, r in zip(longer(), rows, strict=True)
        )  # fmt: skip

    def leave() -> Any:
        whole = chosen(waiting > 0, joined, lambda: rows)
        if units == (1, 1):
            return _empty(rows), whole
        left = tf.where(ended, 0, count % tf.where(count >= many, *units))
        cut = count - left
        nothing, _, no_weight, empty = _empty(rows)
        rest = _pushed(empty, between(whole, cut))
        return (left, nothing, no_weight, rest), between(whole, end=cut)

    def wait() -> Any:
        return (count, number, weight, longer()), none_of(rows)

    kept, out = chosen(full, leave, wait)
    return kept, (full, tuple(tf.ensure_shape(o, r.shape) for o, r in zip(out, rows, strict=True)))


def _pushed(lists: Rows, rows: Rows) -> Rows:
    return tuple(
        ops.TensorListPushBack(input_handle=h, tensor=r) for h, r in zip(lists, rows, strict=True)
    )
