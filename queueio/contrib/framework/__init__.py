"""`tf.contrib.framework`: what TensorFlow has elsewhere, and tf_slim's where that is installed."""

from __future__ import annotations

from typing import Any

from queueio.contrib import names_of

__getattr__ = names_of(__name__)


def remove_squeezable_dimensions(predictions: Any, labels: Any, name: str | None = None) -> Any:
    """Takes the last dimension, of size 1, from the one of two tensors that has one more.

    Args:
      predictions, labels: tensors of any dtypes, whose ranks differ by one at most.
      name: name of the scope.

    Returns:
      The predictions and the labels, in this order: TensorFlow's own function has the other one.

    Source:
      tf.contrib.framework.remove_squeezable_dimensions of TensorFlow 1.15
    """
    from tensorflow.python.ops import confusion_matrix

    labels, predictions = confusion_matrix.remove_squeezable_dimensions(
        labels, predictions, name=name
    )
    return predictions, labels
