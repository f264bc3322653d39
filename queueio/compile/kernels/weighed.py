"""A pool for rows that are wide, or of which only the data tell what they weigh.

Most strings are short: their rows are held in one tensor (together.py), until they prove heavy.
From then on, as wide rows from the start, each is held for itself (apart.py), and they leave as
`dequeue_many` takes them.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.compile.kernels import apart, together
from queueio.compile.kernels.as_written import kept, lasting, mapped, scanned
from queueio.compile.kernels.budget import Rows, weigh
from queueio.compile.kernels.moves import Fill
from queueio.compile.kernels.rows import none_of, rows_in
from queueio.compile.kernels.tracing import chosen

_FULL_BYTES = 256 << 20
"""What a pool may weigh beyond the rows that must be there for a batch to leave."""
_Held = tuple[tf.Tensor, tf.Tensor, tf.Tensor, Rows, Rows]
"""The rows in one tensor for each component; or how many there are apart, and a list for each.

Between them how much all of them weigh, and at how many rows apart the next ones leave."""


def shuffled(
    chunks: tf.data.Dataset, fill: Fill, seeds: tf.data.Dataset, light: int
) -> tf.data.Dataset:
    """Chunks of rows as they leave the pool, in multiples of `fill.unit`; see `together`.

    `light` is how many bytes of rows are held in one tensor.
    """
    spec = chunks.element_spec
    start = (tf.constant(0), tf.constant(0, tf.int64), tf.constant(_least(fill)),
             apart.no_lists(spec), together.no_rows(spec))  # fmt: skip
    ends = together.end(spec).repeat()
    marked = mapped(chunks, lambda *rows: (False, rows)).concatenate(ends)
    inputs = tf.data.Dataset.zip((seeds, marked))
    steps = scanned(inputs, start, lambda held, new: _step(held, new, fill, light))
    steps = lasting(steps, lambda more, rows: more)
    steps = kept(steps, lambda more, rows: rows_in(rows) > 0)
    return mapped(steps, lambda more, rows: rows)


def _step(held: _Held, new: Any, fill: Fill, light: int) -> tuple[_Held, tuple[tf.Tensor, Rows]]:
    seed, (ended, rows) = new
    count, weight, goal, lists, dense = held
    weight += weigh(rows)

    def in_one() -> Any:
        stays, leaves = together.exchanged(dense, new, fill)
        return (count, goal, lists, stays), leaves

    def one_by_one() -> Any:
        there, moved = apart.taken_in(count, lists, dense)
        total = there + rows_in(rows)
        most = _most(total, weight, fill)
        leaving = tf.where(total >= goal, (total - goal) // fill.unit + 1, 0) * fill.unit
        left, kept, out = chosen(
            ended,
            lambda: apart.emptied(there, weight, moved, seed, fill, rows),
            lambda: apart.drawn(there, moved, rows, seed, tf.minimum(leaving, total)),
        )
        # Two come for each that leaves, until the pool is full, as with fast producers.
        higher = tf.minimum(goal + (rows_in(out) + 1) // 2, most)
        return (left, higher, kept, none_of(dense)), out

    heavy = tf.logical_or(count > 0, weight > light)
    kept, out = chosen(heavy, one_by_one, in_one) if light else one_by_one()
    count, goal, lists, dense = kept
    out = tuple(tf.ensure_shape(o, r.shape) for o, r in zip(out, rows, strict=True))
    more = tf.logical_not(tf.logical_and(ended, tf.equal(rows_in(out), 0)))
    return (count, weight - weigh(out), goal, lists, dense), (more, out)


def _most(total: tf.Tensor, weight: tf.Tensor, fill: Fill) -> tf.Tensor:
    """Rows of a full pool: as many as weigh no more than they may, and no less than it needs."""
    fit = tf.cast(total, tf.int64) * _FULL_BYTES // tf.maximum(weight, 1)
    least = _least(fill)
    return tf.clip_by_value(
        tf.cast(tf.minimum(fit, fill.most), tf.int32), least, max(fill.most, least)
    )


def _least(fill: Fill) -> int:
    """How many rows there must be before `fill.unit` of them leave; one at least stays."""
    return max(fill.least, fill.unit + 1)
