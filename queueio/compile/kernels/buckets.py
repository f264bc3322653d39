"""Batches out of chunks, each of rows of one bucket, as soon as that has enough of them.

    buckets of the rows  0 1 1 | 0 2 1      of two each:  1 1 | 0 0      held: 2 1

All rows of a chunk are moved at once, so a bucket costs nothing that a chunk does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import tensorflow as tf

from queueio.compile.kernels.as_written import flat_mapped, mapped, scanned
from queueio.compile.kernels.budget import Rows
from queueio.compile.kernels.together import no_rows, with_end


class Sorting(NamedTuple):
    """How rows are sorted.

    Attributes:
      keys: what stands for each bucket in a row; other rows are left out.
      sizes: how many rows of each bucket make a batch.
      smaller: whether what is left at the end makes smaller batches, in the order of the buckets.
    """

    keys: Sequence[int]
    sizes: Sequence[int]
    smaller: bool


def cut_buckets(chunks: tf.data.Dataset, buckets: Sorting, key: int = -1) -> tf.data.Dataset:
    """Tuples (number of a bucket, int32; batch of its rows), in the order in which they are full.

    Args:
      chunks: a dataset of flat tuples of dense tensors, shape [C, ...].
      buckets: which there are.
      key: which component says where a row belongs, integers [C].
    """
    start = (tf.zeros([0], tf.int32), no_rows(chunks.element_spec))
    sorted_rows = scanned(
        with_end(chunks), start, lambda held, new: _sorted(held, new, buckets, key)
    )
    return flat_mapped(sorted_rows, _batches)


def _sorted(held: Any, new: Any, buckets: Sorting, key: int) -> tuple[Any, Any]:
    """Returns what stays, and of what leaves: the batches' buckets, their lengths, their rows."""
    (before, held_rows), (ended, rows) = held, new
    numbers = tf.concat([before, _numbers(rows[key], buckets.keys)], 0)
    at, none = tf.maximum(numbers, 0), numbers < 0
    sizes = tf.constant(buckets.sizes, tf.int32)
    members = tf.one_hot(numbers, len(buckets.sizes), dtype=tf.int32)
    rank = tf.reduce_sum(tf.cumsum(members, exclusive=True) * members, 1)
    counts = tf.reduce_sum(members, 0)
    full = counts // sizes
    batch = tf.cumsum(full, exclusive=True), rank // tf.gather(sizes, at)
    batch_of = tf.gather(batch[0], at) + batch[1]
    whole = tf.logical_and(batch[1] < tf.gather(full, at), tf.logical_not(none))
    fills = tf.where(tf.logical_and(whole, tf.equal((rank + 1) % tf.gather(sizes, at), 0)))[:, 0]
    order = tf.gather(batch_of, fills)  # the batches, as they become full
    there = tf.size(order)
    place_of = tf.concat([tf.math.invert_permutation(order), [0]], 0)
    place = tf.where(whole, tf.gather(place_of, tf.minimum(batch_of, there)), there + at)
    place = tf.where(none, there + len(buckets.sizes), place)

    rest = tf.where(tf.logical_and(ended, buckets.smaller), counts - full * sizes, 0)
    left = tf.cast(tf.where(rest > 0)[:, 0], tf.int32)
    of_order = tf.gather(numbers, fills)
    which = tf.concat([of_order, left], 0)
    lengths = tf.concat([tf.gather(sizes, of_order), tf.gather(rest, left)], 0)
    leaving, known = tf.reduce_sum(lengths), tf.reduce_sum(counts)

    moves = tf.math.invert_permutation(tf.argsort(place, stable=True))
    cut = tf.size(before)
    moved = [
        tf.raw_ops.DynamicStitch(indices=[moves[:cut], moves[cut:]], data=[a, b])
        for a, b in zip((before, *held_rows), (numbers[cut:], *rows), strict=True)
    ]
    stay, *stay_rows = (part[leaving:known] for part in moved)
    return (stay, tuple(stay_rows)), (which, lengths, *(part[:leaving] for part in moved[1:]))


def _numbers(keys: tf.Tensor, known: Sequence[int]) -> tf.Tensor:
    """The number of the first bucket with each of `keys`, int32; -1 where there is none."""
    fits = tf.equal(tf.constant(known, keys.dtype), keys[:, tf.newaxis])
    number = tf.argmax(tf.cast(fits, tf.int32), 1, tf.int32)
    return tf.where(tf.reduce_any(fits, 1), number, -1)


def _batches(which: tf.Tensor, lengths: tf.Tensor, *rows: tf.Tensor) -> tf.data.Dataset:
    ends = tf.cumsum(lengths)

    def batch(number: tf.Tensor) -> Rows:
        end = ends[number]
        begin = end - lengths[number]
        return which[number], *(part[begin:end] for part in rows)

    return mapped(tf.data.Dataset.range(tf.size(lengths, tf.int64)), batch)
