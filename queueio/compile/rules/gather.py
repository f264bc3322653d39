"""Gather in its three forms: shared table, shared indices, both of each example's own."""

from __future__ import annotations

import tensorflow as tf

from queueio.compile.rules.rule import Site, again, rule


def _axis(site: Site) -> int | None:
    if site.op.type == "Gather":
        return 0
    axis = site.constant(2)
    return None if axis is None or int(axis) < 0 else int(axis)


def _batch_dims(site: Site) -> int:
    return 0 if site.op.type == "Gather" else int(site.attr("batch_dims"))


def _fits(site: Site) -> bool:
    if _axis(site) is None or _batch_dims(site) != 0:
        return False
    return site.stacked[0] or _axis(site) == 0


@rule("Gather", "GatherV2", fits=_fits)
def gather(site: Site, values: list[tf.Tensor]) -> list[tf.Tensor]:
    table, indices = values[:2]
    if not site.stacked[0]:
        return [tf.gather(table, indices, axis=0)]
    axis = (_axis(site) or 0) + 1
    return [tf.gather(table, indices, axis=axis, batch_dims=1 if site.stacked[1] else 0)]


@rule("GatherNd", fits=lambda s: s.stacked == (False, True))
def gather_nd(site: Site, values: list[tf.Tensor]) -> list[tf.Tensor]:
    return again(site.op, values)
