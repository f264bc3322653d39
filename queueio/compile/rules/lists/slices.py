"""Parts of lists: a gather of all values that the parts of a chunk hold."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.compile.lists import Lists, example_of, picked, ranges, splits_at, sure, sure_lists
from queueio.compile.rules.lists.operands import as_list, inner, lists_at, may_be_list, numbers
from queueio.compile.rules.rule import ChunkSite, list_rule
from queueio.graph.copying import again


def _strided(site: ChunkSite) -> bool:
    strides = site.constant(3)
    if strides is None or not strides.size or not may_be_list(site, 0):
        return False
    if (site.attr("new_axis_mask") | site.attr("ellipsis_mask")) & 1:
        return False
    one_form = strides.size == 1 or not (site.stacked[1] or site.stacked[2])
    return one_form and (not site.attr("shrink_axis_mask") & 1 or int(strides[0]) == 1)


@list_rule("StridedSlice", fits=_strided)
def strided_slice(site: ChunkSite, values: list[Any]) -> list[Any]:
    data, begin, end, strides = values
    lists = as_list(site, 0, data)
    if site.op.inputs[3].shape.as_list() != [1]:
        lists = Lists(_of_each_value(site, lists.values, begin, end, strides), lists.splits)
    first = numbers(site, 1, begin, 0)
    if site.attr("shrink_axis_mask") & 1:
        return [_item(lists, tf.where(first < 0, first + lists.lengths, first))]
    step = int(site.constant(3)[0])  # type: ignore[index]
    least, most = (0, lists.lengths) if step > 0 else (-1, lists.lengths - 1)
    least = tf.zeros_like(lists.lengths) + least
    begins, ends = (least, most) if step > 0 else (most, least)
    if not site.attr("begin_mask") & 1:
        begins = _within(lists, first, least, most)
    if not site.attr("end_mask") & 1:
        ends = _within(lists, numbers(site, 2, end, 0), least, most)
    return [picked(lists.values, ranges(lists.begins + begins, lists.begins + ends, step))]


def _within(lists: Lists, at: tf.Tensor, least: tf.Tensor, most: tf.Tensor) -> tf.Tensor:
    """A place in a list, counted from its end where negative, or the end that it lies beyond."""
    return tf.maximum(least, tf.minimum(most, tf.where(at < 0, at + lists.lengths, at)))


def _of_each_value(
    site: ChunkSite, data: tf.Tensor, begin: tf.Tensor, end: tf.Tensor, strides: tf.Tensor
) -> tf.Tensor:
    """What the slice of all axes but the first leaves of each value."""
    masks = {name: site.attr(name) | 1 for name in ("begin_mask", "end_mask")}
    masks["shrink_axis_mask"] = site.attr("shrink_axis_mask") & ~1
    strides = tf.concat([tf.ones_like(strides[:1]), strides[1:]], 0)
    (made,) = again(site.op, [data, begin, end, strides], **masks)
    return made


def _item(lists: Lists, place: tf.Tensor) -> tf.Tensor:
    """One value of each list, which must be there."""
    return _items(lists.values, place, lists.begins, lists.lengths)


def _items(
    values: tf.Tensor, places: tf.Tensor, begins: tf.Tensor, lengths: tf.Tensor
) -> tf.Tensor:
    """The values at places, each within the list that has these begins and lengths."""
    spare = [1] * (places.shape.rank - 1)
    begins, lengths = (tf.reshape(t, [-1, *spare]) for t in (begins, lengths))
    places = tf.cast(places, tf.int64)
    (places,) = sure((places >= 0) & (places < lengths), places + begins)
    return tf.gather(values, places)


@list_rule("Slice", fits=lambda site: may_be_list(site, 0))
def slice_(site: ChunkSite, values: list[Any]) -> list[Lists]:
    data, begin, size = values
    lists, shape = as_list(site, 0, data), inner(site.op.outputs[0])
    begins, sizes = numbers(site, 1, begin), numbers(site, 2, size)
    first, count = begins[:, 0], sizes[:, 0]
    count = tf.where(tf.equal(count, -1), lists.lengths - first, count)
    held = (first >= 0) & (count >= 0) & (first + count <= lists.lengths)
    if not shape:
        return [picked(lists.values, ranges(*_from(sure_lists(held, lists), first, count)))]
    # Of the values of one chunk one part can be taken: that which the first example wants.
    rest, wanted = begins[:, 1:], sizes[:, 1:]
    whole = tf.constant(shape, tf.int64)
    open_ends = tf.equal(wanted, -1) & tf.equal(rest + whole, inner(site.op.inputs[0]))
    alike = tf.equal(rest, rest[:1]) & (tf.equal(wanted, whole) | open_ends)
    lists = sure_lists(tf.concat([held, tf.reshape(alike, [-1])], 0), lists)
    start = tf.concat([[0], tf.reduce_max(rest, 0)], 0)
    values_ = tf.slice(lists.values, start, tf.concat([[-1], whole], 0))
    return [picked(values_, ranges(*_from(lists, first, count)))]


def _from(lists: Lists, first: tf.Tensor, count: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    return lists.begins + first, lists.begins + first + count


def _gathers(site: ChunkSite) -> bool:
    axis = 0 if site.op.type == "Gather" else site.constant(2)
    if axis is None or (site.op.type == "GatherV2" and site.attr("batch_dims")):
        return False
    if int(axis) % (site.rank(0) or 1) and not (site.lists[0] and not site.stacked[1]):
        return False
    return site.lists[0] or (site.lists[1] and not site.stacked[0])


@list_rule("Gather", "GatherV2", fits=_gathers)
def gather(site: ChunkSite, values: list[Any]) -> list[Any]:
    table, at = values[:2]
    axis = 0 if site.op.type == "Gather" else int(site.constant(2)) % site.rank(0)  # type: ignore
    if not site.lists[0]:
        return [Lists(tf.gather(table, at.values), at.splits)]
    if axis:
        return [Lists(tf.gather(table.values, at, axis=axis), table.splits)]
    if not isinstance(at, Lists):
        return [_items(table.values, numbers(site, 1, at), table.begins, table.lengths)]
    begins, lengths = (tf.gather(t, at.examples) for t in (table.begins, table.lengths))
    return [Lists(_items(table.values, at.values, begins, lengths), at.splits)]


@list_rule("Where", fits=lists_at(0))
def where(site: ChunkSite, values: list[Lists]) -> list[Lists]:
    lists = values[0]
    found = tf.where(lists.values)
    at = found[:, 0]
    splits = splits_at(at, lists.splits)
    within = at - tf.gather(lists.begins, example_of(at, lists.splits))
    return [Lists(tf.concat([within[:, tf.newaxis], found[:, 1:]], 1), splits)]
