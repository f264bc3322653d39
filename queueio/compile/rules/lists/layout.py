"""Ops that move, repeat or count what lists hold."""

from __future__ import annotations

import math
from typing import Any

import tensorflow as tf

from queueio.compile.lists import Lists, alike, joined, picked, ranges, splits_of, sure_lists
from queueio.compile.rules.lists.operands import (
    as_list,
    axes_at,
    gives_lists,
    inner,
    lists_at,
    may_be_list,
    numbers,
)
from queueio.compile.rules.rule import ChunkSite, Fits, list_rule
from queueio.graph.copying import again


@list_rule("Shape", "ShapeN", "Size", fits=lambda site: all(site.lists))
def count(site: ChunkSite, values: list[Lists]) -> list[tf.Tensor]:
    return [_told(site, i, lists) for i, lists in enumerate(values)]


def _told(site: ChunkSite, i: int, lists: Lists) -> tf.Tensor:
    # Who asks for no more than the length learns all the same that a value could not be made.
    lengths = sure_lists(tf.size(lists.values) >= 0, lists).lengths
    lengths, dtype = tf.cast(lengths, site.attr("out_type")), site.attr("out_type")
    shape = inner(site.op.inputs[i])
    if site.op.type == "Size":
        return lengths * math.prod(shape)
    fixed = tf.constant([shape], dtype, [1, len(shape)])
    return tf.concat([lengths[:, tf.newaxis], tf.tile(fixed, [site.rows, 1])], 1)


@list_rule("ExpandDims", fits=lists_at(0))
def expand_dims(site: ChunkSite, values: list[Any]) -> list[Lists]:
    return _of_all_values(site, values)  # before the first axis it would give no list


def _squeezes_values(site: ChunkSite) -> bool:
    axes = [int(axis) % (site.rank(0) or 1) for axis in site.attr("squeeze_dims")]
    return site.lists[0] and bool(axes) and 0 not in axes


@list_rule("Squeeze", fits=_squeezes_values)
def squeeze(site: ChunkSite, values: list[Any]) -> list[Lists]:
    axes = [int(axis) % (site.rank(0) or 1) for axis in site.attr("squeeze_dims")]
    return [Lists(tf.squeeze(values[0].values, axes), values[0].splits)]


def _first_stays(site: ChunkSite) -> bool:
    order = site.constant(1)
    return lists_at(0)(site) and order is not None and int(order[0]) == 0


@list_rule("Transpose", fits=_first_stays)
def transpose(site: ChunkSite, values: list[Any]) -> list[Lists]:
    return _of_all_values(site, values)


@list_rule("OneHot", fits=lambda site: lists_at(0)(site) and site.attr("axis") != 0)
def one_hot(site: ChunkSite, values: list[Any]) -> list[Lists]:
    return _of_all_values(site, values)


def _of_all_values(site: ChunkSite, values: list[Any]) -> list[Lists]:
    lists, *more = values
    (made,) = again(site.op, [lists.values, *more])
    return [Lists(made, lists.splits)]


def _in_lists(site: ChunkSite) -> bool:
    return all(site.lists) and gives_lists(site)


@list_rule("Pack", fits=_in_lists)
def pack(site: ChunkSite, values: list[Lists]) -> list[Lists]:
    parts = alike(values)
    (made,) = again(site.op, [part.values for part in parts])
    return [Lists(made, parts[0].splits)]


@list_rule("Unpack", fits=_in_lists)
def unpack(site: ChunkSite, values: list[Lists]) -> list[Lists]:
    return [Lists(made, values[0].splits) for made in again(site.op, [values[0].values])]


def _concatenates(axis: int, parts: slice) -> Fits:
    def fits(site: ChunkSite) -> bool:
        inputs = range(len(site.stacked))[parts]
        axes = axes_at(site, axis, _rank_of(site))
        if axes == [0]:
            return any(site.lists) and all(may_be_list(site, i) for i in inputs)
        return bool(axes) and all(site.lists[i] for i in inputs)

    return fits


@list_rule("ConcatV2", fits=_concatenates(-1, slice(None, -1)))
def concat(site: ChunkSite, values: list[Any]) -> list[Lists]:
    return _concatenated(site, axes_at(site, len(values) - 1, _rank_of(site))[0], values[:-1], 0)


@list_rule("Concat", fits=_concatenates(0, slice(1, None)))
def concat_v1(site: ChunkSite, values: list[Any]) -> list[Lists]:
    return _concatenated(site, axes_at(site, 0, _rank_of(site))[0], values[1:], 1)


def _rank_of(site: ChunkSite) -> int:
    return int(site.op.outputs[0].shape.rank)


def _concatenated(site: ChunkSite, axis: int, parts: list[Any], start: int) -> list[Lists]:
    if axis == 0:
        return [joined([as_list(site, start + i, part) for i, part in enumerate(parts)])]
    each = alike(parts)
    return [Lists(tf.concat([part.values for part in each], axis), each[0].splits)]


def _pads(site: ChunkSite) -> bool:
    return site.rank(0) == 1 and may_be_list(site, 0) and not any(site.stacked[2:])


@list_rule("Pad", "PadV2", fits=_pads)
def pad(site: ChunkSite, values: list[Any]) -> list[Lists]:
    lists, paddings = as_list(site, 0, values[0]), numbers(site, 1, values[1])
    lists = sure_lists(paddings >= 0, lists)
    filler = values[2] if len(values) > 2 else tf.zeros([], lists.values.dtype)
    before, after = (_filled(paddings[:, 0, place], filler) for place in (0, 1))
    return [joined([before, lists, after])]


def _filled(lengths: tf.Tensor, filler: tf.Tensor) -> Lists:
    splits = splits_of(lengths)
    return Lists(tf.fill(splits[-1:], filler), splits)


def _reverses(site: ChunkSite) -> bool:
    return lists_at(0)(site) and site.constant(1) is not None


@list_rule("ReverseV2", fits=_reverses)
def reverse(site: ChunkSite, values: list[Any]) -> list[Lists]:
    lists, axes = values[0], axes_at(site, 1)
    turned = tf.reverse(lists.values, [axis for axis in axes if axis])
    if 0 not in axes:
        return [Lists(turned, lists.splits)]
    return [picked(turned, ranges(lists.ends - 1, lists.begins - 1, -1))]


@list_rule("Tile", fits=lambda site: site.rank(0) == 1 and may_be_list(site, 0))
def tile(site: ChunkSite, values: list[Any]) -> list[Lists]:
    lists, times = as_list(site, 0, values[0]), numbers(site, 1, values[1], 0)
    places = ranges(tf.constant(0, tf.int64), lists.lengths * times)
    places = sure_lists(times >= 0, places)
    begins, lengths = (tf.gather(t, places.examples) for t in (lists.begins, lists.lengths))
    return [picked(lists.values, Lists(begins + places.values % lengths, places.splits))]


def _reshapes(site: ChunkSite) -> bool:
    return may_be_list(site, 0) and bool(site.op.outputs[0].shape.rank)


@list_rule("Reshape", fits=_reshapes)
def reshape(site: ChunkSite, values: list[Any]) -> list[Lists]:
    """The first axis becomes what the others leave, which must be what the program asked for."""
    lists, shape = as_list(site, 0, values[0]), inner(site.op.outputs[0])
    asked, size = numbers(site, 1, values[1]), math.prod(shape)
    counts, wanted = lists.lengths * math.prod(inner(site.op.inputs[0])), asked[:, 0]
    left = tf.equal(wanted, -1) & tf.equal(counts % size, 0)
    rest = tf.equal(asked[:, 1:], tf.constant([shape], tf.int64, [1, len(shape)]))
    fits = tf.concat([left | tf.equal(wanted * size, counts), tf.reshape(rest, [-1])], 0)
    lists = sure_lists(fits, lists)
    return [Lists(tf.reshape(lists.values, [-1, *shape]), splits_of(counts // size))]
