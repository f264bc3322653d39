"""`tf.contrib.framework`: what TensorFlow has elsewhere, and tf_slim's where that is installed."""

from __future__ import annotations

from queueio.contrib import names_of

__getattr__ = names_of(__name__)
