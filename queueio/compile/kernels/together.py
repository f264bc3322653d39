"""A pool that holds its rows in one tensor, all of which is copied at each step.

That is (held + arrived) / arrived copies of a row, at memory speed: the fastest for narrow rows.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.compile.kernels.as_written import kept, mapped, scanned
from queueio.compile.kernels.budget import Rows
from queueio.compile.kernels.moves import Fill, draws
from queueio.compile.kernels.rows import between, rows_in, variants
from queueio.compile.kernels.tracing import chosen

MOST_BYTES = 16 << 20
"""What the pool may weigh. A step makes a new tensor while the old one is still there."""


def shuffled(chunks: tf.data.Dataset, fill: Fill, seeds: tf.data.Dataset) -> tf.data.Dataset:
    """Chunks of rows as they leave the pool: as many at a time as arrive, at last all that is left.

    Args:
      chunks: a dataset of flat tuples of dense tensors, shape [C, ...].
      fill: how many rows the pool holds.
      seeds: pairs of int64 without end.
    """
    spec = chunks.element_spec
    steps = tf.data.Dataset.zip((seeds, with_end(chunks)))
    drawn = scanned(steps, no_rows(spec), lambda held, new: exchanged(held, new, fill))
    return kept(drawn, lambda *rows: rows_in(rows) > 0)


def with_end(chunks: tf.data.Dataset) -> tf.data.Dataset:
    """Pairs (whether the input has ended, a chunk): (False, rows), and at last (True, no rows)."""
    marked = mapped(chunks, lambda *rows: (False, rows))
    return marked.concatenate(end(chunks.element_spec))


def end(spec: Any) -> tf.data.Dataset:
    """The last pair of `with_end`."""
    if all(s.dtype != tf.variant for s in spec):
        return tf.data.Dataset.from_tensors((True, no_rows(spec)))
    return mapped(tf.data.Dataset.from_tensors(True), lambda ended: (ended, no_rows(spec)))


def no_rows(spec: Any) -> Rows:
    """A chunk of no rows."""
    return tuple(map(_none, spec))


def _none(spec: tf.TensorSpec) -> tf.Tensor:
    if spec.dtype != tf.variant:
        return tf.zeros([0, *(n or 0 for n in spec.shape[1:])], spec.dtype)
    return variants(0)


def exchanged(held: Rows, new: Any, fill: Fill) -> tuple[Rows, Rows]:
    """Returns what stays and what leaves.

    Args:
      held: what is in the pool.
      new: (seed, (whether the input has ended, the chunk that comes)).
      fill: how many rows the pool holds.
    """
    seed, (ended, rows) = new
    before, arrived = rows_in(held), rows_in(rows)
    total = before + arrived
    leaving = tf.where(ended, total, fill.leaving(before, arrived))

    def places() -> tf.Tensor:
        order = tf.concat(draws(leaving, total - leaving, seed), 0)
        return tf.scatter_nd(tf.expand_dims(order, 1), tf.range(total), [total])

    place = chosen(
        ended,
        lambda: tf.random.experimental.stateless_shuffle(tf.range(total), seed),
        places,
    )
    # One copy: every row goes straight to its new place.
    where = [*between([place], end=before), *between([place], before)]
    mixed = [
        tf.raw_ops.DynamicStitch(indices=where, data=[a, b])
        for a, b in zip(held, rows, strict=True)
    ]
    parts = [_parted(m, leaving, h.shape[1:]) for m, h in zip(mixed, held, strict=True)]
    return tuple(rest for _, rest in parts), tuple(first for first, _ in parts)


def _parted(rows: tf.Tensor, number: tf.Tensor, shape: tf.TensorShape) -> tuple[tf.Tensor, ...]:
    """The first `number` rows and the rest, without a copy if their bytes are aligned.

    TensorFlow looks at the row for that where there is one, and at the place in a flat tensor.
    """
    width = shape.num_elements()
    if not width:
        return *between([rows], end=number), *between([rows], number)
    flat, place = [tf.reshape(rows, [-1])], number * width
    parts = (*between(flat, end=place), *between(flat, place))
    return tuple(tf.reshape(part, [-1, *shape]) for part in parts)
