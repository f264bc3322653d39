"""Shuffles rows through a pool, a chunk at a time, with the draws of a RandomShuffleQueue.

`Dataset.shuffle` swaps rows one by one, at about a microsecond each. Here the moves of many draws
are computed at once (moves.py). Narrow rows are held in one tensor (together.py); where that would
take too many bytes, rows are held one by one (apart.py). Strings, which may be of any length, go
from the one to the other when they prove heavy (weighed.py).
"""

from __future__ import annotations

import math

import tensorflow as tf

from queueio.compile.kernels import together, weighed
from queueio.compile.kernels.as_written import rebatched
from queueio.compile.kernels.budget import at_most, bytes_of_row, rows_within
from queueio.compile.kernels.gather import gathered
from queueio.compile.kernels.moves import Fill, seeds_of

# A step costs a fraction of a millisecond in calls alone, so many rows leave at a time, as long
# as they are narrow.
MOST_ROWS = 4096
_STEP_BYTES = 3 << 19
_ALIGNED_ROWS = 64  # of any dtype begin where a buffer may begin


def draw_size(pool: int, batch: int, row: float, most: int = MOST_ROWS) -> tuple[int, int]:
    """Rows of `row` bytes that leave a pool at once: half of it or more, whole batches.

    And what they are a multiple of.
    """
    wanted = max(pool // 2, min(int(_STEP_BYTES / max(row, 1)), most), batch)
    aligned = math.lcm(batch, _ALIGNED_ROWS)
    step = aligned if aligned <= wanted else batch
    return -(-wanted // step) * step, step


def pool_shuffle(
    chunks: tf.data.Dataset,
    fill: Fill,
    batch: int = 1,
    seed: int | None = None,
    most: int = MOST_ROWS,
    row: int | None = None,
) -> tf.data.Dataset:
    """Shuffles rows through a pool.

    Args:
      chunks: a dataset of flat tuples of dense tensors, shape [C, ...] with the same C, any C.
      fill: how many rows the pool holds.
      batch: narrow rows leave in about as many at a time as make whole batches of this size.
      seed: makes the order reproducible; successive iterations still differ.
      most: rows that leave at once, if they are more than half the pool and than a batch.
      row: bytes of a row, where more is known of it than dtypes and shapes tell.

    Returns:
      A dataset of chunks of the same structure, never empty. When the input ends, the whole
      pool leaves in random order.
    """
    if fill.most < 1 or batch < 1:
        raise ValueError(f"pool ({fill.most}) and batch ({batch}) must be at least 1")
    row = bytes_of_row(chunks) if row is None else row
    seeds = seeds_of(seed)
    least = max(fill.most // 2, batch)  # a draw copies what is in the pool
    if row is None:
        step, _ = draw_size(fill.most, batch, 0, most)
        small = gathered(at_most(chunks, 4 * most or batch), step, least)
        return weighed.shuffled(small, fill, seeds, together.MOST_BYTES)
    # Known to the byte, so it may be nearer the margin; in a session the lists cost far more.
    if row * fill.most > 2 * together.MOST_BYTES:
        step = rows_within(row, most or batch, _STEP_BYTES)
        whole = step // batch * batch or step // fill.unit * fill.unit
        return weighed.shuffled(rebatched(chunks, whole or fill.unit), fill, seeds, 0)
    step, unit = draw_size(fill.most, batch, row, most)
    sooner = math.lcm(batch, fill.unit)
    whole = gathered(chunks, step, least, (unit, sooner), weighed=False)
    return together.shuffled(whole, fill, seeds)
