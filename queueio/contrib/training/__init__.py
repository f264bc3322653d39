"""`tf.contrib.training`: batches by length, by state and by draw, as stages."""

from __future__ import annotations

from queueio.contrib import names_of
from queueio.contrib.training.bucketing import bucket, bucket_by_sequence_length
from queueio.contrib.training.resampling import resample_at_rate, weighted_resample
from queueio.contrib.training.sampling import rejection_sample, stratified_sample

__all__ = [
    "bucket",
    "bucket_by_sequence_length",
    "rejection_sample",
    "resample_at_rate",
    "stratified_sample",
    "weighted_resample",
]
__getattr__ = names_of(__name__)
