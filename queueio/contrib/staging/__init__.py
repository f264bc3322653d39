"""`tf.contrib.staging`: the area in which a batch waits for the next step, as TensorFlow has it."""

from __future__ import annotations

from queueio.contrib import names_of

__getattr__ = names_of(__name__)
