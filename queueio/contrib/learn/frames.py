"""Rows of pandas DataFrames; pandas itself is not needed where none is given."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf


def is_frame(data: Any) -> bool:
    """Whether it is a DataFrame; who has one has imported pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, pandas.DataFrame)


def column_types(frame: Any) -> list[Any]:
    """TensorFlow's dtypes of the index and the columns.

    Raises:
      TypeError: TensorFlow has no such dtype.
    """
    return [tf.as_dtype(_numpys(dtype)) for dtype in (frame.index.dtype, *frame.dtypes)]


def rows_of_frame(frame: Any) -> Callable[[Any], list[Any]]:
    """What gives the index and the columns of a list of row numbers."""

    def rows(turn: Any) -> list[Any]:
        part = frame.iloc[turn]
        columns = [part.index, *(part.iloc[:, i] for i in range(part.shape[1]))]
        return [np.asarray(column, _numpys(column.dtype)) for column in columns]

    return rows


def _numpys(dtype: Any) -> Any:
    """A dtype as NumPy has it: pandas 3 has one of its own for strings, which were objects."""
    if isinstance(dtype, np.dtype):
        return dtype
    return getattr(dtype, "numpy_dtype", np.dtype(object))
