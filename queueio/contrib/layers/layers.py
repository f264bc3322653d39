"""`tf.contrib.layers.flatten`; the layers with weights are tf_slim's."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.contrib import names_of

v1 = tf.compat.v1


def flatten(inputs: Any, outputs_collections: Any = None, scope: str | None = None) -> tf.Tensor:
    """All axes but the first as one.

    Args:
      inputs: [batch, ...], of two axes or more.
      outputs_collections: a name, or names, of collections that the result is added to.
      scope: the name scope; by default "Flatten".

    Returns:
      [batch, product of the others], of the dtype of `inputs`.

    Raises:
      ValueError: the number of axes is unknown, or less than two.
    """
    with v1.name_scope(scope, "Flatten", [inputs]):
        inputs = tf.convert_to_tensor(inputs)
        rank = inputs.shape.rank
        if rank is None or rank < 2:
            raise ValueError(f"flatten takes two axes or more, and a known number: {inputs.shape}")
        width = inputs.shape[1:].num_elements()
        flat = tf.reshape(inputs, [-1, width] if width is not None else _shape(inputs))
        flat.set_shape([inputs.shape[0], width])
    for collection in _names(outputs_collections):
        v1.add_to_collection(collection, flat)
    return flat


def _shape(inputs: tf.Tensor) -> tf.Tensor:
    shape = tf.shape(inputs)
    return tf.stack([shape[0], tf.reduce_prod(shape[1:])])


def _names(collections: Any) -> list[str]:
    if not collections:
        return []
    return [collections] if isinstance(collections, str) else list(collections)


__getattr__ = names_of("queueio.contrib.layers")
