"""Makes an input function of NumPy arrays.

Legacy:
    import numpy as np
    make = tf.contrib.learn.io.numpy_input_fn(
        {"x": np.array([3, 4, 5])}, np.array([0, 1, 0]), batch_size=2, shuffle=False)
    features, target = make()
    x, y = features["x"], target

Modern:
    import numpy as np
    data = {"x": np.array([3, 4, 5])}, np.array([0, 1, 0])
    dataset = tf.data.Dataset.from_tensor_slices(data).batch(2)

Emits:
    a dict of features (of one array, a tensor) and, if given, the target: the arrays' dtypes,
    shape [batch_size, …]; [None, …] with num_epochs

Differs:
    The function is called where a graph is; each call builds a queue of its own. Batches run
    across the borders of epochs: `repeat` before `batch`. Each of num_threads threads feeds all
    rows num_epochs times. shuffle is True by default here and must be said in
    `tf.estimator.inputs.numpy_input_fn`.

Raises:
    ValueError: arrays of unequal length, nothing in x or y, a key in both, shuffle not a bool.
    TypeError: x is neither an array nor a dict.
    OutOfRangeError: after the last row of the last epoch.

What fills the queue is fed by Python: see `enqueue_data`.

Source:
    tf.contrib.learn.io.numpy_input_fn and tf.estimator.inputs.numpy_input_fn of TensorFlow 1.15
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from queueio.contrib.learn.feeding_functions import enqueue_data

_ALONE = "__direct_np_input__"
_TARGET = "__target_key__"


def core_numpy_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
) -> Callable[[], Any]:
    """Makes an input function of arrays: `tf.estimator.inputs.numpy_input_fn`.

    Args:
      x: the features: an array, or a dict of arrays, with a row for each example.
      y: the target: an array or a dict of arrays; None for none.
      batch_size: how many examples make a batch.
      num_epochs: how often the examples are given; None for ever.
      shuffle: whether they are shuffled; must be said.
      queue_capacity: how many examples the queue holds.
      num_threads: how many threads feed it, each of them all examples.

    Returns:
      A function without arguments that builds the input in the default graph and returns features,
      or (features, target).

    Raises:
      ValueError: `shuffle` is not a bool. The function: arrays of unequal length, an empty `x` or
        `y`, a key in both.
      TypeError: the function: `x` is neither an array nor a dict.
    """
    check_shuffle(shuffle)

    def input_fn() -> Any:
        data, features, targets = _columns(x, y)
        _check_lengths(data, features, targets)
        queue = enqueue_data(
            data,
            queue_capacity,
            shuffle=bool(shuffle),
            num_threads=num_threads,
            enqueue_size=batch_size,
            num_epochs=num_epochs,
        )
        take = queue.dequeue_many if num_epochs is None else queue.dequeue_up_to
        batch = dict(zip(data, take(batch_size)[1:], strict=True))
        given = batch[_ALONE] if _ALONE in batch else {key: batch[key] for key in features}
        if y is None:
            return given
        if isinstance(targets, list):
            return given, {key: batch[key] for key in targets}
        return given, batch[targets]

    return input_fn


def numpy_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool = True,
    queue_capacity: int = 1000,
    num_threads: int = 1,
) -> Callable[[], Any]:
    """Makes an input function of arrays: `tf.contrib.learn.io.numpy_input_fn`.

    Args: those of `core_numpy_input_fn`; `shuffle` is True by default.

    Returns:
      A function without arguments that returns features, or (features, target).

    Raises:
      ValueError: as `core_numpy_input_fn`.
    """
    return core_numpy_input_fn(x, y, batch_size, num_epochs, shuffle, queue_capacity, num_threads)


def check_shuffle(shuffle: Any) -> None:
    """Raises ValueError where it was not said."""
    if not isinstance(shuffle, bool):
        raise ValueError(
            "shuffle must be provided and explicitly set as boolean (it is recommended to set it"
            f" as True for training); got {shuffle}"
        )


def _columns(x: Any, y: Any) -> tuple[Any, list[str], Any]:
    """All arrays by name, the names of the features, and the name or names of the target."""
    data = _features(x)
    features = list(data)
    if y is None:
        return data, features, None
    if not isinstance(y, dict):
        target = _TARGET
        while target in data:
            target += "_n"
        return OrderedDict(data, **{target: y}), features, target
    if not y:
        raise ValueError("y cannot be empty dict, use None instead.")
    if both := set(data) & set(y):
        raise ValueError(f"{len(both)} duplicate keys are found in both x and y: {both}")
    targets = sorted(y)
    data.update((key, y[key]) for key in targets)
    return data, features, targets


def _features(x: Any) -> OrderedDict[Any, Any]:
    if isinstance(x, dict):
        if not x:
            raise ValueError("x cannot be an empty dict")
        return OrderedDict((key, x[key]) for key in sorted(x))
    if isinstance(x, np.ndarray):
        if not x.size:
            raise ValueError("x cannot be an empty array")
        return OrderedDict({_ALONE: x})
    raise TypeError(f"x must be a dict or array; got {type(x).__name__}")


def _check_lengths(data: Any, features: list[str], targets: Any) -> None:
    if len({len(array) for array in data.values()}) == 1:
        return
    shapes = {key: array.shape for key, array in data.items()}
    of_x = {key: shapes[key] for key in features}
    of_y = {key: shapes[key] for key in targets} if isinstance(targets, list) else None
    of_y = shapes[targets] if isinstance(targets, str) else of_y
    raise ValueError(
        "Length of tensors in x and y is mismatched. All elements in x and y must have the same"
        f" length.\nShapes in x: {of_x}\nShapes in y: {of_y}\n"
    )
