"""Makes an input function of a pandas DataFrame.

Legacy:
    import pandas as pd
    x = pd.DataFrame({"a": [3, 4, 5]})
    features = tf.contrib.learn.io.pandas_input_fn(x, batch_size=2, shuffle=False)()
    a = features["a"]

Modern:
    import pandas as pd
    x = pd.DataFrame({"a": [3, 4, 5]})
    dataset = tf.data.Dataset.from_tensor_slices(dict(x)).batch(2)

Emits:
    a dict of the columns and, if given, the target: their dtypes, shape [batch_size]; [None]
    with num_epochs. A column of strings is string

Differs:
    As for `numpy_input_fn`. queue_capacity=None is the length of x, four times that if shuffled.
    The target joins the features as a column for a while, so no feature may have its name.

Raises:
    ValueError: the indexes of x and y differ; x has a column named target_column; shuffle is not a
    bool. TypeError: target_column is no string; pandas is not installed.
    OutOfRangeError: after the last row of the last epoch.

Source:
    tf.contrib.learn.io.pandas_input_fn and tf.estimator.inputs.pandas_input_fn of TensorFlow
    1.15, and extract_pandas_data, extract_pandas_labels, extract_pandas_matrix
"""

from __future__ import annotations

import importlib.util
import uuid
from collections.abc import Callable
from typing import Any

import numpy as np

from queueio.contrib.learn.feeding_functions import enqueue_data
from queueio.contrib.learn.frames import is_frame
from queueio.contrib.learn.numpy_io import check_shuffle

HAS_PANDAS = importlib.util.find_spec("pandas") is not None

_NUMBERS = "biuf"
"""The kinds of NumPy dtypes that become floats."""


def core_pandas_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int | None = 1000,
    num_threads: int = 1,
    target_column: str = "target",
) -> Callable[[], Any]:
    """Makes an input function of a DataFrame: `tf.estimator.inputs.pandas_input_fn`.

    Args:
      x: the features, a DataFrame.
      y: the target, a Series or DataFrame of the same index; None for none.
      batch_size: how many examples make a batch.
      num_epochs: how often the examples are given; None for ever.
      shuffle: whether they are shuffled; must be said.
      queue_capacity: how many examples the queue holds; None: about as many as `x` has.
      num_threads: how many threads feed it, each of them all examples.
      target_column: what a Series is called among the columns; no column of `x` may be.

    Returns:
      A function without arguments that builds the input in the default graph and returns features,
      a dict by column, or (features, target).

    Raises:
      ValueError: `shuffle` is not a bool; the indexes differ; a column has the target's name.
      TypeError: `target_column` is no string, or pandas is not installed.
    """
    if not HAS_PANDAS:
        raise TypeError("pandas_input_fn should not be called without pandas installed")
    check_shuffle(shuffle)
    if not isinstance(target_column, str):
        raise TypeError(f"target_column must be a string type, not {target_column!r}")
    table, targets = _with_target(x, y, target_column)
    if queue_capacity is None:
        queue_capacity = (4 if shuffle else 1) * len(table)
    capacity: int = queue_capacity

    def input_fn() -> Any:
        queue = enqueue_data(
            table,
            capacity,
            shuffle=bool(shuffle),
            min_after_dequeue=max(capacity / 4, 1),
            num_threads=num_threads,
            enqueue_size=batch_size,
            num_epochs=num_epochs,
        )
        take = queue.dequeue_many if num_epochs is None else queue.dequeue_up_to
        features = dict(zip(table.columns, take(batch_size)[1:], strict=True))
        if isinstance(targets, dict):
            return features, {key: features.pop(column) for key, column in targets.items()}
        return features if targets is None else (features, features.pop(targets))

    return input_fn


def pandas_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool = True,
    queue_capacity: int | None = 1000,
    num_threads: int = 1,
    target_column: str = "target",
) -> Callable[[], Any]:
    """Makes an input function of a DataFrame: `tf.contrib.learn.io.pandas_input_fn`.

    Args: those of `core_pandas_input_fn`; `shuffle` is True by default.

    Returns:
      A function without arguments that returns features, or (features, target).

    Raises:
      ValueError: as `core_pandas_input_fn`.
    """
    return core_pandas_input_fn(
        x, y, batch_size, num_epochs, shuffle, queue_capacity, num_threads, target_column
    )


def extract_pandas_data(data: Any) -> Any:
    """The values of a DataFrame as floats, or what else was given as it is.

    Args:
      data: a DataFrame of numbers and bools.

    Raises:
      ValueError: a column holds something else.
    """
    if not is_frame(data):
        return data
    _check_numbers(data, "Data types for extracting pandas data")
    return data.values.astype("float")


def extract_pandas_matrix(data: Any) -> Any:
    """The values of a DataFrame, or what else was given as it is."""
    return data.values if is_frame(data) else data


def extract_pandas_labels(labels: Any) -> Any:
    """The values of a DataFrame of one column, or what else was given as it is.

    Args:
      labels: a DataFrame of one column of numbers or bools.

    Raises:
      ValueError: it has several columns, or another type.
    """
    if not is_frame(labels):
        return labels
    if len(labels.columns) > 1:
        raise ValueError("Only one column for labels is allowed.")
    _check_numbers(labels, "Data types for extracting labels")
    return labels.values


def _with_target(x: Any, y: Any, column: str) -> tuple[Any, Any]:
    """`x` with the target's columns; the target's column, or by name its columns, or None."""
    table = x.copy()
    if y is None:
        return table, None
    if column in table:
        raise ValueError(
            f"Cannot use name {column} for target column: DataFrame already has a column with that"
            f" name: {table.columns}"
        )
    if not np.array_equal(table.index, y.index):
        raise ValueError(
            f"Index for x and y are mismatched.\nIndex for x: {table.index}\n"
            f"Index for y: {y.index}\n"
        )
    if not is_frame(y):
        table[column] = y
        return table, column
    names = {key: f"{key}_{uuid.uuid4()}" if key in table else key for key in y}
    for key, name in names.items():
        table[name] = y[key]
    return table, names


def _check_numbers(frame: Any, what: str) -> None:
    wrong = [
        f"'{column}' type='{frame[column].dtype.name}'"
        for column in frame
        if frame[column].dtype.kind not in _NUMBERS
    ]
    if wrong:
        raise ValueError(f"{what} must be int, float, or bool. Found: {', '.join(wrong)}")
