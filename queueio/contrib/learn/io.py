"""`tf.contrib.learn.io`: the input functions, of files, arrays, DataFrames and generators."""

from __future__ import annotations

from queueio.contrib.learn import generator_io, graph_io, numpy_io, pandas_io
from queueio.contrib.learn.generator_io import generator_input_fn
from queueio.contrib.learn.graph_io import (
    queue_parsed_features,
    read_batch_examples,
    read_batch_features,
    read_batch_record_features,
    read_keyed_batch_examples,
    read_keyed_batch_examples_shared_queue,
    read_keyed_batch_features,
    read_keyed_batch_features_shared_queue,
)
from queueio.contrib.learn.numpy_io import numpy_input_fn
from queueio.contrib.learn.pandas_io import (
    HAS_PANDAS,
    extract_pandas_data,
    extract_pandas_labels,
    extract_pandas_matrix,
    pandas_input_fn,
)

__all__ = [
    "HAS_PANDAS",
    "extract_pandas_data",
    "extract_pandas_labels",
    "extract_pandas_matrix",
    "generator_input_fn",
    "generator_io",
    "graph_io",
    "numpy_input_fn",
    "numpy_io",
    "pandas_input_fn",
    "pandas_io",
    "queue_parsed_features",
    "read_batch_examples",
    "read_batch_features",
    "read_batch_record_features",
    "read_keyed_batch_examples",
    "read_keyed_batch_examples_shared_queue",
    "read_keyed_batch_features",
    "read_keyed_batch_features_shared_queue",
]
