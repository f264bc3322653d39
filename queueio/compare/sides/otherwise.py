"""What gives examples and is no side: how it becomes one."""

from __future__ import annotations

from typing import Any

import numpy as np

from queueio import recorder
from queueio.compare.sides.side import CannotRun

ARRAYS = "Arrays become a dataset by tf.data.Dataset.from_tensor_slices(arrays).batch(size)."
BATCHES = (
    "What gives batches, as a generator or a Keras Sequence does, becomes a dataset by "
    "tf.data.Dataset.from_generator(function, output_signature=…), where function begins it anew."
)


def not_a_dataset(label: str, got: Any) -> CannotRun:
    """The refusal of a value that is no side."""
    return CannotRun(
        f"{label} is {type(got).__name__}, which cannot be compared: give a function that builds "
        "a queue pipeline, a Plan, a tf.data.Dataset, 'script.py:name' or a recording."
        + way_to_a_dataset(got)
    )


def returned(label: str, got: Any, leaves: list[Any], wrong: list[Any]) -> CannotRun:
    """The refusal of a function that returned something else than tensors."""
    what = "nothing" if not leaves else repr(wrong[0])[:100]
    text = f"{label} returned {what}: it must return tensors or a tf.data.Dataset."
    return CannotRun(text + way_to_a_dataset(got))


def way_to_a_dataset(got: Any) -> str:
    """The sentence that says how it becomes a dataset; nothing of what gives no examples."""
    leaves = [leaf for _, leaf in recorder.flatten(got)]
    if not isinstance(got, list) and leaves and all(isinstance(v, np.ndarray) for v in leaves):
        return " " + ARRAYS
    gives = hasattr(got, "__next__") or (hasattr(got, "__getitem__") and hasattr(got, "__len__"))
    return " " + BATCHES if gives and not isinstance(got, (str, bytes, dict)) else ""
