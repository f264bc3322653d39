"""Lists of a length that each example tells, and rows of what lists hold at places."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.compile.lists import Lists, example_of, ranges, splits_at, splits_of, sure, sure_lists
from queueio.compile.rules.lists.operands import inner, numbers
from queueio.compile.rules.rule import ChunkSite, list_rule, only
from queueio.graph.copying import again


@list_rule("Fill", fits=lambda site: site.stacked[0])
def fill(site: ChunkSite, values: list[Any]) -> list[Lists]:
    dims, filler = numbers(site, 0, values[0]), values[1]
    shape = inner(site.op.outputs[0])
    whole = tf.equal(dims[:, 1:], tf.constant([shape], tf.int64, [1, len(shape)]))
    (lengths,) = sure(tf.concat([dims[:, 0] >= 0, tf.reshape(whole, [-1])], 0), dims[:, 0])
    splits = splits_of(lengths)
    size = tf.concat([splits[-1:], tf.constant(shape, tf.int64)], 0)
    if not site.stacked[1]:
        return [Lists(tf.fill(size, filler), splits)]
    each = tf.gather(filler, example_of(tf.range(splits[-1]), splits))
    return [Lists(tf.broadcast_to(tf.reshape(each, [-1, *[1] * len(shape)]), size), splits)]


def _whole_numbers(site: ChunkSite) -> bool:
    step = site.constant(2)
    return step is not None and int(step) > 0 and site.op.outputs[0].dtype.is_integer


@list_rule("Range", fits=_whole_numbers)
def range_(site: ChunkSite, values: list[Any]) -> list[Lists]:
    first, last = (numbers(site, i, values[i]) for i in (0, 1))
    made = ranges(first, last, int(site.constant(2)))  # type: ignore[arg-type]
    made = sure_lists(first <= last, made)
    return [Lists(tf.cast(made.values, site.op.outputs[0].dtype), made.splits)]


def _places_one_by_one(site: ChunkSite) -> bool:
    return (
        site.lists[0] and site.lists[2] and not site.stacked[3]
        and site.shape(0).as_list()[1:] == [1] and site.rank(1) == site.rank(2) == 1
    )  # fmt: skip


@list_rule("SparseToDense", fits=_places_one_by_one)
def sparse_to_dense(site: ChunkSite, values: list[Any]) -> list[Lists]:
    places, lengths, given, default = values
    lengths = numbers(site, 1, lengths, 0)
    splits = splits_of(lengths)
    own = tf.cast(places.values[:, 0], tf.int64)
    begins, ends = (tf.gather(t, places.examples) for t in (splits[:-1], splits[1:]))
    at = begins + own
    # That one place is given twice, or places out of order, is for the op to judge.
    right = [(own >= 0) & (at < ends), at[1:] > at[:-1], tf.equal(places.splits, given.splits)]
    (at,) = sure(tf.concat([lengths >= 0, *right], 0), at)
    empty = tf.fill(splits[-1:], default)
    made = tf.raw_ops.TensorScatterUpdate(tensor=empty, indices=at[:, None], updates=given.values)
    return [Lists(made, splits)]


@list_rule("StringSplit", "StringSplitV2",
           fits=lambda site: only(0)(site) and site.shape(0) == [1])  # fmt: skip
def split_text(site: ChunkSite, values: list[Any]) -> list[Any]:
    places, texts, _ = again(site.op, [tf.reshape(values[0], [-1]), *values[1:]])
    splits = splits_at(places[:, 0], tf.range(tf.cast(site.rows, tf.int64) + 1))
    first = tf.zeros_like(places[:, 1:])
    lengths = (splits[1:] - splits[:-1])[:, None]
    return [
        Lists(tf.concat([first, places[:, 1:]], 1), splits),
        Lists(texts, splits),
        tf.concat([tf.ones_like(lengths), lengths], 1),
    ]
