"""`tf.contrib.framework`: what TensorFlow has elsewhere, and tf_slim's where that is installed."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.contrib import names_of

__getattr__ = names_of(__name__)


def init_from_checkpoint(checkpoint_dir: str, assignment_map: Any) -> None:
    """`tf.train.init_from_checkpoint`, under the names that its arguments had here."""
    tf.compat.v1.train.init_from_checkpoint(checkpoint_dir, assignment_map)


def list_variables(checkpoint_dir: str) -> Any:
    """`tf.train.list_variables`, likewise: names and shapes."""
    return tf.compat.v1.train.list_variables(checkpoint_dir)


def load_checkpoint(filepattern: str) -> Any:
    """`tf.train.load_checkpoint`, likewise: a reader of a checkpoint's values."""
    return tf.compat.v1.train.load_checkpoint(filepattern)


def load_variable(checkpoint_dir: str, name: str) -> Any:
    """`tf.train.load_variable`, likewise: the value of one."""
    return tf.compat.v1.train.load_variable(checkpoint_dir, name)


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
