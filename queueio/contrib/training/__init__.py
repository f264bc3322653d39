"""`tf.contrib.training`: batches by length, by state and by draw, as stages.

Its FeedingQueueRunner is the one that `tf.contrib.learn` and `tf.estimator.inputs` feed with.
"""

from __future__ import annotations

from queueio.contrib import names_of
from queueio.contrib.learn.feeding_queue_runner import FeedingQueueRunner
from queueio.contrib.training.batch_sequences_with_states import batch_sequences_with_states
from queueio.contrib.training.bucketing import bucket, bucket_by_sequence_length
from queueio.contrib.training.hparam import HParamDef, HParams, parse_values
from queueio.contrib.training.next_queued_sequence_batch import NextQueuedSequenceBatch
from queueio.contrib.training.resampling import resample_at_rate, weighted_resample
from queueio.contrib.training.sampling import rejection_sample, stratified_sample
from queueio.contrib.training.state_saver import SequenceQueueingStateSaver

__all__ = [
    "FeedingQueueRunner",
    "HParamDef",
    "HParams",
    "NextQueuedSequenceBatch",
    "SequenceQueueingStateSaver",
    "batch_sequences_with_states",
    "bucket",
    "bucket_by_sequence_length",
    "parse_values",
    "rejection_sample",
    "resample_at_rate",
    "stratified_sample",
    "weighted_resample",
]
__getattr__ = names_of(__name__)
