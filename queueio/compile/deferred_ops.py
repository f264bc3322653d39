"""The ops that were put off until after the shuffle, on pieces of one size.

A call costs more than the work on a small batch. So these ops run on whole numbers of batches, a
few megabytes at a time, and batches are then sliced out of the result, which copies nothing. A
result stays in memory until the last of its batches is gone, so it is not larger than that.
"""

from __future__ import annotations

from collections.abc import Mapping

import tensorflow as tf

from queueio.compile.in_session import mapped_ops
from queueio.compile.kernels.batches import cut_batches, cut_stacks
from queueio.compile.kernels.budget import calls, known_bytes
from queueio.compile.kernels.file_blocks import power_of_two
from queueio.compile.one_pass import ops_left
from queueio.compile.vectorise import Chunked, vectorise
from queueio.graph.fragment import Fragment

Captures = Mapping[str, tf.Tensor] | None
_PIECE_BYTES = 4 << 20
_UNDER_WAY = 8 << 20  # bytes of all pieces that are worked on at a time
_PIECE_ROWS = 4096


def piece_rows(fragment: Fragment, batch: int) -> int:
    """Rows to work on at once: whole batches, of a few megabytes in the widest tensor."""
    widest = max((_row_bytes(t) for t in (*fragment.outputs, *fragment.inputs)), default=1)
    rows = min(_PIECE_BYTES, _UNDER_WAY // calls()) // max(widest, 1)
    rows = min(rows, _PIECE_ROWS)
    return batch * power_of_two(rows // batch)


def only_strings(fragment: Fragment) -> bool:
    """Whether it makes nothing else: light work on rows, for which no others need be waited for."""
    given = {t.ref() for t in fragment.inputs}
    return all(t.dtype == tf.string for t in fragment.outputs if t.ref() not in given)


def _row_bytes(tensor: tf.Tensor) -> int:
    return int(tensor.shape.num_elements() or 0) * int(tensor.dtype.size)


def deferred_batches(
    chunks: tf.data.Dataset,
    fragment: Fragment,
    batch: int,
    drop_remainder: bool = False,
    whole: bool = False,
    captures: Captures = None,
    most: int = 1,
) -> tf.data.Dataset:
    """Batches of `fragment`'s outputs, from chunks of its inputs; see `cut_batches`.

    With `most` above 1 in stacks, as `cut_stacks` makes them.

    Only of chunks of whole batches larger pieces are made: rows that waited for others, beside the
    queue, would be lost where its input fails.
    """
    rows = piece_rows(fragment, batch) if whole else batch
    pieces = cut_batches(chunks, rows, whole=whole)
    made = apply(pieces, fragment, captures, rows)
    if most > 1:
        return cut_stacks(made, batch, most, drop_remainder, whole=True)
    return cut_batches(made, batch, drop_remainder, whole=True)


def apply(
    chunks: tf.data.Dataset, fragment: Fragment, captures: Captures = None, rows: int = 0
) -> tf.data.Dataset:
    """Maps a fragment that cannot fail over chunks, of `rows` rows or of any number."""
    (piece,) = vectorise(fragment)
    assert isinstance(piece, Chunked)

    def run(*values: tf.Tensor) -> tuple[tf.Tensor, ...]:
        return tuple(piece.call(*values, captures=captures))

    weight = rows * sum(known_bytes([t]) or 0 for t in fragment.outputs)
    # None where one of them is too much: the next is then made when it is asked for.
    side_by_side = min(calls(), _UNDER_WAY // max(weight, 1))
    return mapped_ops(chunks, run, ops_left(fragment), side_by_side)
