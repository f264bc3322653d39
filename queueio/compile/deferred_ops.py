"""The ops that were put off until after the shuffle, on pieces of one size.

A call costs more than the work on a small batch, and a buffer beyond what the C library keeps
costs a page fault per page, each time. So these ops run on whole numbers of batches, some
megabytes at a time, and batches are then sliced out of the result, which copies nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import tensorflow as tf

from queueio.compile.jit import compiled, worth_compiling
from queueio.compile.kernels.batches import cut_batches
from queueio.compile.kernels.budget import calls, known_bytes
from queueio.compile.kernels.file_blocks import power_of_two
from queueio.compile.vectorise import Chunked, vectorise
from queueio.graph.fragment import Fragment

Captures = Mapping[str, tf.Tensor] | None
_PIECE_BYTES = 12 << 20  # the C library keeps at most 32 MiB for another use
_UNDER_WAY = 24 << 20  # bytes of all pieces that are worked on at a time
_PIECE_ROWS = 4096


def piece_rows(fragment: Fragment, batch: int) -> int:
    """Rows to work on at once: whole batches, of a few megabytes in the widest tensor."""
    widest = max((_row_bytes(t) for t in (*fragment.outputs, *fragment.inputs)), default=1)
    rows = min(_PIECE_BYTES, _UNDER_WAY // calls()) // max(widest, 1)
    rows = min(rows, _PIECE_ROWS)
    return batch * power_of_two(rows // batch)


def _row_bytes(tensor: tf.Tensor) -> int:
    return int(tensor.shape.num_elements() or 0) * int(tensor.dtype.size)


def deferred_batches(
    chunks: tf.data.Dataset,
    fragment: Fragment,
    batch: int,
    drop_remainder: bool = False,
    whole: bool = False,
    captures: Captures = None,
) -> tf.data.Dataset:
    """Batches of `fragment`'s outputs, from chunks of its inputs; see `cut_batches`."""
    rows = piece_rows(fragment, batch)
    pieces = cut_batches(chunks, rows, whole=whole)
    return cut_batches(apply(pieces, fragment, captures, rows), batch, drop_remainder, whole=True)


def apply(
    chunks: tf.data.Dataset, fragment: Fragment, captures: Captures = None, rows: int = 0
) -> tf.data.Dataset:
    """Maps a fragment that cannot fail over chunks.

    What is worth it is compiled for chunks of `rows` rows; others come once in a stream, and
    compiling for each size would cost more than it saves.
    """
    parts = [_part(fragment, output, captures, rows) for output in fragment.outputs]

    def run(*values: tf.Tensor) -> tuple[tf.Tensor, ...]:
        return tuple(part(*values) for part in parts)

    piece = rows * sum(known_bytes([t]) or 0 for t in fragment.outputs)
    side_by_side = max(1, min(calls(), _UNDER_WAY // max(piece, 1)))
    return chunks.map(run, side_by_side, deterministic=True)


def _part(
    fragment: Fragment, output: tf.Tensor, captures: Captures, rows: int
) -> Callable[..., tf.Tensor]:
    """One output of a fragment: compiled together, two outputs spoil each other's loops."""
    single = replace(fragment, outputs=(output,)).narrowed()
    places = [next(i for i, t in enumerate(fragment.inputs) if t is own) for own in single.inputs]

    def plain(*values: tf.Tensor) -> tf.Tensor:
        (piece,) = vectorise(single)
        assert isinstance(piece, Chunked)
        (result,) = piece.call(*values, captures=captures)
        return result

    if not rows or not single.ops or not worth_compiling(single):
        return lambda *values: plain(*(values[i] for i in places))
    fast = compiled(plain)

    def either(*all_values: tf.Tensor) -> tf.Tensor:
        values = [all_values[i] for i in places]

        def at_once() -> tf.Tensor:
            return fast(*(tf.ensure_shape(v, [rows, *v.shape[1:]]) for v in values))

        result = tf.cond(tf.equal(tf.shape(values[0])[0], rows), at_once, lambda: plain(*values))
        return tf.ensure_shape(result, [None, *output.shape])

    return either
