"""What happens when a chunk fails: the same chunk again, example by example, or lot by lot.

A chunked op fails as a whole and names no record. The queue delivered every example before the
bad one, then raised that example's own error; so does this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow as tf

from queueio.compile.in_session import mapped_ops
from queueio.compile.kernels.as_written import either, flat_mapped, mapped
from queueio.compile.kernels.budget import calls, spaced
from queueio.compile.kernels.rows import as_row, none_of, rows_in
from queueio.compile.kernels.together import no_rows
from queueio.compile.one_pass import ops_left
from queueio.compile.vectorise import Chunked, Piece


def _left(piece: Piece) -> Sequence[Any]:
    return ops_left(piece.fragment) if isinstance(piece, Chunked) else piece.fragment.ops


def guarded(
    chunks: tf.data.Dataset,
    pieces: Sequence[Piece],
    captures: Mapping[str, tf.Tensor] | None = None,
    lot: int = 0,
) -> tf.data.Dataset:
    """Maps `pieces`, one after the other, over chunks, with the errors of single examples.

    Chunks are mapped in parallel, in order. All pieces in one map: what one gives the next does not
    wait in between, and of each chunk no more than what entered is kept to be tried again.

    Args:
      chunks: a dataset of flat tuples, shape [C, ...].
      pieces: what is mapped.
      captures: see `Fragment.call`.
      lot: where it is not 0, what came to the user's ops were so many rows at a time.
    """
    ops = [op for piece in pieces for op in piece.fragment.ops]
    left = [op for piece in pieces for op in _left(piece)]
    light = spaced(chunks)
    gaps = light is not chunks

    def whole(*rows: Any) -> tuple[tf.Tensor, ...]:
        for piece in pieces:
            rows = tuple(piece.call(*rows, captures=captures))
        return rows

    def each(*row: Any) -> tuple[tf.Tensor, ...]:
        for piece in pieces:
            row = tuple(piece.fragment.call(*row, captures=captures))
        return row if lot else tuple(map(as_row, row))

    def attempt(*rows: Any) -> Any:
        given = tf.data.Dataset.from_tensors(rows)
        if gaps:  # nothing is tried there, and nothing delivered
            given = given.take(tf.cast(rows_in(rows) > 0, tf.int64))
        tried = mapped_ops(given, whole, left).ignore_errors()
        good = mapped(tried, lambda *out: (True, out, none_of(rows)))
        bad = tf.data.Dataset.from_tensors((False, no_rows(tried.element_spec), rows))
        return good.concatenate(bad).take(1).get_single_element()

    def deliver(good: Any, out: Any, rows: Any) -> tf.data.Dataset:
        def singly() -> tf.data.Dataset:
            alone = tf.data.Dataset.from_tensor_slices(rows)
            return mapped_ops(alone.batch(lot) if lot else alone, each, ops)

        return either(good, lambda: tf.data.Dataset.from_tensors(out), singly)

    return flat_mapped(mapped(light, attempt, calls()), deliver)
