"""Shuffles wide records one by one, before they are decoded.

The pool (pool.py) copies every row up to three times, which costs more than a step of
`Dataset.shuffle` from one and a half kilobytes on, and holds the rows of a few steps besides. So
they are shuffled as they are read (kernels/file_pool.py); or, where no op does that, as strings, of
which only pointers move.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import tensorflow as tf

from queueio.compile.kernels.as_written import mapped
from queueio.compile.kernels.budget import HEAVY_BYTES, calls, known_bytes
from queueio.compile.kernels.file_pool import FilePool
from queueio.compile.kernels.keys import KeyForm
from queueio.graph.fragment import Fragment

_WIDE_BYTES = 1536
_OF_BYTES = (
    tf.uint8,
    tf.int8,
    tf.uint16,
    tf.int16,
    tf.int32,
    tf.int64,
    tf.half,
    tf.float32,
    tf.float64,
)
"""What numbers bytes can be taken for without a copy."""


@dataclass(frozen=True)
class RecordShuffle:
    """Records that can still be had one by one, undecoded.

    Attributes:
      records: makes a dataset of them, strings of the length that the last of `inputs` wants, with
        the name of the file and the number before it where the inputs have these.
      inputs: what is made of that, tensors of the user's graph: a record's numbers, of a known
        shape, come last.
      leaving: which of the inputs a row has, in its order.
      pool: shuffles them as they are read; None where nothing can.
    """

    records: Callable[[], tf.data.Dataset]
    inputs: tuple[tf.Tensor, ...]
    leaving: tuple[int, ...]
    pool: FilePool | None = None

    def shuffled(self, pool: int, rows: int, seed: int | None) -> tf.data.Dataset:
        """Chunks of `rows` decoded records, drawn from `pool` of them as long as there are more."""
        if self.pool is not None:
            keys = KeyForm.PARTS if len(self.inputs) > 1 else KeyForm.NONE
            made = self.pool.shuffled(pool, rows, seed, self._numbers, keys)
            if made is not None:
                return mapped(made, self._row) if self.leaving != tuple(range(keys + 1)) else made
        drawn = self.records().shuffle(pool, seed=seed).batch(rows)
        if rows * (known_bytes(self.inputs[-1:]) or 0) > HEAVY_BYTES:
            return drawn.map(self._decode)
        return drawn.map(self._decode, calls(), deterministic=True)

    def _numbers(self, records: tf.Tensor) -> tuple[tf.Tensor, ...]:
        like = self.inputs[-1]
        if like.dtype.size > 1:
            records = tf.reshape(
                records, [-1, records.shape[1] // like.dtype.size, like.dtype.size]
            )
        return (tf.reshape(tf.bitcast(records, like.dtype), [-1, *like.shape]),)

    def _row(self, *parts: tf.Tensor) -> tuple[tf.Tensor, ...]:
        return tuple(parts[place] for place in self.leaving)

    def _decode(self, *parts: tf.Tensor) -> tuple[tf.Tensor, ...]:
        like = self.inputs[-1]
        numbers = tf.io.decode_raw(parts[-1], like.dtype)
        return self._row(*parts[:-1], tf.reshape(numbers, [-1, *like.shape]))


def record_shuffle(
    records: Callable[[KeyForm], tf.data.Dataset | None] | None,
    keys: KeyForm,
    entry: Fragment,
    before: Fragment,
    pool: FilePool | None = None,
) -> RecordShuffle | None:
    """The records of a stream one by one, if they are wide and nothing need precede the shuffle.

    Args:
      records: makes a dataset of single records, or None where there is none.
      keys: the form in which the entry takes keys.
      entry: the fragment that takes a record's numbers.
      before: what of it must run before the shuffle.
      pool: shuffles the records as they are read, if something can.
    """
    inputs, numbers = entry.inputs, entry.inputs[-1]
    if records is None or len(inputs) != keys + 1 or numbers.dtype == tf.string:
        return None
    if numbers.shape.num_elements() * numbers.dtype.size < _WIDE_BYTES:
        return None
    if not before.only_selects:
        return None
    leaving = tuple(n for t in before.outputs for n, i in enumerate(inputs) if i is t)
    in_place = pool if numbers.dtype in _OF_BYTES else None
    if in_place is None and records(keys) is None:
        return None
    return RecordShuffle(lambda: records(keys), inputs, leaving, in_place)
