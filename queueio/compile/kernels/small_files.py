"""Reads small files together: what a file costs besides its records is more than a hundred of them.

Names come in groups. Where the files of one are light, they are read in one function, and their
records are one chunk; the others are read file by file, in blocks (blocks.py).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.compile.kernels.as_written import either, flat_mapped, kept, mapped
from queueio.compile.kernels.budget import Rows
from queueio.compile.kernels.file_blocks import is_local
from queueio.compile.kernels.python_ops import python_op
from queueio.compile.kernels.rows import for_each, rows_in
from queueio.compile.kernels.side_by_side import interleaved, mixed
from queueio.compile.kernels.together import no_rows
from queueio.compile.kernels.tracing import chosen

LIGHT_BYTES = 1 << 18
"""What the files of a chunk weigh together, as much as a block of a large one."""
_MIXED_BYTES = 1 << 12
"""The same where several readers' records mix: more of them would come from file after file."""
_PARTS_OF_EPOCH = 2
"""An epoch has so many times the files that all these readers read at once: with fewer it would mix
with the next ones, and a batch hold an example several times."""
Small = Callable[[tf.Tensor], tuple[tf.Tensor, Rows]]
"""Of names [g], whether their files could be read together, and all their records, [C, ...]."""


def together(
    groups: tf.data.Dataset,
    small: Small,
    each: Callable[[Any], tf.data.Dataset],
    readers: int = 1,
    mix: bool = True,
) -> tf.data.Dataset:
    """Chunks of the records of files, in the order of their names.

    Args:
      groups: a dataset of vectors of names.
      small: reads light files.
      each: makes the dataset of chunks of a dataset of names; missing files fail there.
      readers: how many groups are read side by side.
      mix: whether their records mix, as those of readers that race.
    """
    mix = mix and readers > 1

    def of_group(names: tf.Tensor, sizes: tf.Tensor) -> tf.data.Dataset:
        one_by_one = each(tf.data.Dataset.from_tensor_slices(names))
        spec = tuple(tf.TensorSpec([None, *s.shape[1:]], s.dtype) for s in one_by_one.element_spec)
        light = tf.logical_and(tf.reduce_all(sizes >= 0), tf.reduce_sum(sizes) <= 2 * LIGHT_BYTES)
        good, rows = chosen(light, lambda: small(names), lambda: (False, no_rows(spec)))
        return either(good, lambda: tf.data.Dataset.from_tensors(rows), lambda: one_by_one, spec)

    sized = mapped(groups, lambda names: (names, _sizes(names)))
    mixing = readers if mix else 0
    pieces = flat_mapped(sized, lambda names, sizes: _pieces(names, sizes, mixing))
    if readers == 1:
        read = flat_mapped(pieces, of_group)
    else:
        read = (mixed if mix else interleaved)(pieces, of_group, readers)
    return kept(read, lambda *rows: rows_in(rows) > 0)


def are_heavy(names: Sequence[str]) -> bool:
    """Whether there are files, each of them a chunk of its own: `together` has nothing to join."""
    return bool(names) and all(_size(os.fsencode(name)) > LIGHT_BYTES for name in names)


def contents(names: tf.Tensor) -> tf.Tensor:
    """What the files of these names hold, strings [g]."""
    text = tf.TensorSpec([], tf.string)
    (texts,) = for_each(tf.io.read_file, [names], [text], [text])
    return texts


def _sizes(names: tf.Tensor) -> tf.Tensor:
    """Bytes of each file; -1 for one that cannot be read, or is far away: others come first."""
    (found,) = python_op(light_sizes, [names], [tf.int64])
    return tf.ensure_shape(found, [None])


def light_sizes(names: Any) -> Any:
    """What `_sizes` asks of Python."""
    return np.array([_size(name) for name in names], np.int64)


def _size(name: bytes) -> int:
    try:
        found, local = os.stat(name), is_local(name)
    except (OSError, ValueError):
        return -1
    plain = local and stat.S_ISREG(found.st_mode) and os.access(name, os.R_OK)
    return found.st_size if plain else -1


def _most_of_a_run(names: tf.Tensor, readers: int) -> tf.Tensor:
    """How many files (int64) a run of one of some readers has: few where an epoch has few."""
    different = tf.size(tf.unique(names).y, tf.int64)
    again = different < tf.size(names, tf.int64)
    most = tf.maximum(different // (_PARTS_OF_EPOCH * readers), 1)
    return tf.where(again, most, tf.int64.max)


def _pieces(names: tf.Tensor, sizes: tf.Tensor, mixing: int) -> tf.data.Dataset:
    """The same names in runs of files that weigh no more than a chunk, or of one that does.

    For so many readers, `mixing`, whose records mix, they are shorter, and at least as many.
    """
    weight: Any = tf.constant(LIGHT_BYTES, tf.int64)
    counted = tf.maximum(sizes, 0)
    if mixing:
        share = tf.reduce_sum(counted) // mixing
        weight = tf.clip_by_value(share, 1, _MIXED_BYTES)
        counted = tf.maximum(counted, -(-weight // _most_of_a_run(names, mixing)))
    before = tf.cumsum(counted, exclusive=True)
    _, run = tf.unique(before // weight)
    count = tf.reduce_max(run) + 1

    def of_run(at: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        places = tf.squeeze(tf.where(tf.equal(run, at)), 1)
        return tf.gather(names, places), tf.gather(sizes, places)

    def several() -> tf.data.Dataset:
        runs = tf.data.Dataset.range(tf.cast(count, tf.int64), output_type=tf.int32)
        return mapped(runs, of_run)

    return either(count > 1, several, lambda: tf.data.Dataset.from_tensors((names, sizes)))
