"""`tf.contrib.training`: batches by length, by state and by draw, as stages."""

from __future__ import annotations

from queueio.contrib import names_of

__getattr__ = names_of(__name__)
