"""The static shapes that ops give by themselves, where the user promised more with set_shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow as tf

from queueio.compile.copying import copy_ops


def natural_shapes(
    fragment: Any, tensors: Sequence[Any], calls: Mapping[Any, Any]
) -> dict[str, Any]:
    """The shapes of `tensors` without any set_shape, by name; empty where nobody can say.

    Args:
      fragment: the fragment that they are of.
      tensors: some of its tensors.
      calls: the ops at which a public function ends, which says the shape of its result itself.
    """
    names = [t.name for t in tensors]
    given = [(t, t.shape) for t in (*fragment.inputs, *fragment.captures)]
    if any(t.dtype in (tf.resource, tf.variant) for t, _ in given):
        return {}
    given += [(op.outputs[0], call.shape) for op, call in calls.items()]
    with tf.Graph().as_default():
        known = {t.name: tf.compat.v1.placeholder(t.dtype.base_dtype, shape) for t, shape in given}
        try:
            copies = copy_ops(fragment.graph, fragment.ops, known, names)
        except ValueError:
            return {}
        return {name: copy.shape for name, copy in zip(names, copies, strict=True)}
