"""A fragment over a stream of chunks, and the whole way from files to batches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tensorflow as tf

from queueio.compile.batches import cut_batches
from queueio.compile.cut import cheapest_cut
from queueio.compile.fragment import Fragment
from queueio.compile.late import late_batches, piece_rows
from queueio.compile.parallel import calls
from queueio.compile.pool import pool_shuffle
from queueio.compile.replay import guarded
from queueio.compile.vectorise import Chunked, PerExample, Piece, vectorise

Captures = Mapping[str, tf.Tensor] | None


def map_chunks(
    chunks: tf.data.Dataset,
    fragment: Fragment,
    captures: Captures = None,
    rows: int = 128,
    pieces: list[Piece] | None = None,
) -> tf.data.Dataset:
    """Applies `fragment` to every row of a dataset of chunks; the order stays.

    Args:
      chunks: a dataset of flat tuples, the fragment's inputs, shape [C, ...].
      captures: see `Fragment.call`.
      rows: rows of the chunks that follow a per-example piece.
      pieces: those of `fragment`, where they are known already.

    Returns:
      A dataset of flat tuples, the fragment's outputs, shape [C', ...]. If an example fails, the
      ones before it are delivered, then its own error is raised.
    """
    if all(any(t is i for i in fragment.inputs) for t in fragment.outputs):
        places = [
            next(n for n, i in enumerate(fragment.inputs) if i is t) for t in fragment.outputs
        ]
        return chunks.map(lambda *rows: tuple(rows[n] for n in places))
    for piece in vectorise(fragment) if pieces is None else pieces:
        if isinstance(piece, Chunked) or (isinstance(piece, PerExample) and piece.cheap):
            chunks = guarded(chunks, piece, captures)
        elif isinstance(piece, PerExample):
            chunks = map_each(chunks.unbatch(), piece, captures).batch(rows)
    return chunks


def map_each(
    elements: tf.data.Dataset, piece: PerExample, captures: Captures = None
) -> tf.data.Dataset:
    """Applies a piece to single elements, in parallel unless they must pass in order."""
    at_once = None if piece.in_order else calls()

    def run(*values: Any) -> tuple[tf.Tensor, ...]:
        return piece.fragment.call(*values, captures=captures)

    return elements.map(run, at_once, deterministic=True)


def batches_of(
    chunks: tf.data.Dataset,
    fragment: Fragment,
    batch: int,
    min_after_dequeue: int | None = None,
    seed: int | None = None,
    drop_remainder: bool = False,
    captures: Captures = None,
) -> tf.data.Dataset:
    """Chunks of records → fragment → pool (unless `min_after_dequeue` is None) → batches."""
    before, after = cheapest_cut(fragment)
    chunks = map_chunks(chunks, before, captures)
    shuffled = min_after_dequeue is not None
    if min_after_dequeue is not None:
        rows = piece_rows(after, batch) if after.ops else batch
        chunks = pool_shuffle(chunks, min_after_dequeue, rows, seed)
    if after.ops:
        chunks = late_batches(chunks, after, batch, drop_remainder, shuffled, captures)
    else:
        chunks = cut_batches(chunks, batch, drop_remainder, whole=shuffled)
    return chunks.prefetch(2)
