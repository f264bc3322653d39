"""Digests of the two sides' examples, made so that equal values have equal digests.

The functions themselves are in queueio/recorder.py, which must stand alone in old environments.
Here is what concerns two sides: the dtype in which both are digested.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from queueio import recorder
from queueio.compare.reading.exact import lost, may_lose
from queueio.compare.sides.schema import Schema

Array = np.ndarray[Any, Any]
LOST = np.uint64(0x9E3779B97F4A7C15)  # marks digests of values that the other side cannot have


def common_dtypes(old: Schema, new: Schema, recorded: Schema | None) -> list[str]:
    """The dtype per component that holds the values of both sides.

    A widened dtype then keeps its digests. A recording's digests are made already, in its own
    dtypes, so the other side is cast to those. What no cast keeps has a digest of its own.
    """
    dtypes = []
    for index, component in enumerate(old.components):
        mine = recorder.canonical_dtype(component.dtype)
        if recorded is not None and index < len(recorded.components):
            dtypes.append(recorder.canonical_dtype(recorded.components[index].dtype))
        elif index < len(new.components):
            other = recorder.canonical_dtype(new.components[index].dtype)
            dtypes.append(_common(mine, other))
        else:
            dtypes.append(mine)
    return dtypes


def _common(old: str, new: str) -> str:
    if old == new or "string" in (old, new):
        return old
    if {old, new} & {"uint64"} and np.dtype(old).kind == np.dtype(new).kind == "i":
        return "int64"
    return str(np.result_type(np.dtype(old), np.dtype(new)).name)


def digest_batch(values: Sequence[Any], dtypes: Sequence[str]) -> Array:
    """Component digests (examples, components, 2), uint64, of one batch."""
    parts = [_one(v, d) for v, d in zip(values, dtypes, strict=True)]
    return np.stack(parts, axis=1)


def _one(value: Any, dtype: str) -> Array:
    flat = _flat(value)
    is_text = recorder.is_text(flat)
    if is_text != (dtype == "string"):
        # A string against a number: no cast makes them comparable.
        dtype = "string" if is_text else flat.dtype.name
    digests = recorder.digest_component(value, dtype)
    if not is_text and flat.dtype.name != dtype and may_lose(flat.dtype, dtype):
        changed = lost(flat, dtype)
        if changed.any():
            rows = _rows(value, changed)
            own = recorder.digest_component(value, flat.dtype.name)
            digests[rows] = own[rows] ^ LOST
    return digests


def _flat(value: Any) -> Array:
    """The numbers of a dense, sparse or ragged batch."""
    while recorder.kind_of(value) != "dense":
        value = value.values
    return recorder.as_array(value)


def _rows(value: Any, chosen: Array) -> Array:
    """The examples of a batch that have one of the chosen values."""
    kind = recorder.kind_of(value)
    if kind == "sparse":
        return np.unique(np.asarray(value.indices)[chosen, 0])
    if kind == "dense":
        return np.nonzero(chosen.reshape(len(chosen), -1).any(axis=1))[0]
    inner = _rows(value.values, chosen)
    return np.unique(np.searchsorted(np.asarray(value.row_splits), inner, "right") - 1)
