"""What an input function of time series is given: a reader, and what all of these are."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.contrib.learn.numpy_io import core_numpy_input_fn
from queueio.contrib.timeseries.series import TIMES, one_series


class TimeSeriesReader:
    """Reads records of a time series, each a step, as a dict of features."""

    def check_dataset_size(self, minimum_dataset_size: int) -> None:
        """Refuses a series that has too few steps, where that is known.

        Args:
          minimum_dataset_size: how many there must be.
        """
        del minimum_dataset_size

    @abstractmethod
    def read(self) -> dict[str, Any]:
        """Some steps, most often one after the other: tensors [steps, …] by feature."""

    @abstractmethod
    def read_full(self) -> dict[str, Any]:
        """All steps: tensors [steps, …] by feature."""


class TimeSeriesInputFn:
    """An input function, as an Estimator takes it."""

    @abstractmethod
    def create_batch(self) -> Any:
        """Builds the input in the default graph.

        Returns:
          (features, None): tensors [batch, window, …] by feature.
        """

    def __call__(self) -> Any:
        """As `create_batch`."""
        return self.create_batch()


class NumpyReader(TimeSeriesReader):
    """Reads a series that is in memory; threads of Python feed it."""

    def __init__(self, data: dict[str, Any], read_num_records_hint: int = 4096) -> None:
        """Takes the arrays.

        Args:
          data: arrays by feature: "times" [steps], "values" [steps] or [steps, features], and
            others that begin with [steps]; or all of these with a first dimension of 1.
          read_num_records_hint: how many steps are read at a time.

        Raises:
          ValueError: times or values are missing, or a shape does not fit.
        """
        self._features = one_series(data)
        self._read_num_records_hint = read_num_records_hint

    def check_dataset_size(self, minimum_dataset_size: int) -> None:
        """Raises ValueError where the series is shorter than that."""
        size = self._features[TIMES].shape[1]
        if size < minimum_dataset_size:
            raise ValueError(
                "A TimeSeriesInputFn is configured to create windows of size"
                f" {minimum_dataset_size}, but only {size} records were available in the dataset."
                " Either decrease the window size or provide more records."
            )

    def read(self) -> dict[str, Any]:
        """Some steps, again and again from the first to the last."""
        series = {key: np.squeeze(value, axis=0) for key, value in self._features.items()}
        return _fed(series, batch_size=self._read_num_records_hint)

    def read_full(self) -> dict[str, Any]:
        """All steps."""
        # Each element of the queue is a copy of the whole series, so there are but two.
        features = _fed(self._features, batch_size=1, queue_capacity=2)
        return {key: tf.squeeze(value, axis=0) for key, value in features.items()}


def _fed(arrays: dict[str, Any], **options: int) -> dict[str, Any]:
    made: dict[str, Any] = core_numpy_input_fn(arrays, num_epochs=None, shuffle=False, **options)()
    return made
