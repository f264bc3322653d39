"""Ops that move or repeat elements and compute nothing."""

from __future__ import annotations

import math

import tensorflow as tf

from queueio.compile.rules.rule import (
    ChunkSite,
    Fits,
    ahead,
    of_example,
    only,
    rule,
    shifted,
    stack,
    with_rank,
)
from queueio.graph.copying import again


def _constant_axis(data: int, axis: int) -> Fits:
    return lambda site: only(data)(site) and _axes_of(site, axis, site.op.inputs[data])


def _axes_of(site: ChunkSite, i: int, tensor: tf.Tensor) -> bool:
    """Whether input `i` is known to name axes of an example, which `tensor` is."""
    axes = None if site.stacked[i] else site.constant(i)
    return axes is not None and of_example(axes.ravel().tolist(), tensor)


@rule("Reshape", fits=only(0))
def reshape(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    return [tf.reshape(values[0], ahead(site.rows, values[1]))]


@rule("ExpandDims", fits=lambda s: only(0)(s) and _axes_of(s, 1, s.op.outputs[0]))
def expand_dims(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    return [tf.expand_dims(values[0], shifted(_scalar(site, 1)))]


def _squeezes(site: ChunkSite) -> bool:
    axes = site.attr("squeeze_dims")
    return of_example(axes, site.op.inputs[0]) if axes else site.shape(0).is_fully_defined()


@rule("Squeeze", fits=_squeezes)
def squeeze(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    axes = list(site.attr("squeeze_dims"))
    if not axes:
        axes = [i for i, size in enumerate(site.shape(0).as_list()) if size == 1]
    if not axes:
        return [tf.identity(values[0])]
    return [tf.squeeze(values[0], [shifted(a) for a in axes])]


@rule("Transpose", fits=only(0))
def transpose(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    return [tf.transpose(values[0], ahead(0, values[1] + 1))]


@rule("Pad", "PadV2", "MirrorPad", fits=only(0))
def pad(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    paddings = tf.concat([tf.zeros([1, 2], values[1].dtype), values[1]], 0)
    return again(site.op, [values[0], paddings, *values[2:]])


@rule("Tile", fits=only(0))
def tile(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    return [tf.tile(values[0], ahead(1, values[1]))]


@rule("BroadcastTo", fits=lambda s: only(0)(s) and s.rank(0) is not None
      and s.shape(1).is_fully_defined())  # fmt: skip
def broadcast_to(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    value = with_rank(values[0], site.rank(0) or 0, site.shape(1).as_list()[0])
    return [tf.broadcast_to(value, ahead(site.rows, values[1]))]


@rule("ReverseV2", fits=_constant_axis(0, 1))
def reverse(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    axes = [int(a) for a in site.constant(1).ravel()]  # type: ignore[union-attr]
    shape = site.shape(0)
    if len(axes) != 1 or not shape.is_fully_defined():
        return [tf.reverse(values[0], [shifted(a) for a in axes])]
    # TensorFlow turns the middle axis of three row by row, any other number by number.
    size, after = shape[axes[0]], math.prod(shape[axes[0] :][1:])
    turned = tf.reverse(tf.reshape(values[0], [-1, size, after]), [1])
    return [tf.reshape(turned, [-1, *shape])]


@rule("ConcatV2", fits=lambda s: _axes_of(s, len(s.stacked) - 1, s.op.outputs[0]))
def concat(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    axis = shifted(_scalar(site, len(values) - 1))
    return [tf.concat(_all_stacked(site, values[:-1], 0), axis)]


@rule("Concat", fits=lambda s: _axes_of(s, 0, s.op.outputs[0]))
def concat_v1(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    return [tf.concat(_all_stacked(site, values[1:], 1), shifted(_scalar(site, 0)))]


@rule("Pack", fits=lambda s: of_example([s.attr("axis")], s.op.outputs[0]))
def pack(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    return [tf.stack(_all_stacked(site, values, 0), shifted(site.attr("axis")))]


@rule("Unpack", fits=lambda s: of_example([s.attr("axis")], s.op.inputs[0]))
def unpack(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    return again(site.op, values, axis=shifted(site.attr("axis")))


@rule("Split", fits=_constant_axis(1, 0))
def split(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    return list(tf.split(values[1], site.attr("num_split"), shifted(_scalar(site, 0))))


@rule("SplitV", fits=_constant_axis(0, 2))
def split_v(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    axis, parts = shifted(_scalar(site, 2)), site.attr("num_split")
    return list(tf.split(values[0], values[1], axis, num=parts))


def _scalar(site: ChunkSite, i: int) -> int:
    value = site.constant(i)
    assert value is not None
    return int(value.item())


def _all_stacked(site: ChunkSite, values: list[tf.Tensor], start: int) -> list[tf.Tensor]:
    return [stack(site, v, site.stacked[start + i]) for i, v in enumerate(values)]


@rule("OneHot", fits=only(0))
def one_hot(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    axis = site.attr("axis")
    return again(site.op, values, axis=axis if axis < 0 else axis + 1)
