"""`tf.contrib.layers`: what scripts take without a layer, and tf_slim's where it is installed."""

from __future__ import annotations

from queueio.contrib import names_of
from queueio.contrib.layers.initializers import (
    variance_scaling_initializer,
    xavier_initializer,
    xavier_initializer_conv2d,
)
from queueio.contrib.layers.layers import flatten
from queueio.contrib.layers.regularizers import (
    apply_regularization,
    l1_l2_regularizer,
    l1_regularizer,
    l2_regularizer,
    sum_regularizer,
)

__all__ = [
    "apply_regularization",
    "flatten",
    "l1_l2_regularizer",
    "l1_regularizer",
    "l2_regularizer",
    "sum_regularizer",
    "variance_scaling_initializer",
    "xavier_initializer",
    "xavier_initializer_conv2d",
]

__getattr__ = names_of(__name__)
