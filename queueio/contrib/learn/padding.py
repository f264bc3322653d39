"""Arrays that differ in their last dimension, made equal for a batch."""

from __future__ import annotations

from typing import Any

import numpy as np


def padded(arrays: list[Any], value: Any) -> Any:
    """The arrays, each filled up with `value` to the longest last dimension.

    Args:
      arrays: arrays of one dtype that agree in all dimensions but the last; or scalars.
      value: what is put behind the shorter ones.

    Returns:
      One array of all of them; the list itself where they agree.

    Raises:
      ValueError: they differ in another dimension.
    """
    shapes = {array.shape[:-1] if array.shape else -1 for array in arrays}
    if len(shapes) > 1:
        raise ValueError(
            "Array shapes must match, but for the last dimension, which is padded: got"
            f" {[array.shape for array in arrays]}."
        )
    lengths = [array.shape[-1] if array.shape else 0 for array in arrays]
    longest = max(lengths)
    if min(lengths) == longest:
        return arrays
    made = np.full((len(arrays), *arrays[0].shape[:-1], longest), value, arrays[0].dtype)
    for row, array, length in zip(made, arrays, lengths, strict=True):
        row[..., :length] = array
    return made
