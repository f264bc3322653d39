"""Slices and gathers. An offset of each example's own (a random crop) makes a gather of a slice.

A gather has three forms: shared table, shared indices, both of each example's own.
"""

from __future__ import annotations

import tensorflow as tf

from queueio.compile.rules.rule import ChunkSite, ahead, only, rule
from queueio.graph.copying import again

_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


@rule("StridedSlice", fits=only(0))
def strided_slice(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    masks = {name: site.attr(name) << 1 for name in _MASKS}
    masks["begin_mask"] |= 1
    masks["end_mask"] |= 1
    data, begin, end, strides = values
    return again(site.op, [data, ahead(0, begin), ahead(0, end), ahead(1, strides)], **masks)


def _sliceable(site: ChunkSite) -> bool:
    if only(0)(site):
        return True
    size = site.constant(2)
    return (
        site.stacked == (True, True, False)
        and site.shape(0).is_fully_defined()
        and size is not None
        and bool((size >= 0).all())
    )


@rule("Slice", fits=_sliceable)
def slice_(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    data, begin, size = values
    if site.stacked[1]:
        return [_slice_each(site, data, begin)]
    return [tf.slice(data, ahead(0, begin), ahead(-1, size))]


def _slice_each(site: ChunkSite, data: tf.Tensor, begin: tf.Tensor) -> tf.Tensor:
    """Offsets differ by example. A gather refuses offsets out of range, as a slice does.

    Of all of an axis, or of none of it, a gather would look at no offset.
    """
    size = site.constant(2)
    assert size is not None
    checks = []
    for axis, (full, part) in enumerate(zip(site.shape(0).as_list(), size.tolist(), strict=True)):
        if part in (0, full):
            held = (begin[:, axis] >= 0) & (begin[:, axis] <= full - part)
            checks.append(tf.debugging.Assert(tf.reduce_all(held), ["slice offset out of range"]))
        if part == full:
            continue
        rows = begin[:, axis : axis + 1] + tf.range(part, dtype=begin.dtype)
        data = tf.gather(data, rows, axis=axis + 1, batch_dims=1)
    with tf.control_dependencies(checks):
        return tf.identity(data)


def _axis(site: ChunkSite) -> int | None:
    if site.op.type == "Gather":
        return 0
    axis = site.constant(2)
    return None if axis is None or int(axis) < 0 else int(axis)


def _batch_dims(site: ChunkSite) -> int:
    return 0 if site.op.type == "Gather" else int(site.attr("batch_dims"))


def _gathers(site: ChunkSite) -> bool:
    if _axis(site) is None or _batch_dims(site) != 0:
        return False
    return site.stacked[0] or _axis(site) == 0


@rule("Gather", "GatherV2", fits=_gathers)
def gather(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    table, indices = values[:2]
    if not site.stacked[0]:
        return [tf.gather(table, indices, axis=0)]
    axis = (_axis(site) or 0) + 1
    return [tf.gather(table, indices, axis=axis, batch_dims=1 if site.stacked[1] else 0)]


@rule("GatherNd", fits=lambda s: s.stacked == (False, True))
def gather_nd(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    return again(site.op, values)
