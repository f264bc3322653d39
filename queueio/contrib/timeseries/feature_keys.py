"""What the features of a time series are called."""

from __future__ import annotations


class _StateKeys:
    """Where a model goes on from."""

    STATE_TUPLE = "start_tuple"
    STATE_PREFIX = "model_state"


class _TimeKeys:
    """Integers, one for each step."""

    TIMES = "times"


class _ValueKeys:
    """Floats, one or more for each step."""

    VALUES = "values"


class TrainEvalFeatures(_TimeKeys, _ValueKeys):
    """Features of training and evaluation."""


class PredictionFeatures(_TimeKeys, _StateKeys):
    """Features of a prediction."""


class FilteringFeatures(_TimeKeys, _ValueKeys, _StateKeys):
    """Features of filtering."""


class PredictionResults(_TimeKeys):
    """Results of a prediction."""


class FilteringResults(_TimeKeys, _StateKeys):
    """Results of filtering and evaluation."""


class SavedModelLabels:
    """Names of the signatures of a saved model."""

    PREDICT = "serving_default"
    FILTER = "filter"
