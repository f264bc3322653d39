"""A fragment over a stream of chunks, or of single elements."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import tensorflow as tf

from queueio.compile.ends import map_until_end
from queueio.compile.kernels.as_written import mapped, unbatched
from queueio.compile.kernels.budget import at_most, at_once, calls, known_bytes, rows_within
from queueio.compile.placement import most_at_once, moving_ops
from queueio.compile.python_ends import map_rows, map_until_told
from queueio.compile.replay import guarded
from queueio.compile.vectorise import PerExample, Piece, vectorise
from queueio.graph.fragment import Fragment

Captures = Mapping[str, tf.Tensor] | None
_ROWS_OF_SLOW = 8
"""Examples that take long are not waited for by the hundred: the queues gave a batch of four when
there were four."""
_USUAL_ROWS = 4096
"""Rows of a chunk that readers give, where they are narrow."""
_UNDER_WAY = 4 << 20
"""Bytes of the widest tensors of all chunks that are worked on at a time."""


def map_chunks(
    chunks: tf.data.Dataset,
    fragment: Fragment,
    captures: Captures = None,
    rows: int = 128,
    pieces: list[Piece] | None = None,
    gather: bool = True,
    threads: int = 1,
) -> tf.data.Dataset:
    """Applies `fragment` to every row of a dataset of chunks; the order stays.

    Args:
      chunks: a dataset of flat tuples, the fragment's inputs, shape [C, ...].
      captures: see `Fragment.call`.
      rows: rows of the chunks that follow a per-example piece; of a slow one, fewer.
      pieces: those of `fragment`, where they are known already.
      gather: False leaves what a last per-example piece makes as single examples, so that nobody
        waits for more of them, nor loses those before one that fails.
      threads: see `map_until_end`.

    Returns:
      A dataset of flat tuples, the fragment's outputs, shape [C', ...]. If an example fails, the
      ones before it are delivered, then its own error is raised.
    """
    if fragment.only_selects:
        places = [
            next(n for n, i in enumerate(fragment.inputs) if i is t) for t in fragment.outputs
        ]
        return mapped(chunks, lambda *rows: tuple(rows[n] for n in places))
    pieces = vectorise(fragment) if pieces is None else pieces
    first = next((n for n, piece in enumerate(pieces) if piece.one_by_one), len(pieces))
    whole: list[Any] = pieces[:first]
    if whole:
        chunks = guarded(_narrow(chunks, whole), whole, captures)
    if first == len(pieces):
        return chunks
    head = pieces[first]
    each = map_rows(chunks, head.fragment, threads, captures) if _in_order(head) else None
    first += each is not None
    for run in _together(pieces[first:]):
        each = map_each(unbatched(chunks) if each is None else each, run, captures, threads)
    assert each is not None
    if not gather:
        return each
    after = min(rows, _ROWS_OF_SLOW) if any(map(_is_slow, pieces)) else rows
    return each.batch(rows_within(known_bytes(each.element_spec) or 0, after))


def _is_slow(piece: Piece) -> bool:
    return isinstance(piece, PerExample) and piece.slow


def _together(pieces: list[Any]) -> Iterator[list[Any]]:
    """The pieces for single examples; those that need not pass in order make one map.

    What follows such a piece sees single examples as well: a chunk of what it makes would be lost
    where one of them fails, and cannot always be made again.
    """
    for alone, run in itertools.groupby(pieces, lambda p: p if _in_order(p) else None):
        yield [alone] if alone else list(run)


def _in_order(piece: Piece) -> bool:
    return isinstance(piece, PerExample) and (piece.in_order or piece.ends)


def _narrow(chunks: tf.data.Dataset, pieces: list[Piece]) -> tf.data.Dataset:
    """The chunks, so small that the widest tensors of all that are under way are not too much."""
    made = [t for p in pieces for op in moving_ops(p.fragment) for t in op.outputs]
    widest = max((known_bytes([t]) or 0 for t in made), default=0)
    rows = rows_within(widest, _USUAL_ROWS, _UNDER_WAY // calls())
    return chunks if rows == _USUAL_ROWS else at_most(chunks, rows, None)


def map_each(
    elements: tf.data.Dataset, pieces: Sequence[Piece], captures: Captures = None, threads: int = 1
) -> tf.data.Dataset:
    """Applies pieces, one after the other, to single elements: in parallel unless they must pass
    in order, or may end the stream, as one piece alone may.
    """

    def run(*values: Any) -> tuple[tf.Tensor, ...]:
        for piece in pieces:
            values = tuple(piece.fragment.call(*values, captures=captures))
        return values

    (first, *_) = pieces
    if isinstance(first, PerExample) and first.ends:
        if threads > 1:
            told = map_until_told(elements, first.fragment, threads, captures)
            if told is not None:
                return told
        return map_until_end(elements, run, threads, most_at_once(first.fragment, threads))
    return elements.map(run, **at_once(1 if _in_order(first) else None))
