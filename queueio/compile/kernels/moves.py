"""The draws of a RandomShuffleQueue, one after another, as one list of moves.

A queue that is kept full gives one of its elements, each as likely as another, and takes a new
one in its place. Which row stands where after a thousand such draws is a matter of whole numbers:
they are computed for all of them at once, and each row is then moved once. So examples mix as in
a queue of that size, however many are drawn at a time.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import tensorflow as tf

from queueio.compile.kernels.rows import between


@dataclass(frozen=True)
class Fill:
    """How many rows a pool holds.

    Attributes:
      most: what it draws from once it is full.
      least: what must be there before the first row leaves. From then on it takes two rows for
        each that leaves, until it is full, as a queue with fast producers does.
      unit: rows leave in multiples of this many, but for the last ones.
    """

    most: int
    least: int
    unit: int = 1

    def leaving(self, held: tf.Tensor, arrived: tf.Tensor) -> tf.Tensor:
        """How many rows leave when `arrived` ones come to `held`."""
        total = held + arrived
        growing = tf.minimum((arrived + 1) // 2, total - self.least)
        wanted = tf.maximum(tf.maximum(total - self.most, growing), 0)
        return tf.minimum(-(-wanted // self.unit), arrived // self.unit) * self.unit


def draws(count: tf.Tensor, pool: tf.Tensor, seed: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Draws `count` rows from a pool of `pool`, in whose place `count` others come.

    Rows have numbers: those of the pool by their place, from 0, then those that come. Returns
    which rows leave, in order, and which stand in the places of the pool afterwards.
    """
    place = tf.random.stateless_uniform([count], seed, 0, tf.maximum(pool, 1), tf.int32)
    order = tf.argsort(place, stable=True)
    drawn = tf.gather(place, order)
    again = tf.equal(*between([drawn], 1), *between([drawn], end=-1))
    again = tf.concat([[False], again], 0)
    before = tf.concat([[0], order], 0)  # who came when the same place was drawn before
    (again,), (before,) = between([again], end=count), between([before], end=count)
    moved = tf.where(again, pool + before, drawn)
    leaves = tf.scatter_nd(tf.expand_dims(order, 1), moved, [count])
    last = tf.math.unsorted_segment_max(tf.range(count), place, pool)
    stays = tf.where(last >= 0, pool + last, tf.range(pool))
    return leaves, stays


def seeds_of(seed: int | None) -> tf.data.Dataset:
    """Pairs of int64 without end, the same ones from a seed; other ones in each iteration."""
    with warnings.catch_warnings():  # TF1's initialisable iterators begin anew: that is no epoch
        warnings.filterwarnings("ignore", "In TF 1, the `rerandomize_each_iteration", UserWarning)
        return tf.data.Dataset.random(seed=seed, rerandomize_each_iteration=True).batch(2)
