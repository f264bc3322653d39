"""`tf.contrib.learn`: its input functions, as stages, and what looks at their batches."""

from __future__ import annotations

from queueio.contrib import names_of
from queueio.contrib.learn.graph_actions import run_feeds, run_n
from queueio.contrib.learn.graph_io import (
    read_batch_examples,
    read_batch_features,
    read_batch_record_features,
    read_keyed_batch_examples,
    read_keyed_batch_examples_shared_queue,
    read_keyed_batch_features,
    read_keyed_batch_features_shared_queue,
)
from queueio.contrib.learn.mode_keys import LearnModeKeys as ModeKeys
from queueio.contrib.learn.pandas_io import (
    extract_pandas_data,
    extract_pandas_labels,
    extract_pandas_matrix,
)

__all__ = [
    "ModeKeys",
    "extract_pandas_data",
    "extract_pandas_labels",
    "extract_pandas_matrix",
    "read_batch_examples",
    "read_batch_features",
    "read_batch_record_features",
    "read_keyed_batch_examples",
    "read_keyed_batch_examples_shared_queue",
    "read_keyed_batch_features",
    "read_keyed_batch_features_shared_queue",
    "run_feeds",
    "run_n",
]
__getattr__ = names_of(__name__)
