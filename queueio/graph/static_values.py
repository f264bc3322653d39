"""What tensors are known to be without running anything."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def static_value(tensor: tf.Tensor) -> Any:
    """The value of a tensor of a graph where it is known, else None; the tensor may still be fed.

    `tf.get_static_value` has sessions refuse feeds of what it was asked of, as whoever asks may
    build on the answer. A diagnosis does not, and TF1 took those feeds.
    """
    graph = tensor.graph
    refused = graph._unfeedable_tensors  # no public spelling
    graph._unfeedable_tensors = type(refused)(refused)
    try:
        return tf.get_static_value(tensor)
    finally:
        graph._unfeedable_tensors = refused
