"""Several datasets in turns, which a checkpoint may be saved of at any time.

`Dataset.choose_from_datasets` in an order without end is the same while nothing is restored: an
iterator that is restored where one of its datasets had ended takes that for one that goes on
(TensorFlow 2.21), and at the end of the others looks for its next element for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from queueio.compile.kernels.as_written import (
    flat_mapped,
    interleaved,
    kept,
    lasting,
    mapped,
    scanned,
)

ops = tf.raw_ops


def in_rotation(datasets: Sequence[tf.data.Dataset], widths: Sequence[int]) -> tf.data.Dataset:
    """So many elements of each dataset as its width says, round by round, until all have ended.

    Args:
      datasets: of one structure.
      widths: one for each.
    """
    if len(set(widths)) == 1:
        return interleaved(datasets, widths[0])
    return _by_rounds(datasets, widths)


def _by_rounds(datasets: Sequence[tf.data.Dataset], widths: Sequence[int]) -> tf.data.Dataset:
    """The same: behind each round comes nothing, without end, and twice at the end of all."""
    spec = datasets[0].element_spec
    flat = tf.nest.flatten(spec, expand_composites=True)
    types, shapes = [s.dtype for s in flat], [s.shape for s in flat]
    nothing = tf.data.Dataset.from_tensors(ops.OptionalNone()).repeat()
    turns = [place for place, width in enumerate([*widths, 1]) for _ in range(width)]
    order = tf.data.Dataset.from_tensor_slices(tf.constant(turns, tf.int64)).repeat()
    rounds = tf.data.Dataset.choose_from_datasets(
        [*(mapped(dataset, _one) for dataset in datasets), nothing], order, False
    )

    def step(before: tf.Tensor, new: tf.Tensor) -> Any:
        there = ops.OptionalHasValue(optional=new)
        return there, (before | there, there, new)

    def element(_: tf.Tensor, __: tf.Tensor, new: tf.Tensor) -> tf.data.Dataset:
        parts = ops.OptionalGetValue(optional=new, output_types=types, output_shapes=shapes)
        made = tf.nest.pack_sequence_as(spec, parts, expand_composites=True)
        return tf.data.Dataset.from_tensors(made)

    looked = lasting(scanned(rounds, tf.constant(True), step), lambda goes_on, *_: goes_on)
    return flat_mapped(kept(looked, lambda _, there, __: there), element)


def _one(*element: Any) -> tf.Tensor:
    return ops.OptionalFromValue(components=tf.nest.flatten(element, expand_composites=True))
