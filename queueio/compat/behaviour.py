"""Switching TensorFlow 2's behaviour off, without the warning that it is not for ever."""

from __future__ import annotations

import tensorflow.compat.v1 as tf


def switch_v2_behaviour_off() -> None:
    """Eager execution, resource variables, control flow v2 and TensorShape v2: all off.

    TensorFlow warns that this "is not supported in the long term" each time. The user chose it
    by importing `queueio.v1`; the warning would head every log of every script.
    """
    verbosity = tf.logging.get_verbosity()
    tf.logging.set_verbosity(tf.logging.ERROR)
    try:
        tf.disable_v2_behavior()
    finally:
        tf.logging.set_verbosity(verbosity)
