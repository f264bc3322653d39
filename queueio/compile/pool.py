"""Shuffles a chunk at a time, with the draw that a RandomShuffleQueue makes.

A pool holds P rows. A chunk of C rows arrives, the P + C rows are put in random order, C of
them leave and P stay. That is `dequeue_many(C)` on a RandomShuffleQueue of P + C elements with
`min_after_dequeue = P`. `Dataset.shuffle` swaps rows one by one, at about a microsecond each;
here a row is copied (P + C) / C times, at memory speed: at most three, as C is P / 2 or more.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import tensorflow as tf

from queueio.compile.cut import weight

# A draw costs a fraction of a millisecond in calls alone, so many rows leave at a time, as long
# as they are narrow.
MOST_ROWS = 4096
_DRAW_BYTES = 6 << 20
# The C library asks the kernel for every larger block anew, and clearing the pages of a fresh
# block costs more than filling it. Wider rows are held in strips.
_STRIP_BYTES = 16 << 20
_ALIGNED_ROWS = 64  # of any dtype begin where a buffer may begin
Rows = tuple[tf.Tensor, ...]


def draw_size(pool: int, batch: int, row: float, most: int = MOST_ROWS) -> int:
    """Rows of `row` bytes that leave the pool at once: half the pool or more, whole batches."""
    wanted = max(pool // 2, min(int(_DRAW_BYTES / max(row, 1)), most), batch)
    aligned = math.lcm(batch, _ALIGNED_ROWS)
    step = aligned if aligned <= wanted else batch
    return -(-wanted // step) * step


def pool_shuffle(
    chunks: tf.data.Dataset,
    pool: int,
    batch: int = 1,
    seed: int | None = None,
    most: int = MOST_ROWS,
) -> tf.data.Dataset:
    """Shuffles rows through a pool that keeps `pool` rows while input lasts.

    Args:
      chunks: a dataset of flat tuples of dense tensors, shape [C, ...] with the same C, any C.
      pool: rows that stay behind after each draw; `min_after_dequeue`.
      batch: what leaves is a multiple of this many rows, but for the last chunk.
      most: rows that leave at once, if they are more than half the pool and than a batch.
      seed: makes the order reproducible; successive iterations still differ.

    Returns:
      A dataset of chunks of the same structure, never empty. When the input ends, the whole
      pool leaves in random order.
    """
    if pool < 0 or batch < 1:
        raise ValueError(f"pool ({pool}) must be at least 0 and batch ({batch}) at least 1")
    whole = chunks.element_spec
    row = sum(weight(s.shape[1:], s.dtype) for s in whole)
    size = draw_size(pool, batch, row, most)
    chunks = chunks.rebatch(size)
    strips = [_strips(s, pool + size) for s in whole]
    chunks = chunks.map(lambda *rows: _cut(rows, strips))
    spec = chunks.element_spec
    last = tf.data.Dataset.from_tensors((True, _no_rows(spec)))
    marked = chunks.map(lambda *rows: (False, rows)).concatenate(last)
    with warnings.catch_warnings():  # TF1's initialisable iterators begin anew: that is no epoch
        warnings.filterwarnings("ignore", "In TF 1, the `rerandomize_each_iteration", UserWarning)
        seeds = tf.data.Dataset.random(seed=seed, rerandomize_each_iteration=True).batch(2)
    drawn = tf.data.Dataset.zip((seeds, marked)).scan(
        _no_rows(spec), lambda held, new: _draw(held, new, pool, batch)
    )
    some = drawn.filter(lambda *rows: tf.shape(rows[0])[0] > 0)
    return some.map(lambda *rows: _join(rows, whole, strips))


def _strips(spec: tf.TensorSpec, rows: int) -> list[int]:
    """Widths, in elements, of the strips that a component is held in; one if it is narrow."""
    width = spec.shape[1:].num_elements()
    if width is None or spec.dtype == tf.string:
        return [-1]
    count = min(-(-width * spec.dtype.size * rows // _STRIP_BYTES), width) or 1
    return [width // count + (i < width % count) for i in range(count)]


def _cut(rows: Rows, strips: list[list[int]]) -> Rows:
    cut: list[tf.Tensor] = []
    for r, widths in zip(rows, strips, strict=True):
        wide = len(widths) > 1
        cut.extend(tf.split(tf.reshape(r, [-1, sum(widths)]), widths, 1) if wide else [r])
    return tuple(cut)


def _join(parts: Rows, whole: Any, strips: list[list[int]]) -> Rows:
    rest = list(parts)
    rows = []
    for s, widths in zip(whole, strips, strict=True):
        mine, rest = rest[: len(widths)], rest[len(widths) :]
        joined = tf.concat(mine, 1) if len(mine) > 1 else mine[0]
        rows.append(tf.reshape(joined, [-1, *s.shape[1:]]) if len(mine) > 1 else joined)
    return tuple(rows)


def _no_rows(spec: Any) -> Rows:
    return tuple(tf.zeros([0, *s.shape[1:]], s.dtype) for s in spec)


def _draw(held: Rows, new: Any, pool: int, batch: int) -> tuple[Rows, Rows]:
    """Returns what stays and what leaves."""
    seed, (ended, rows) = new
    before, arrived = tf.shape(held[0])[0], tf.shape(rows[0])[0]
    total = before + arrived
    surplus = tf.maximum(total - pool, 0) // batch * batch
    leaving = tf.where(ended, total, surplus)
    place = tf.random.experimental.stateless_shuffle(tf.range(total), seed)
    # One copy: every row goes straight to its new place.
    mixed = [
        tf.raw_ops.DynamicStitch(indices=[place[:before], place[before:]], data=[a, b])
        for a, b in zip(held, rows, strict=True)
    ]
    parts = [_parted(m, leaving, h.shape[1:]) for m, h in zip(mixed, held, strict=True)]
    return tuple(rest for _, rest in parts), tuple(first for first, _ in parts)


def _parted(rows: tf.Tensor, count: tf.Tensor, shape: tf.TensorShape) -> tuple[tf.Tensor, ...]:
    """The first `count` rows and the rest, without a copy if their bytes are aligned.

    TensorFlow looks at the row for that where there is one, and at the place in a flat tensor.
    """
    width = shape.num_elements()
    if not width:
        return rows[:count], rows[count:]
    flat, place = tf.reshape(rows, [-1]), count * width
    return tuple(tf.reshape(part, [-1, *shape]) for part in (flat[:place], flat[place:]))
