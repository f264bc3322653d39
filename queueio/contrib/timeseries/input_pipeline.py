"""The module that contrib kept its readers and input functions in, under its old name."""

from __future__ import annotations

from queueio.contrib.timeseries.file_readers import (
    CSVReader,
    ReaderBaseTimeSeriesParser,
    TFExampleReader,
)
from queueio.contrib.timeseries.random_windows import RandomWindowInputFn
from queueio.contrib.timeseries.readers import NumpyReader, TimeSeriesInputFn, TimeSeriesReader
from queueio.contrib.timeseries.whole_dataset import WholeDatasetInputFn

__all__ = [
    "CSVReader",
    "NumpyReader",
    "RandomWindowInputFn",
    "ReaderBaseTimeSeriesParser",
    "TFExampleReader",
    "TimeSeriesInputFn",
    "TimeSeriesReader",
    "WholeDatasetInputFn",
]
