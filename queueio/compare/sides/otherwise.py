"""What gives examples and is no side, or delivers what is no tensor: how it becomes one."""

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


def refuse_others(label: str, nest: Any) -> None:
    """Refuses a side that delivers what holds no values by itself: a window, an Optional, None.

    Args:
      label: the side's.
      nest: its tensors, or what they are specified as.

    Raises:
      CannotRun: a component is such a one.
    """
    for name, leaf in recorder.flatten(nest):
        if hasattr(leaf, "shape") and hasattr(leaf, "dtype"):
            what = "" if _is_held(leaf.dtype.name) else leaf.dtype.name
        else:
            what = type(leaf).__name__.removesuffix("Spec").strip("._")
            what = "None" if what == "NoneTensor" else what
        if what:
            raise CannotRun(
                f"{label} delivers {what} as component {name}, which cannot be compared: only "
                "numbers, truth values and strings are. Deliver the tensors that it is made of."
            )


def _is_held(dtype: str) -> bool:
    """Whether numpy has such values; it has none of a variant, a resource, a quantized integer."""
    try:
        return dtype == "string" or bool(np.dtype(dtype))
    except TypeError:
        return False


def way_to_a_dataset(got: Any) -> str:
    """The sentence that says how it becomes a dataset; nothing of what gives no examples."""
    leaves = [leaf for _, leaf in recorder.flatten(got)]
    if not isinstance(got, list) and leaves and all(isinstance(v, np.ndarray) for v in leaves):
        return " " + ARRAYS
    gives = hasattr(got, "__next__") or (hasattr(got, "__getitem__") and hasattr(got, "__len__"))
    return " " + BATCHES if gives and not isinstance(got, (str, bytes, dict)) else ""
