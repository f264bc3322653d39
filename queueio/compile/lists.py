"""Values that are as long in each example as that example wants, for a chunk of examples.

    [7 8 9]  []  [5 6]      values  7 8 9 5 6      splits  0 3 3 5

All of them stand one after the other, so that one call works on each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import tensorflow as tf

ops = tf.raw_ops


class Lists(NamedTuple):
    """A list for each example: all values, and where those of each begin (int64 [C + 1])."""

    values: tf.Tensor
    splits: tf.Tensor

    @property
    def begins(self) -> tf.Tensor:
        """Where each list begins."""
        return self.splits[:-1]

    @property
    def ends(self) -> tf.Tensor:
        """Where each list ends."""
        return self.splits[1:]

    @property
    def lengths(self) -> tf.Tensor:
        """How long each list is."""
        return self.ends - self.begins

    @property
    def examples(self) -> tf.Tensor:
        """For each value the number of its example."""
        return example_of(tf.range(self.splits[-1]), self.splits)

    def cells(self) -> tf.Tensor:
        """Each list in a scalar."""
        cells = ops.RaggedTensorToVariant(
            rt_nested_splits=[self.splits], rt_dense_values=self.values, batched_input=True
        )
        cells.set_shape([None])
        return cells


def example_of(places: tf.Tensor, splits: tf.Tensor) -> tf.Tensor:
    """For each place among all values the number of the example whose it is."""
    ends = splits[1:]
    found = ops.UpperBound(
        sorted_inputs=ends[tf.newaxis], values=places[tf.newaxis], out_type=tf.int64
    )
    return found[0]


def splits_at(sorted_places: tf.Tensor, borders: tf.Tensor) -> tf.Tensor:
    """How many of some sorted places (int64 [n]) lie before each border."""
    found = ops.LowerBound(
        sorted_inputs=sorted_places[tf.newaxis], values=borders[tf.newaxis], out_type=tf.int64
    )
    return found[0]


def splits_of(lengths: tf.Tensor) -> tf.Tensor:
    """Where lists of these lengths (int64 [C]) begin and end."""
    return tf.concat([tf.zeros([1], tf.int64), tf.cumsum(lengths)], 0)


def ranges(begins: Any, ends: Any, step: int = 1) -> Lists:
    """The numbers from each of `begins` up to each of `ends`, int64 scalars or vectors."""
    splits, numbers = ops.RaggedRange(
        starts=begins, limits=ends, deltas=tf.constant(step, tf.int64), Tsplits=tf.int64
    )
    return Lists(numbers, splits)


def picked(values: tf.Tensor, places: Lists) -> Lists:
    """Lists of the values at these places."""
    return Lists(tf.gather(values, places.values), places.splits)


def joined(parts: Sequence[Lists]) -> Lists:
    """For each example its lists in all parts, one after the other."""
    before = splits_of(tf.stack([part.splits[-1] for part in parts]))
    count = len(parts)
    begins = tf.stack([part.begins + before[n] for n, part in enumerate(parts)], 1)
    ends = tf.stack([part.ends + before[n] for n, part in enumerate(parts)], 1)
    places = ranges(tf.reshape(begins, [-1]), tf.reshape(ends, [-1]))
    every = tf.concat([part.values for part in parts], 0)
    return Lists(tf.gather(every, places.values), places.splits[::count])


def of_rows(rows: tf.Tensor) -> Lists:
    """Rows of one length, [C, n, ...], as lists."""
    sizes = tf.shape(rows, tf.int64)
    values = tf.reshape(rows, tf.concat([[sizes[0] * sizes[1]], sizes[2:]], 0))
    return Lists(values, tf.range(sizes[0] + 1) * sizes[1])


def as_rows(lists: Lists, shape: Sequence[int]) -> tf.Tensor:
    """Lists that must all be of this shape as rows of a chunk."""
    count = tf.size(lists.splits) - 1
    (values,) = sure(tf.equal(lists.lengths, shape[0]), lists.values)
    return tf.reshape(values, tf.concat([[count], tf.constant(shape, tf.int32)], 0))


def sure(conditions: tf.Tensor, *tensors: tf.Tensor) -> list[tf.Tensor]:
    """The tensors, once it is sure that all conditions hold."""
    holds = tf.reduce_all(conditions)
    checked = ops.Assert(condition=holds, data=["examples go one by one"])
    with tf.control_dependencies([checked]):
        return [tf.identity(tensor) for tensor in tensors]


def sure_lists(conditions: tf.Tensor, lists: Lists) -> Lists:
    """The lists, once it is sure that all conditions hold."""
    return Lists(*sure(conditions, *lists))


def alike(parts: Sequence[Lists]) -> list[Lists]:
    """The same lists, once it is sure that each example's are of one length in all parts."""
    first, *rest = parts
    other = [part for part in rest if part.splits is not first.splits]
    if not other:
        return list(parts)
    same = tf.stack([tf.equal(part.splits, first.splits) for part in other])
    (splits,) = sure(same, first.splits)
    return [Lists(part.values, splits) for part in parts]
