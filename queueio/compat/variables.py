"""`variable.initialized_value()`, of which later TensorFlow kept the name only.

TF1 programs make a variable of another by it, as both are initialised in one call, in any order.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

v1 = tf.compat.v1


def initialized_value(variable: Any) -> tf.Tensor:
    """The value of a variable, or its initial value while it has none yet."""
    with tf.init_scope():
        return v1.cond(
            v1.is_variable_initialized(variable),
            variable.read_value,
            lambda: variable.initial_value,
        )


def serve_initialized_value() -> None:
    """Gives it back to variables of either kind."""
    tf.Variable.initialized_value = initialized_value
