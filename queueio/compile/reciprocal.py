"""Division by a constant, as a session computes it.

A session's optimiser turns `x / 255.` into `x * (1 / 255.)`, whose last bit may differ, and so
did TF 1.15.5, in queues as elsewhere. A function of tf.data is not optimised that way. To give
the model the numbers that the queue gave, the copy of a fragment makes the same change.
"""

from __future__ import annotations

import numpy as np
import tensorflow as tf


def reciprocal(op: tf.Operation) -> np.ndarray | None:
    """1 / the divisor if `op` divides floats by a constant, else None."""
    if op.type not in ("RealDiv", "Div") or not op.inputs[1].dtype.is_floating:
        return None
    if op.inputs[1].op.type != "Const":
        return None  # computed divisors are left alone there too
    divisor = tf.get_static_value(op.inputs[1])
    with np.errstate(divide="ignore", over="ignore"):
        return np.asarray(np.ones_like(divisor) / divisor)
