"""A pool that holds each row for itself: of any size, and copied as it comes and as it leaves.

Rows are in TensorLists, which hold tensors by reference; a step moves as many rows as arrive, so
what is in memory beside the pool is a few chunks of them.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.compile.kernels.budget import CHUNK_BYTES, Rows
from queueio.compile.kernels.moves import Fill, draws
from queueio.compile.kernels.rows import rows_in

ops = tf.raw_ops


def no_lists(spec: Any) -> Rows:
    """An empty list for each component.

    It grows as rows come: room for all that a pool may hold is taken from memory at once, and a
    capacity of 2**31 - 1 is how programs say that there is no bound.
    """
    return tuple(_list(s) for s in spec)


def _list(spec: Any) -> tf.Tensor:
    shape = tf.constant(spec.shape[1:].as_list(), tf.int32)
    return ops.TensorListReserve(element_shape=shape, num_elements=0, element_dtype=spec.dtype)


def taken_in(count: tf.Tensor, lists: Rows, rows: Rows) -> tuple[tf.Tensor, Rows]:
    """The pool with `rows` after its `count` rows: how many there are, and the lists."""
    total = count + rows_in(rows)
    places = tf.range(count, total)
    return total, tuple(
        ops.TensorListScatterIntoExistingList(input_handle=h, tensor=r, indices=places)
        for h, r in zip(lists, rows, strict=True)
    )


def drawn(
    count: tf.Tensor, lists: Rows, rows: Rows, seed: tf.Tensor, leaving: tf.Tensor
) -> tuple[tf.Tensor, Rows, Rows]:
    """Takes `rows` in and `leaving` rows out.

    Returns:
      How many rows are left of the `count` that were there, their lists, and what leaves.
    """
    left = count + rows_in(rows) - leaving
    leaves, stays = draws(leaving, left, seed)
    out = _taken(lists, rows, leaves, count)
    new = _where(stays >= count)  # places that a row comes to
    up = _where(tf.logical_and(tf.not_equal(stays, tf.range(left)), stays < count))
    came = tf.gather(stays, new) - count
    kept = (
        ops.TensorListScatterIntoExistingList(
            input_handle=h, tensor=tf.gather(r, came), indices=new
        )
        for h, r in zip(_moved_up(lists, stays, up, rows), rows, strict=True)
    )
    return left, tuple(ops.TensorListResize(input_handle=h, size=left) for h in kept), out


def _moved_up(lists: Rows, stays: tf.Tensor, places: tf.Tensor, like: Rows) -> Rows:
    """The lists with the rows `stays[p]` at the places p too: by reference, not copied."""

    def move(at: tf.Tensor, *lists: tf.Tensor) -> Any:
        place = places[at]
        return at + 1, *(
            ops.TensorListSetItem(input_handle=h, index=place, item=_item(h, stays[place], r))
            for h, r in zip(lists, like, strict=True)
        )

    loop = tf.while_loop(lambda at, *_: at < tf.size(places), move, (0, *lists))
    return tuple(loop[1:])


def _item(held: tf.Tensor, place: tf.Tensor, like: tf.Tensor) -> tf.Tensor:
    return ops.TensorListGetItem(
        input_handle=held, index=place, element_dtype=like.dtype,
        element_shape=tf.constant(like.shape[1:].as_list(), tf.int32),
    )  # fmt: skip


def _taken(lists: Rows, rows: Rows, numbers: tf.Tensor, count: tf.Tensor) -> Rows:
    """Rows by number: of the lists, and from `count` on of those that have just come."""

    def of_lists() -> Rows:
        return tuple(_gather(h, numbers, r) for h, r in zip(lists, rows, strict=True))

    def of_both() -> Rows:
        _, both = taken_in(count, lists, rows)  # these are few, and what leaves is copied once
        return tuple(_gather(h, numbers, r) for h, r in zip(both, rows, strict=True))

    return tuple(tf.cond(tf.reduce_all(numbers < count), of_lists, of_both))


def _where(true: tf.Tensor) -> tf.Tensor:
    """The places where it is true, int32."""
    return tf.cast(tf.squeeze(tf.where(true), 1), tf.int32)


def _gather(held: tf.Tensor, places: tf.Tensor, like: tf.Tensor) -> tf.Tensor:
    return ops.TensorListGather(
        input_handle=held, indices=places, element_dtype=like.dtype,
        element_shape=tf.constant(like.shape[1:].as_list(), tf.int32),
    )  # fmt: skip


def emptied(
    count: tf.Tensor, weight: tf.Tensor, lists: Rows, seed: tf.Tensor, fill: Fill, rows: Rows
) -> Any:
    """A chunk of what is left, in random order; the rest moves up into the places of those."""
    fit = tf.cast(count, tf.int64) * CHUNK_BYTES // tf.maximum(weight, 1)
    leaving = tf.minimum(-(-tf.cast(fit, tf.int32) // fill.unit) * fill.unit, count)
    leaving = tf.where(leaving > 0, leaving, tf.minimum(fill.unit, count))
    rest = count - leaving
    order = tf.random.experimental.stateless_shuffle(tf.range(count), seed)
    leaves, stays = order[:leaving], order[leaving:]
    empty = tf.gather(leaves, _where(leaves < rest))
    moving = tf.gather(stays, _where(stays >= rest))
    out = tuple(_gather(h, leaves, r) for h, r in zip(lists, rows, strict=True))
    kept = tuple(
        ops.TensorListResize(
            input_handle=ops.TensorListScatterIntoExistingList(
                input_handle=h, tensor=_gather(h, moving, r), indices=empty
            ),
            size=rest,
        )
        for h, r in zip(lists, rows, strict=True)
    )
    return rest, kept, out
