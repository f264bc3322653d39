"""Shuffles wide records one by one, before they are decoded.

The pool (pool.py) copies every row up to three times, which costs more than a step of
`Dataset.shuffle` from one and a half kilobytes on, and holds the rows of a few steps besides. There
a record is a string, and only pointers move.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import tensorflow as tf

from queueio.compile.kernels.budget import HEAVY_BYTES, calls
from queueio.graph.fragment import Fragment

_WIDE_BYTES = 1536


@dataclass(frozen=True)
class RecordShuffle:
    """Records that can still be had one by one, undecoded.

    Attributes:
      records: a dataset of strings, all of the length that `numbers` wants.
      numbers: what a record is decoded to: a tensor of the user's graph, of a known shape.
    """

    records: tf.data.Dataset
    numbers: tf.Tensor

    def shuffled(self, pool: int, rows: int, seed: int | None) -> tf.data.Dataset:
        """Chunks of `rows` decoded records, drawn from `pool` of them as long as there are more."""
        drawn = self.records.shuffle(pool, seed=seed).batch(rows)
        if rows * self.numbers.shape.num_elements() * self.numbers.dtype.size > HEAVY_BYTES:
            return drawn.map(self._decode)
        return drawn.map(self._decode, calls(), deterministic=True)

    def _decode(self, records: tf.Tensor) -> tuple[tf.Tensor]:
        numbers = tf.io.decode_raw(records, self.numbers.dtype)
        return (tf.reshape(numbers, [-1, *self.numbers.shape]),)


def record_shuffle(
    records: Callable[[], tf.data.Dataset | None] | None, entry: Fragment, before: Fragment
) -> RecordShuffle | None:
    """The records of a stream one by one, if they are wide and nothing need precede the shuffle.

    Args:
      records: makes a dataset of single records, or None where there is none.
      entry: the fragment that takes a record's numbers.
      before: what of it must run before the shuffle.
    """
    (*others, numbers) = entry.inputs
    if records is None or others or numbers.dtype == tf.string:
        return None
    if any(t is not numbers for t in before.outputs):
        return None
    if numbers.shape.num_elements() * numbers.dtype.size < _WIDE_BYTES:
        return None
    single = records()
    return None if single is None else RecordShuffle(single, numbers)
