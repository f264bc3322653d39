"""`tf.contrib.learn`: the input functions of its graph_io and learn_io, as stages."""

from __future__ import annotations

from queueio.contrib import names_of

__getattr__ = names_of(__name__)
