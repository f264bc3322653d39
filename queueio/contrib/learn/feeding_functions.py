"""Fills a queue with the rows of arrays, a DataFrame or a generator, fed by threads of Python.

Legacy:
    import numpy as np
    from queueio.contrib.learn.feeding_functions import enqueue_data
    queue = enqueue_data(np.array([3, 4, 5]), capacity=10, num_epochs=2)
    row, value = queue.dequeue()

Modern:
    import numpy as np
    array = np.array([3, 4, 5])
    dataset = tf.data.Dataset.from_tensor_slices((np.arange(3), array)).repeat(2)

Emits:
    int64, shape [] (the number of the row, or the DataFrame's index); then each array's dtype and
    the shape of its rows. Of a generator only what its elements hold, by sorted key

Differs:
    Each of num_threads threads feeds all rows num_epochs times: two threads, twice the data. With
    shuffle each begins at a row of its own. A generator that ends in the middle of a batch has it
    filled up from its next epoch, and a batch is full as soon as it holds enqueue_size values,
    however many an element has. Here Python's own random numbers are left alone; TF1 seeded them.

Raises:
    TypeError: data is none of these. NotImplementedError: pad_value with shuffle, or for arrays.
    OutOfRangeError: after the last row of the last epoch.

The rows are in Python's memory, not in the graph: the enqueue op takes placeholders, which its
queue runner feeds. Rows of arrays and of a DataFrame become a dataset as long as that runner is
there: in the program, on the data engine and for `queueio.lift`, but not as source nor out of a
MetaGraph. What a generator gives stays on the queues: for `tf.data.Dataset.from_generator` say
what an epoch's end in the middle of a batch shall do.

Source:
    enqueue_data of TensorFlow 1.15, behind tf.estimator.inputs and tf.contrib.learn.io
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from queueio.contrib.learn.feeding_queue_runner import FeedingQueueRunner
from queueio.contrib.learn.feeds import GeneratorFeeds, RowFeeds
from queueio.contrib.learn.frames import column_types, is_frame, rows_of_frame
from queueio.graph.summaries import fraction_over
from queueio.runtime.threads.start import add_queue_runner
from queueio.stages.queues.fifo import FIFOQueue
from queueio.stages.queues.padding_fifo import PaddingFIFOQueue
from queueio.stages.queues.random_shuffle import RandomShuffleQueue

v1 = tf.compat.v1

_PER_THREAD = (
    "enqueue_data was called with num_epochs and num_threads > 1. num_epochs is applied per thread,"
    " so this will produce more epochs than you probably intend: %d times as many. Use one thread."
)
_SAME_ORDER = (
    "enqueue_data was called with num_threads > 1 and shuffle=%s: all threads read the same rows in"
    " the same order, each from a start of its own if they are shuffled. The results will likely"
    " not be sufficiently shuffled, nor are they in order. Use one thread."
)


def enqueue_data(
    data: Any,
    capacity: int,
    shuffle: bool = False,
    min_after_dequeue: float | None = None,
    num_threads: int = 1,
    seed: int | None = None,
    name: str = "enqueue_input",
    enqueue_size: int = 1,
    num_epochs: int | None = None,
    pad_value: Any = None,
) -> Any:
    """Fills a queue with the rows of arrays, a DataFrame or a generator.

    Args:
      data: an array, an OrderedDict of arrays, a pandas DataFrame, or a function that gives a
        generator of dicts of arrays.
      capacity: how many rows the queue holds.
      shuffle: whether it is a shuffling queue.
      min_after_dequeue: how many rows stay in a shuffling queue; a quarter of it by default.
      num_threads: how many threads feed it, each of them all rows.
      seed: seed of the queue's draws and of the row that each thread begins with.
      name: name of the scope.
      enqueue_size: how many rows are fed at a time.
      num_epochs: how often each thread feeds all rows; None for ever.
      pad_value: what to pad a generator's arrays with, in their last dimension.

    Returns:
      A queue. Of arrays its first component is the number of the row (int64), of a DataFrame its
      index; of a generator there is no such component. Its runner is in QUEUE_RUNNERS.

    Raises:
      TypeError: `data` is something else.
      NotImplementedError: `pad_value` with `shuffle`, or without a generator.
    """
    with v1.name_scope(name):
        table = _table(data)
        if pad_value is not None and not table.generated:
            raise NotImplementedError("padding is only available with generator usage")
        if pad_value is not None and shuffle:
            raise NotImplementedError(
                "padding and shuffling data at the same time is not implemented"
            )
        _warn(num_threads, num_epochs, shuffle)
        least = int(capacity / 4 if min_after_dequeue is None else min_after_dequeue)
        least = least if shuffle else 0
        queue = _queue(table, capacity, least if shuffle else None, seed, pad_value is not None)
        how = _How(enqueue_size, shuffle, num_epochs, pad_value)
        seeds = [None if seed is None else (i + 1) * seed for i in range(num_threads)]
        _add_runner(queue, table, how, seeds)
        _summarize(queue, capacity, least)
        return queue


_enqueue_data = enqueue_data
"""As TF 1.15 called it."""


class _How(NamedTuple):
    size: int
    shuffle: bool
    epochs: int | None
    pad_value: Any


class _Table(NamedTuple):
    """What is fed: dtypes and shapes of a row, and what gives a thread its feeds."""

    dtypes: list[Any]
    shapes: list[Any]
    feeds: Callable[[list[Any], _How, Any], Any]
    generated: bool = False


def _table(data: Any) -> _Table:
    if isinstance(data, np.ndarray):
        return _of_arrays([data])
    if isinstance(data, OrderedDict):
        return _of_arrays(list(data.values()))
    if isinstance(data, FunctionType):
        return _of_generator(data)
    if is_frame(data):
        types = column_types(data)
        feeds = _row_feeds(rows_of_frame(data), len(data))
        return _Table(types, [()] * len(types), feeds)
    raise TypeError(
        "data must be either a numpy array or pandas DataFrame if pandas is installed, an"
        f" OrderedDict of arrays, or a generator function; got {type(data).__name__}"
    )


def _of_arrays(arrays: list[Any]) -> _Table:
    count = len(arrays[0])
    if any(len(array) != count for array in arrays):
        raise ValueError(f"Array lengths must match: got {[len(array) for array in arrays]}.")
    return _Table(
        [tf.int64, *(tf.as_dtype(array.dtype) for array in arrays)],
        [(), *(array.shape[1:] for array in arrays)],
        _row_feeds(lambda turn: [turn, *(array[turn] for array in arrays)], count),
    )


def _row_feeds(rows: Callable[[Any], list[Any]], count: int) -> Any:
    def make(placeholders: list[Any], how: _How, seed: Any) -> RowFeeds:
        return RowFeeds(placeholders, rows, count, how.size, how.shuffle, seed, how.epochs)

    return make


def _of_generator(generator: Any) -> _Table:
    def make(placeholders: list[Any], how: _How, seed: Any) -> GeneratorFeeds:
        return GeneratorFeeds(placeholders, generator, how.size, how.epochs, how.pad_value)

    first = next(generator())
    values = [first[key] for key in sorted(first)]
    dtypes = [tf.as_dtype(value.dtype) for value in values]
    return _Table(dtypes, [value.shape for value in values], make, generated=True)


def _warn(threads: int, epochs: int | None, shuffle: bool) -> None:
    if threads > 1 and epochs is not None:
        v1.logging.warning(_PER_THREAD, threads)
    if threads > 1 and (epochs is not None or not shuffle):
        v1.logging.warning(_SAME_ORDER, shuffle)


def _queue(table: _Table, capacity: int, least: int | None, seed: Any, pads: bool) -> Any:
    if least is not None:
        return RandomShuffleQueue(capacity, least, table.dtypes, table.shapes, seed=seed)
    if pads:
        shapes = [(*shape[:-1], None) if shape else shape for shape in table.shapes]
        return PaddingFIFOQueue(capacity, table.dtypes, shapes)
    return FIFOQueue(capacity, table.dtypes, table.shapes)


def _add_runner(queue: Any, table: _Table, how: _How, seeds: list[Any]) -> None:
    enqueues, feeds = [], []
    for seed in seeds:
        # Without shapes they take any number of rows, which enqueue_many takes apart.
        placeholders = [v1.placeholder(dtype) for dtype in table.dtypes]
        enqueues.append(queue.enqueue_many(placeholders))
        feeds.append(table.feeds(placeholders, how, seed))
    add_queue_runner(FeedingQueueRunner(queue, enqueues, feed_fns=feeds))


def _summarize(queue: Any, capacity: int, least: int) -> None:
    room = capacity - least
    over = tf.cast(tf.maximum(0, queue.size() - least), tf.float32)
    # TF1 put nothing between the queue's name and the rest of the tag.
    tag = f"queue/{queue.name}{fraction_over(least, capacity)}"
    v1.summary.scalar(tag, over * (1.0 / room))
