"""`tf.contrib.timeseries`: windows of time series for training. Its models are not here."""

from __future__ import annotations

from queueio.contrib import names_of
from queueio.contrib.timeseries.feature_keys import (
    FilteringFeatures,
    FilteringResults,
    PredictionFeatures,
    PredictionResults,
    TrainEvalFeatures,
)
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
    "FilteringFeatures",
    "FilteringResults",
    "NumpyReader",
    "PredictionFeatures",
    "PredictionResults",
    "RandomWindowInputFn",
    "ReaderBaseTimeSeriesParser",
    "TFExampleReader",
    "TimeSeriesInputFn",
    "TimeSeriesReader",
    "TrainEvalFeatures",
    "WholeDatasetInputFn",
]
__getattr__ = names_of(__name__)
