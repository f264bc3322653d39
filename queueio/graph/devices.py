"""Devices that a program asks for, and that an op cannot have."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

_PROCESSOR = (None, "CPU")


def off_accelerator(tensor: Any) -> Any:
    """Takes a wish for a GPU from the op of `tensor`, which only a processor can run.

    Under `tf.device("/gpu:0")` and soft placement TF1 ran queue and reader on the processor, both
    by the same wish. TensorFlow 2 pins a FIFO queue to the processor as it is made, and its placer
    refuses a reader of the same resource group that wishes otherwise. The reader is not pinned as
    the queue is, but goes where that is: what is pinned under `/gpu:1` has another index.

    Args:
      tensor: an output of the op, or the op itself where it has none.

    Returns:
      `tensor`.
    """
    op = getattr(tensor, "op", tensor)
    asked = tf.DeviceSpec.from_string(op.device)
    if asked.device_type not in _PROCESSOR:
        # A job and task stay as asked for.
        op._set_device(asked.replace(device_type=None, device_index=None).to_string())
    return tensor
