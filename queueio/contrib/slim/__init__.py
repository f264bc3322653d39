"""`tf.contrib.slim`: its data part, as stages."""

from __future__ import annotations

from queueio.contrib import names_of

__getattr__ = names_of(__name__)
