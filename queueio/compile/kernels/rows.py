"""Parts of chunks, in few ops.

`rows[a:b]` in Python makes up to eight ops for each tensor, and `tf.shape(rows)[0]` five, most of
them constants. A first run traces hundreds of ops before its first batch, each of which takes a
tenth of a millisecond, so what all tensors of a chunk share is made once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

ops = tf.raw_ops


def rows_in(rows: Sequence[tf.Tensor], dtype: tf.DType = tf.int32) -> tf.Tensor:
    """How many rows a chunk has, tensors [C, ...]: where there is a vector, its size."""
    for part in rows:
        if part.shape.rank == 1 and part.dtype != tf.variant:
            return ops.Size(input=part, out_type=dtype)
    shape = ops.Shape(input=rows[0], out_type=dtype)
    if rows[0].shape.rank is None:
        return shape[0]
    return ops.Unpack(value=shape, num=rows[0].shape.rank)[0]


def between(rows: Sequence[tf.Tensor], begin: Any = None, end: Any = None) -> tuple[tf.Tensor, ...]:
    """`part[begin:end]` of each tensor of a chunk."""
    first, last = _vector(begin), _vector(end)
    some: Any = last if first is None else first
    by_ones = tf.constant([1], some.dtype)
    return tuple(
        ops.StridedSlice(
            input=part, begin=some if first is None else first, end=some if last is None else last,
            strides=by_ones, begin_mask=int(first is None), end_mask=int(last is None),
        )
        for part in rows
    )  # fmt: skip


def _vector(place: Any) -> tf.Tensor | None:
    if place is None:
        return None
    return tf.constant([place]) if isinstance(place, int) else ops.Pack(values=[place], axis=0)


def none_of(rows: Sequence[tf.Tensor]) -> tuple[tf.Tensor, ...]:
    """`part[:0]` of each."""
    return between(rows, end=0)


def variants(rows: int) -> tf.Tensor:
    """So many variants that hold nothing.

    TensorFlow cannot write a tensor of no variants into a dataset's definition, as `snapshot` and
    tf.data's service do with the inputs of a dataset: there it must be made in a function.
    """
    some = ops.EmptyTensorList(element_shape=-1, max_num_elements=0, element_dtype=tf.int32)
    return some[tf.newaxis][:rows]


def for_each(
    function: Callable[..., Any],
    rows: Sequence[tf.Tensor],
    given: Sequence[tf.TensorSpec],
    made: Sequence[tf.TensorSpec],
) -> tuple[tf.Tensor, ...]:
    """What a function gives for each row of a chunk, [C, ...], in one op.

    Args:
      function: takes a row of each of `rows`; nothing in it may fail that other rows survive, keep
        a state, or live as long as a run.
      rows: the chunk, tensors [C, ...].
      given: what it takes of one row.
      made: what it gives for it.
    """
    body = tf.function(function, list(given), autograph=False).get_concrete_function()
    return tuple(
        ops.MapDefun(
            arguments=list(rows), captured_inputs=body.captured_inputs,
            output_types=[spec.dtype for spec in made],
            output_shapes=[spec.shape for spec in made], f=body,
        )
    )  # fmt: skip


def as_row(part: tf.Tensor) -> tf.Tensor:
    """`part[tf.newaxis]`."""
    return part[tf.newaxis] if part.dtype == tf.variant else tf.expand_dims(part, 0)


def in_batches(rows: Sequence[tf.Tensor], *sizes: int) -> tuple[tf.Tensor, ...]:
    """Rows of whole batches as [n, *sizes, ...]."""
    return tuple(_in_batches(part, sizes) for part in rows)


def _in_batches(part: tf.Tensor, sizes: tuple[int, ...]) -> tf.Tensor:
    inner = part.shape[1:]
    if inner.is_fully_defined() and inner.num_elements():
        return tf.reshape(part, [-1, *sizes, *inner])
    shape = tf.shape(part)
    whole = shape[0] // tf.reduce_prod(sizes)
    return tf.reshape(part, tf.concat([[whole, *sizes], shape[1:]], 0))
