"""What upstream's tests take from elsewhere than `tf`.

Of modules functions, and helpers behind them; of the folder of slim's tests a module of helpers.
"""

from __future__ import annotations

import types
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.contrib import learn, training
from queueio.contrib.learn import padding
from queueio.contrib.learn.feeding_functions import enqueue_data
from queueio.contrib.learn.feeds import RowFeeds
from queueio.contrib.learn.frames import rows_of_frame
from queueio.contrib.learn.read_examples import Sizes, matching, read_checked
from queueio.contrib.timeseries import TimeSeriesInputFn
from queueio.contrib.training import resampling, sampling
from queueio.contrib.training.sequence_checks import Inputs
from queueio.contrib.training.sequence_padding import padded
from queueio.contrib.training.sparse_sequences import restore, stored
from queueio.stages.batching.pipeline import _like, _lists
from queueio.train import (  # noqa: F401 - the tests call them
    batch,
    batch_join,
    input_producer,
    limit_epochs,
    match_filenames_once,
    maybe_batch,
    maybe_batch_join,
    maybe_shuffle_batch,
    maybe_shuffle_batch_join,
    range_input_producer,
    shuffle_batch,
    shuffle_batch_join,
    slice_input_producer,
    string_input_producer,
)


def _as_tensor_list(tensors: Any) -> list[Any]:
    return _lists([tensors])[0]


def _as_original_type(original: Any, tensors: list[Any]) -> Any:
    return _like(original, tensors)


def _read_keyed_batch_examples_helper(
    file_pattern: Any,
    batch_size: Any,
    reader: Any,
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    read_batch_size: int = 1,
    filter_fn: Any = None,
    name: str | None = None,
) -> Any:
    sizes = Sizes(batch_size, queue_capacity, read_batch_size, 1, num_epochs)
    return read_checked(
        file_pattern, sizes, reader, randomize_input, name=name, filter_fn=filter_fn
    )


graph_io = types.SimpleNamespace(
    **{name: getattr(learn.graph_io, name) for name in learn.graph_io.__all__},
    _get_file_names=matching,
    _read_keyed_batch_examples_helper=_read_keyed_batch_examples_helper,
)
"""Upstream's module of that name, with the helpers that its test calls."""


gfile = tf.compat.v1.gfile
"""Itself, not what `queueio.v1` shows of it: a test replaces its Glob for all who call it."""


def variable_op(shape: Any, dtype: Any) -> Any:
    """A reference variable as its op gives it."""
    return tf.raw_ops.VariableV2(shape=shape, dtype=dtype)


def beside(path: str) -> types.ModuleType:
    """A module of upstream's that is no test, from the checkout, which is the working directory."""
    from tests.upstream.adapt import adapt

    module = types.ModuleType(Path(path).stem)
    exec(compile(adapt(Path(path).read_text(), False), path, "exec"), vars(module))
    return module


resample = SimpleNamespace(
    resample_at_rate=resampling.resample_at_rate,
    weighted_resample=resampling.weighted_resample,
    _repeat_range=resampling._repeated,
)
sampling_ops = SimpleNamespace(
    rejection_sample=sampling.rejection_sample,
    stratified_sample=sampling.stratified_sample,
    _verify_input=sampling.verified,
    _estimate_data_distribution=sampling.estimated,
)


def _deconstruct_sparse_tensor_seq(sequences: Any, shared_name: str) -> Any:
    handles, stores = stored(sequences, shared_name)
    return handles, list(stores), list(stores.values())


def _reconstruct_sparse_tensor_seq(
    sequences: Any, keys: Any, stores: Any, batch_size: int, num_unroll: int
) -> None:
    restore(sequences, dict(zip(keys, stores, strict=True)), batch_size, num_unroll)


sequences = SimpleNamespace(
    batch_sequences_with_states=training.batch_sequences_with_states,
    SequenceQueueingStateSaver=training.SequenceQueueingStateSaver,
    _SequenceInputWrapper=Inputs.checked,
    _padding=padded,
    _deconstruct_sparse_tensor_seq=_deconstruct_sparse_tensor_seq,
    _reconstruct_sparse_tensor_seq=_reconstruct_sparse_tensor_seq,
)
hparam = SimpleNamespace(HParams=training.HParams, parse_values=training.parse_values)


class _AllWindows(TimeSeriesInputFn):
    """Every window of a series as one batch: what upstream's helper of time series gives."""

    def __init__(self, time_series_reader: Any, window_size: int) -> None:
        self._reader, self._window_size = time_series_reader, window_size

    def create_batch(self) -> Any:
        features = self._reader.read_full()
        count = tf.shape(features["times"])[0] - self._window_size + 1
        rows = tf.range(count)[:, None] + tf.range(self._window_size)[None, :]
        return {key: tf.gather(value, rows) for key, value in features.items()}, None


timeseries = SimpleNamespace(AllWindowInputFn=_AllWindows)


def _row_feeds(rows: Any, count: int, placeholders: Any, batch_size: int, num_epochs: Any) -> Any:
    return RowFeeds(placeholders, rows, count, batch_size, False, None, num_epochs)


def _array_feed_fn(
    placeholders: Any, array: Any, batch_size: int, num_epochs: int | None = None
) -> Any:
    return _row_feeds(
        lambda turn: [turn, array[turn]], len(array), placeholders, batch_size, num_epochs
    )


def _arrays_feed_fn(
    placeholders: Any, arrays: Any, batch_size: int, num_epochs: int | None = None
) -> Any:
    columns = list(arrays.values())
    return _row_feeds(
        lambda turn: [turn, *(column[turn] for column in columns)], len(columns[0]),
        placeholders, batch_size, num_epochs,
    )  # fmt: skip


def _frame_feed_fn(
    placeholders: Any, frame: Any, batch_size: int, num_epochs: int | None = None
) -> Any:
    return _row_feeds(rows_of_frame(frame), len(frame), placeholders, batch_size, num_epochs)


def _fill_array(array: Any, rows: Any, fillvalue: Any = 0) -> None:
    array[...] = padding.padded([np.asarray(row) for row in rows], fillvalue)


feeding_functions = SimpleNamespace(
    _enqueue_data=enqueue_data,
    _ArrayFeedFn=_array_feed_fn,
    _OrderedDictNumpyFeedFn=_arrays_feed_fn,
    _PandasFeedFn=_frame_feed_fn,
    _fill_array=_fill_array,
    _pad_if_needed=lambda rows, fillvalue=0: padding.padded(rows, fillvalue),
)
"""Upstream's module of that name: its classes are one of ours, `RowFeeds`."""
