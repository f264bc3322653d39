"""The ops that were put off until after the shuffle, on pieces of one size.

A call costs more than the work on a small batch. So these ops run on whole numbers of batches, a
few megabytes at a time, and batches are then sliced out of the result, which copies nothing. A
result stays in memory until the last of its batches is gone, so it is not larger than that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import tensorflow as tf

from queueio.compile.in_session import mapped_ops
from queueio.compile.jit import compiled, worth_compiling
from queueio.compile.kernels.as_written import either, flat_mapped
from queueio.compile.kernels.batches import cut_batches, cut_stacks
from queueio.compile.kernels.budget import calls, known_bytes
from queueio.compile.kernels.file_blocks import power_of_two
from queueio.compile.kernels.rows import between, rows_in
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
    made = apply(pieces, fragment, captures, rows, batch)
    if most > 1:
        return cut_stacks(made, batch, most, drop_remainder, whole=True)
    return cut_batches(made, batch, drop_remainder, whole=True)


def apply(
    chunks: tf.data.Dataset,
    fragment: Fragment,
    captures: Captures = None,
    rows: int = 0,
    soon: int = 0,
) -> tf.data.Dataset:
    """Maps a fragment that cannot fail over chunks.

    What is worth it is compiled for chunks of `rows` rows; others come once in a stream, and
    compiling for each size would cost more than it saves. The first `soon` rows do not wait for
    the compiler.
    """
    singles = [replace(fragment, outputs=(output,)).narrowed() for output in fragment.outputs]
    fast = [bool(rows and single.ops) and worth_compiling(single) for single in singles]
    parts = [
        _part(fragment, single, captures, rows if compiles else 0)
        for single, compiles in zip(singles, fast, strict=True)
    ]

    def run(*values: tf.Tensor) -> tuple[tf.Tensor, ...]:
        return tuple(part(*values) for part in parts)

    def rest(before: tf.Tensor, *values: tf.Tensor) -> tuple[tf.Tensor, ...]:
        return tuple(made[before:] for made in run(*values))

    piece = rows * sum(known_bytes([t]) or 0 for t in fragment.outputs)
    # None where one of them is too much: the next is then made when it is asked for.
    side_by_side = min(calls(), _UNDER_WAY // max(piece, 1))
    slow = [
        op for single, quick in zip(singles, fast, strict=True) if not quick for op in single.ops
    ]
    if any(fast) and soon < rows:
        return mapped_ops(_soon(chunks, soon, rows), rest, slow, side_by_side)
    return mapped_ops(chunks, run, slow, side_by_side)


def _soon(chunks: tf.data.Dataset, soon: int, rows: int) -> tf.data.Dataset:
    """The first `soon` rows of a first chunk of `rows` rows apart, before it.

    Returns:
      A dataset of chunks, before each how many of its rows have come already.
    """
    from_tensors = tf.data.Dataset.from_tensors

    def apart(number: tf.Tensor, chunk: tuple[tf.Tensor, ...]) -> tf.data.Dataset:
        def twice() -> tf.data.Dataset:
            begin = from_tensors((0, *between(chunk, end=soon)))
            return begin.concatenate(from_tensors((soon, *chunk)))

        first = tf.logical_and(tf.equal(number, 0), tf.equal(rows_in(chunk), rows))
        return either(first, twice, lambda: from_tensors((0, *chunk)))

    return flat_mapped(chunks.enumerate(), apart)


def _part(
    fragment: Fragment, single: Fragment, captures: Captures, rows: int
) -> Callable[..., tf.Tensor]:
    """One output of a fragment: compiled together, two outputs spoil each other's loops."""
    places = [next(i for i, t in enumerate(fragment.inputs) if t is own) for own in single.inputs]

    def plain(*values: tf.Tensor) -> tf.Tensor:
        (piece,) = vectorise(single)
        assert isinstance(piece, Chunked)
        (result,) = piece.call(*values, captures=captures)
        return result

    if not rows:
        return lambda *values: plain(*(values[i] for i in places))
    fast = compiled(plain)

    def either(*all_values: tf.Tensor) -> tf.Tensor:
        values = [all_values[i] for i in places]

        def at_once() -> tf.Tensor:
            return fast(*(tf.ensure_shape(v, [rows, *v.shape[1:]]) for v in values))

        result = tf.cond(tf.equal(rows_in(values), rows), at_once, lambda: plain(*values))
        return tf.ensure_shape(result, [None, *single.outputs[0].shape])

    return either
