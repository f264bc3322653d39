"""Reductions over an example's axes, where the order of the operands stays or cannot matter.

Adding floats in another order rounds differently. A small example's sum over all of its axes is
one run over its values, in a chunk as alone; a larger one is parted where a vector begins, which is
the same place if the values fill whole vectors. A sum over some axes, or of so many values that
threads share them, stays per example. So do float maxima: of 0.0 and -0.0 the winner depends on
the order.
"""

from __future__ import annotations

import tensorflow as tf

from queueio.compile.rules.elementwise import LANES
from queueio.compile.rules.rule import ChunkSite, of_example, only, rule, shifted
from queueio.graph.copying import again


def _order_free(site: ChunkSite) -> bool:
    dtype, axes = site.op.inputs[0].dtype, site.constant(1)
    known = axes is not None and of_example(axes.ravel().tolist(), site.op.inputs[0])
    return (dtype.is_integer or dtype.is_bool) and only(0)(site) and known


# From some 200,000 values on, threads add them up in parts.
_MOST_ADDED = 1 << 14
# Up to 1,024 of the narrowest vectors are one run.
_ONE_RUN = {tf.float32: 1 << 12, tf.float64: 1 << 11}


def _sums_fit(site: ChunkSite) -> bool:
    if _order_free(site):
        return True
    size, axes, dtype = site.shape(0).num_elements(), site.constant(1), site.op.inputs[0].dtype
    if not only(0)(site) or axes is None or size is None or size > _MOST_ADDED:
        return False
    rank = site.rank(0) or 0
    whole = {int(a) % rank for a in axes.ravel()} == set(range(rank)) if rank else False
    return whole and dtype in _ONE_RUN and (size <= _ONE_RUN[dtype] or size % LANES[dtype] == 0)


@rule("Sum", "Mean", fits=_sums_fit)
@rule("Prod", "Max", "Min", "Any", "All", fits=_order_free)
def reduce(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    axes = [shifted(int(a)) for a in site.constant(1).ravel()]  # type: ignore[union-attr]
    return again(site.op, [values[0], tf.constant(axes, tf.int32)])


@rule("ArgMax", "ArgMin", fits=_order_free)
def arg_extreme(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    axis = shifted(int(site.constant(1).item()))  # type: ignore[union-attr]
    return again(site.op, [values[0], tf.constant(axis, tf.int32)])
