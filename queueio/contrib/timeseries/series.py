"""A time series of arrays in one form: [1, steps, …], and values [1, steps, features]."""

from __future__ import annotations

from typing import Any

import numpy as np

from queueio.contrib.timeseries.feature_keys import TrainEvalFeatures

TIMES, VALUES = TrainEvalFeatures.TIMES, TrainEvalFeatures.VALUES


def check_columns(columns: Any) -> None:
    """Refuses columns, or features, without times or without values."""
    for required in (TIMES, VALUES):
        if required not in columns:
            raise ValueError(f"'{required}' is a required column.")


def one_series(data: dict[str, Any]) -> dict[str, Any]:
    """The arrays of one series, with the dimensions that were left out.

    Args:
      data: arrays by name: times [], [steps] or [1, steps]; values and whatever else with the
        shape of the times first, the values with one dimension more or not.

    Raises:
      ValueError: times or values are missing, shapes do not fit, or there are several series.
    """
    features = {key: np.array(value) for key, value in data.items()}
    if TIMES not in features or VALUES not in features:
        raise ValueError(f"{TIMES} and {VALUES} are required features.")
    rank = features[TIMES].ndim
    _check_prefixes(features)
    if rank > 2:
        raise ValueError(
            "Got an unexpected number of dimensions for times. Was expecting at most two"
            f" ([batch size, series length]), but got shape {features[TIMES].shape}."
        )
    if rank < 2:
        features[VALUES] = _with_features(features[VALUES], rank)
        features = {k: v.reshape((1,) * (2 - rank) + v.shape) for k, v in features.items()}
    if features[TIMES].shape[0] != 1:
        raise ValueError("Got batch input, was expecting unbatched input.")
    return features


def _check_prefixes(features: dict[str, Any]) -> None:
    shape = features[TIMES].shape
    for key, value in features.items():
        if value.shape[: len(shape)] != shape:
            raise ValueError(
                "All features must have their shapes prefixed by the shape of the times feature."
                f" Got shape {value.shape} for feature '{key}', but shape {shape} for '{TIMES}'"
            )


def _with_features(values: Any, rank: int) -> Any:
    """The values with a last dimension of features."""
    if values.ndim == rank:
        return values[..., None]
    if values.ndim > rank + 1:
        expected = ["[number of features]", "[series length, number of features]"][rank]
        raise ValueError(
            f"Got an unexpected number of dimensions for the '{VALUES}' feature. Was expecting at"
            f" most {rank + 1} dimensions ({expected}), as that of '{TIMES}' is {rank}, but got"
            f" shape {values.shape}"
        )
    return values
