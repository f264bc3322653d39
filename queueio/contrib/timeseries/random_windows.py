"""Cuts a time series into windows and gives random batches of these.

Legacy:
    series = {"times": list(range(6)), "values": [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]}
    reader = tf.contrib.timeseries.NumpyReader(series)
    features, _ = tf.contrib.timeseries.RandomWindowInputFn(reader, window_size=3, batch_size=2)()
    times, values = features["times"], features["values"]

Modern:
    times = tf.range(6, dtype=tf.int64)
    steps = tf.data.Dataset.from_tensor_slices((times, tf.range(0.5, 6)[:, None]))
    windows = steps.window(3, shift=1, drop_remainder=True).flat_map(
        lambda time, value: tf.data.Dataset.zip((time.batch(3), value.batch(3))))
    dataset = windows.repeat().shuffle(100).batch(2)

Emits:
    (features, None): a dict of tensors [batch_size, window_size, …]

Differs:
    Windows come one after the other out of a queue, which a step is dropped from now and then, so
    that they do not always begin at the same places; tf.data can begin one at each step. A window
    that runs across the end of a series is dropped, or with discard_out_of_order=False its steps
    are sorted by time: TensorFlow 1.15 took whole windows in the place of steps there. Which
    windows are dropped is counted in a variable, and that is not lifted.

Raises:
    OutOfRangeError: no window was whole for discard_consecutive_batches_limit batches, or no file
    has a record. ValueError: an array is shorter than a window.

The first queue is that of `tf.train.batch`, of steps; the second that of
`tf.train.maybe_shuffle_batch`, of windows. Run `tf.local_variables_initializer()`.

Source:
    tf.contrib.timeseries.RandomWindowInputFn of TensorFlow 1.15
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.contrib.timeseries.readers import TimeSeriesInputFn, TimeSeriesReader
from queueio.contrib.timeseries.series import TIMES
from queueio.stages.batching.batch import batch
from queueio.stages.batching.shuffle_batch import maybe_shuffle_batch
from queueio.stages.filenames.epochs import _count_up_to

v1 = tf.compat.v1


class RandomWindowInputFn(TimeSeriesInputFn):
    """An input function whose batches are windows of a series, in random order."""

    def __init__(
        self,
        time_series_reader: TimeSeriesReader,
        window_size: int,
        batch_size: int,
        queue_capacity_multiplier: int = 1000,
        shuffle_min_after_dequeue_multiplier: int = 2,
        discard_out_of_order: bool = True,
        discard_consecutive_batches_limit: int = 1000,
        jitter: bool = True,
        num_threads: int | None = 2,
        shuffle_seed: int | None = None,
    ) -> None:
        """Takes the reader and the sizes.

        Args:
          time_series_reader: what reads the series.
          window_size: how many steps make a window.
          batch_size: how many windows make a batch.
          queue_capacity_multiplier: how many batches the queues hold.
          shuffle_min_after_dequeue_multiplier: how many batches stay in the second queue.
          discard_out_of_order: whether to drop windows whose times fall; else they are sorted.
          discard_consecutive_batches_limit: after so many batches without a whole window it ends.
          jitter: whether to drop a step now and then.
          num_threads: how many threads fill each queue; None for `batch_size`.
          shuffle_seed: seed of the second queue.

        Raises:
          ValueError: the reader knows that the series is shorter than a window.
        """
        time_series_reader.check_dataset_size(minimum_dataset_size=window_size)
        self._reader = time_series_reader
        self._window_size, self._batch_size = window_size, batch_size
        self._capacity, self._kept = queue_capacity_multiplier, shuffle_min_after_dequeue_multiplier
        self._discard_out_of_order = discard_out_of_order
        self._discard_limit = discard_consecutive_batches_limit
        self._jitter = jitter
        self._num_threads = batch_size if num_threads is None else num_threads
        self._shuffle_seed = shuffle_seed

    def create_batch(self) -> Any:
        """Builds the input in the default graph.

        Returns:
          (features, None): tensors [batch_size, window_size, …] by feature.
        """
        windows = self._windows(self._reader.read())
        keep: Any = True
        if self._discard_out_of_order:
            keep = self._in_order(windows[TIMES])
        else:
            windows = _sorted_by_time(windows)
        features = maybe_shuffle_batch(
            windows,
            batch_size=self._batch_size,
            capacity=self._capacity * self._batch_size,
            min_after_dequeue=self._kept * self._batch_size,
            keep_input=keep,
            num_threads=self._num_threads,
            seed=self._shuffle_seed,
            enqueue_many=True,
        )
        return features, None

    def _windows(self, steps: dict[str, Any]) -> dict[str, Any]:
        """Steps one after the other as [batch_size, window_size, …]."""
        dropped: Any = 0
        if self._jitter:
            dropped = v1.random_uniform(shape=[], maxval=2, dtype=tf.int32)
        size = self._batch_size * self._window_size
        taken = batch(
            steps,
            batch_size=self._window_size * self._batch_size + dropped,
            enqueue_many=True,
            capacity=self._capacity * size,
            num_threads=self._num_threads,
        )
        left = {k: _from(v, dropped) for k, v in taken.items()} if self._jitter else taken
        sizes = [self._batch_size, self._window_size]
        cut = {
            key: tf.reshape(value, tf.concat([sizes, tf.shape(value)[1:]], axis=0))
            for key, value in left.items()
        }
        for key, value in cut.items():
            value.set_shape(tf.TensorShape(sizes).concatenate(taken[key].shape[1:]))
        return cut

    def _in_order(self, times: Any) -> Any:
        """Which windows have times that do not fall; it ends where none has for too long."""
        in_order = tf.reduce_all(times[:, 1:] >= times[:, :-1], axis=1)
        discarded = v1.Variable(
            tf.constant(0, dtype=tf.int64),
            name="discarded_windows_limiter",
            trainable=False,
            collections=[v1.GraphKeys.LOCAL_VARIABLES],
        )

        def counted() -> Any:
            return v1.cond(
                tf.reduce_any(in_order),
                lambda: v1.assign(discarded, 0),
                lambda: _count_up_to(discarded, self._discard_limit),
            )

        # Queue runners may start before it is initialised, so till then it does not count.
        count = v1.cond(
            v1.is_variable_initialized(discarded),
            counted,
            lambda: tf.constant(0, dtype=tf.int64),
        )
        with tf.control_dependencies([count]):
            return tf.identity(in_order)


def _from(rows: Any, first: Any) -> Any:
    """`rows[first:]`, by the ops that TF1 made of it."""
    with v1.name_scope("strided_slice") as scope:
        begin, end = tf.stack([first], name="stack"), tf.constant([0], name="stack_1")
        steps = tf.constant([1], name="stack_2")
        return tf.strided_slice(rows, begin, end, steps, end_mask=1, name=scope)


def _sorted_by_time(windows: dict[str, Any]) -> dict[str, Any]:
    order = tf.argsort(windows[TIMES], axis=1, stable=True)
    return {key: tf.gather(value, order, batch_dims=1) for key, value in windows.items()}
