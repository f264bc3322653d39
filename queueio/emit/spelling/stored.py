"""The file of large constants beside a module, and how the module reads strings from it.

NumPy's own kind of byte strings drops zeros at their ends and pads all to the longest one; a list
of objects would have to be pickled. So strings are stored as one run of bytes and their ends.
A bfloat16 is stored as its bits, for NumPy's files have no name for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

READ = '''
def byte_strings(name: str) -> Any:
    """The strings of a constant, which are stored as one run of bytes and their ends."""
    data, ends = CONSTANTS[name].tobytes(), CONSTANTS[f"{name}.ends"]
    starts = [0, *ends.ravel()[:-1]]
    parts = [data[start:end] for start, end in zip(starts, ends.ravel())]
    return np.array(parts, object).reshape(ends.shape)
'''


def is_text(array: Any) -> bool:
    """Whether an array has strings for elements."""
    return bool(array.dtype == object)


def is_foreign(array: Any) -> bool:
    """Whether NumPy knows the dtype of an array by TensorFlow only: a bfloat16."""
    return bool(array.dtype.isbuiltin == 2)


def stored(constants: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays that the file holds, by their names in it."""
    found: dict[str, np.ndarray] = {}
    for name, array in constants.items():
        if is_text(array):
            parts = [bytes(part) for part in array.ravel()]
            ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
            found[f"{name}.ends"] = ends.reshape(array.shape)
            array = np.frombuffer(b"".join(parts), np.uint8)
        elif is_foreign(array):
            array = array.view(f"u{array.itemsize}")
        found[name] = array
    return found
