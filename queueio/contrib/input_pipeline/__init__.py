"""`tf.contrib.input_pipeline`: strings one after the other, their position kept in variables."""

from __future__ import annotations

from queueio.contrib import names_of
from queueio.contrib.input_pipeline.input_pipeline_ops import obtain_next, seek_next

__all__ = ["obtain_next", "seek_next"]
__getattr__ = names_of(__name__)
