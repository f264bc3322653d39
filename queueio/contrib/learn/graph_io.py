"""`tf.contrib.learn`'s module of the functions that read files in the graph."""

from __future__ import annotations

from queueio.contrib.learn.parsed_features import queue_parsed_features
from queueio.contrib.learn.read_examples import (
    read_batch_examples,
    read_keyed_batch_examples,
    read_keyed_batch_examples_shared_queue,
)
from queueio.contrib.learn.read_features import (
    read_batch_features,
    read_batch_record_features,
    read_keyed_batch_features,
    read_keyed_batch_features_shared_queue,
)

__all__ = [
    "queue_parsed_features",
    "read_batch_examples",
    "read_batch_features",
    "read_batch_record_features",
    "read_keyed_batch_examples",
    "read_keyed_batch_examples_shared_queue",
    "read_keyed_batch_features",
    "read_keyed_batch_features_shared_queue",
]
