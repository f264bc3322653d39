"""Shuffles wide records of one length as they are read: out of their file, into a pool, and out.

`Dataset.shuffle` moves only pointers, but for it each record is made a string, which is copied
twice on its way into the string, and once more on its way to a batch. An op of this package's own
(native/pool_op.c) has the system write them to their places in the pool.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.compile.kernels import native
from queueio.compile.kernels.as_written import (
    either,
    enumerated,
    flat_mapped,
    kept,
    mapped,
    scanned,
)
from queueio.compile.kernels.budget import Rows, rows_within
from queueio.compile.kernels.file_blocks import blocks_of_file, is_local, length_of
from queueio.compile.kernels.keys import KeyForm, keys_of
from queueio.compile.kernels.moves import seeds_of
from queueio.compile.kernels.python_ops import python_op
from queueio.compile.kernels.rows import rows_in

MOST_BYTES = 1 << 28
"""What the pool may weigh: the memory of all its places is asked for at once."""


@dataclass(frozen=True)
class FilePool:
    """Records of `record` bytes, between `header` and `footer` bytes of each of `files`."""

    files: tf.data.Dataset
    record: int
    header: int
    footer: int

    def shuffled(
        self,
        pool: int,
        rows: int,
        seed: int | None,
        made: Callable[[tf.Tensor], Rows],
        keys: KeyForm = KeyForm.NONE,
    ) -> tf.data.Dataset | None:
        """Chunks of keys and of what `made` makes of `rows` records; of fewer at the end.

        None where the op is missing, or where the pool would weigh too much.

        Args:
          pool: how many records each is drawn from, as long as there are more.
          rows: records of a chunk.
          seed: makes the order reproducible; successive iterations still differ.
          made: takes uint8 [n, record].
          keys: the form of what stands before it.
        """
        piece = rows_within(self.record, rows)
        places = pool + rows + piece
        if not native.has_a_pool() or places * self.record > MOST_BYTES:
            return None

        def step(state: Any, new: Any) -> tuple[Any, Rows]:
            draws, (ended, name, come, data) = new
            there = rows_in(state[:1], tf.int64) + come[1]
            enough = tf.where(there >= pool + rows, tf.constant(rows, tf.int64), 0)
            leaving = tf.where(ended, tf.minimum(there, rows), enough)
            come = tf.concat([come, leaving[tf.newaxis]], 0)
            sizes = tf.constant([places, self.record, bool(keys)], tf.int64)
            after, drawn = native.pooled(state, name, come, data, draws, sizes)
            records, names, offsets = drawn
            numbers = (offsets - self.header) // self.record if keys else offsets
            return after, (*keys_of(keys, names, numbers), *made(records))

        flushes = tf.data.Dataset.range(-(-(pool + rows) // rows))
        none = tf.constant([0, 0, 0], tf.int64)
        last = mapped(flushes, lambda _: (True, tf.constant(""), none, tf.constant("")))
        pieces = flat_mapped(self.files, lambda name: self._pieces(name, piece))
        steps = tf.data.Dataset.zip((seeds_of(seed), pieces.concatenate(last)))
        drawn = scanned(steps, native.empty_pool(self.record), step)
        return kept(drawn, lambda *rows: rows_in(rows) > 0)

    def _pieces(self, name: tf.Tensor, rows: int) -> tf.data.Dataset:
        """Tuples (False, name, (offset, records, whether more follow), the records if read)."""
        asked = [name, *(tf.constant(n, tf.int64) for n in (self.header, self.footer, self.record))]
        count, plain = python_op(records_in, asked, [tf.int64, tf.bool])
        count, plain = tf.ensure_shape(count, []), tf.ensure_shape(plain, [])

        def own(first: tf.Tensor) -> tuple[Any, ...]:
            left = count - first
            more = tf.cast(left > rows, tf.int64)
            come = (self.header + first * self.record, tf.minimum(left, rows), more)
            return False, name, tf.stack(come), tf.constant("")

        def others(number: tf.Tensor, data: tf.Tensor) -> tuple[Any, ...]:
            at = self.header + number * rows * self.record
            come = (at, length_of(data) // self.record, tf.constant(0, tf.int64))
            return False, name, tf.stack(come), data

        def blocks() -> tf.data.Dataset:
            return blocks_of_file(name, self.header, self.footer, self.record, rows * self.record)

        starts = tf.data.Dataset.range(0, count, rows)
        return either(
            plain, lambda: mapped(starts, own), lambda: mapped(enumerated(blocks()), others)
        )


def records_in(name: bytes, header: int, footer: int, record: int) -> Any:
    """How many records a file has; and whether it is one of this machine that can be read."""
    try:
        found = os.stat(name)
        plain = is_local(name) and stat.S_ISREG(found.st_mode) and os.access(name, os.R_OK)
    except (OSError, ValueError):
        return np.int64(0), np.bool_(False)
    room = max(found.st_size - int(header) - int(footer), 0)
    return np.int64(room // int(record)), np.bool_(plain)
