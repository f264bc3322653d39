"""Resizing: ops that take a batch of images, on a chunk of such batches."""

from __future__ import annotations

import tensorflow as tf

from queueio.compile.rules.rule import Site, again, only, rule


def _one_size(site: Site) -> bool:
    return only(0)(site) and site.shape(0).is_fully_defined()


@rule("ResizeBilinear", "ResizeNearestNeighbor", fits=_one_size)
def resize(site: Site, values: list[tf.Tensor]) -> list[tf.Tensor]:
    shape = site.shape(0).as_list()
    flat = tf.reshape(values[0], [-1, *shape[1:]])
    (out,) = again(site.op, [flat, values[1]])
    return [tf.reshape(out, tf.concat([[site.rows, shape[0]], tf.shape(out)[1:]], 0))]
