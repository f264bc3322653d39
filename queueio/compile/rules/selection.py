"""Select, one-hot and assertions."""

from __future__ import annotations

import tensorflow as tf

from queueio.compile.rules.elementwise import aligned, ranks_known
from queueio.compile.rules.rule import ChunkSite, only, rule, stack
from queueio.graph.copying import again


@rule("SelectV2", fits=ranks_known)
def select_v2(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    yes, no = site.shape(1), site.shape(2)
    if all(site.stacked) and site.rank(0) == 0 and yes.is_fully_defined() and yes == no:
        # Copies whole examples; the other op would first spread the condition over all elements.
        return [tf.raw_ops.Select(condition=values[0], x=values[1], y=values[2])]
    return again(site.op, aligned(site, values))


@rule("Select", fits=ranks_known)
def select(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    # Select pairs a scalar or vector condition with the first axes, not the last.
    condition, yes, no = (stack(site, v, s) for v, s in zip(values, site.stacked, strict=True))
    for _ in range((site.rank(1) or 0) - (site.rank(0) or 0)):
        condition = tf.expand_dims(condition, -1)
    return [tf.raw_ops.SelectV2(condition=condition, t=yes, e=no)]


@rule("OneHot", fits=only(0))
def one_hot(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    axis = site.attr("axis")
    return again(site.op, values, axis=axis if axis < 0 else axis + 1)


@rule("Assert")
def assert_(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    # The text does not matter: a chunk that fails is run again, example by example.
    tf.debugging.Assert(tf.reduce_all(values[0]), [site.op.name])
    return []
