"""Ops on images: resizing and contrast."""

from __future__ import annotations

import tensorflow as tf

from queueio.compile.rules.rule import ChunkSite, only, repaired, rule, with_rank
from queueio.graph.copying import again


def _one_size(site: ChunkSite) -> bool:
    return only(0)(site) and site.shape(0).is_fully_defined()


@rule("ResizeBilinear", "ResizeNearestNeighbor", fits=_one_size)
def resize(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    shape = site.shape(0).as_list()
    flat = tf.reshape(values[0], [-1, *shape[1:]])
    (out,) = again(site.op, [flat, values[1]])
    return [tf.reshape(out, tf.concat([[site.rows, shape[0]], tf.shape(out)[1:]], 0))]


def _scaled(site: ChunkSite) -> bool:
    return site.stacked[0] and site.shape(0).is_fully_defined() and site.rank(1) == 0


@rule("AdjustContrastv2", fits=_scaled, repairs=lambda site: site.stacked[1])
def contrast(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    images, factors = values
    if not site.stacked[1]:
        return again(site.op, values)
    # With a factor of zero the op leaves the mean of each channel, which the others are given.
    (means,) = again(site.op, [images, tf.zeros([], factors.dtype)])
    means = means[..., :1, :1, :]
    each = with_rank(factors, 0, site.rank(0) or 0)
    made = tf.add(tf.multiply(tf.subtract(images, means), each), means)
    within = list(range(1, 1 + site.op.outputs[0].shape.rank))
    return repaired(site, values, made, ~tf.reduce_all(tf.math.is_finite(means), within))
