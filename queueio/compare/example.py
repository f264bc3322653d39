"""Whole examples, cut out of batches: what the findings show side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from queueio import recorder

Array = np.ndarray[Any, Any]


@dataclass
class Example:
    """One example: where it came in the stream, its digests, one array per component."""

    position: int
    digest: bytes
    parts: list[bytes]
    values: list[Array]
    key: str | None = None


def cut(
    values: list[Any], row: int, position: int, digest: Array, parts: Array, key: int | None
) -> Example:
    """The example at `row` of a batch; copied, so that the batch can go."""
    arrays = [_row(value, row) for value in values]
    named = arrays[key].item() if key is not None else None
    text = named.decode("utf-8", "replace") if isinstance(named, bytes) else None
    return Example(position, digest.tobytes(), [p.tobytes() for p in parts], arrays, text)


def _row(value: Any, row: int) -> Array:
    """One row as a dense array; sparse and ragged rows as the values they hold, in order."""
    kind = recorder.kind_of(value)
    if kind == "dense":
        return np.array(value[row]) if value.dtype != object else _objects(value[row])
    if kind == "sparse":
        mine = np.asarray(value.indices)[:, 0] == row
        return np.array(recorder.as_array(value.values)[mine])
    start, stop = np.asarray(value.row_splits)[row : row + 2].tolist()
    inner = value.values
    while hasattr(inner, "row_splits"):
        splits = np.asarray(inner.row_splits)
        start, stop, inner = int(splits[start]), int(splits[stop]), inner.values
    return np.array(recorder.as_array(inner)[start:stop])


def _objects(value: Any) -> Array:
    array = np.empty(np.shape(value), object)
    array[...] = value
    return array
