"""Gives a whole time series as one batch, again and again.

Legacy:
    series = {"times": [0, 1, 2], "values": [0.5, 1.5, 2.5]}
    reader = tf.contrib.timeseries.NumpyReader(series)
    features, _ = tf.contrib.timeseries.WholeDatasetInputFn(reader)()
    times, values = features["times"], features["values"]

Modern:
    times = tf.constant([[0, 1, 2]], tf.int64)
    values = tf.constant([[[0.5], [1.5], [2.5]]], tf.float64)
    dataset = tf.data.Dataset.from_tensors((times, values)).repeat()

Emits:
    (features, None): a dict of tensors [1, steps, …]

Differs:
    Only a series in arrays is lifted. Files are read anew for each step, record by record, until
    the first one comes again: that loop over a reader is not lifted, and the data engine leaves it
    to the queues.

Raises:
    OutOfRangeError: no file has a record. ValueError: times or values are missing.

Of several files, the next step begins with the file after the first one, as it did. Run
`tf.local_variables_initializer()`: a local variable, `epoch_limiter`, counts the rounds
through the files.

Source:
    tf.contrib.timeseries.WholeDatasetInputFn of TensorFlow 1.15
"""

from __future__ import annotations

from typing import Any

from queueio.contrib.timeseries.readers import TimeSeriesInputFn, TimeSeriesReader


class WholeDatasetInputFn(TimeSeriesInputFn):
    """An input function whose batch is one whole series."""

    def __init__(self, time_series_reader: TimeSeriesReader) -> None:
        """Takes the reader.

        Args:
          time_series_reader: what reads the series.
        """
        self._reader = time_series_reader

    def create_batch(self) -> Any:
        """Builds the input in the default graph.

        Returns:
          (features, None): tensors [1, steps, …] by feature.
        """
        features = self._reader.read_full()
        return {key: value[None, ...] for key, value in features.items()}, None
