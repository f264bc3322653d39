"""Digests of the two sides' examples, made so that equal values have equal digests.

The functions themselves are in queueio/recorder.py, which must stand alone in old environments.
Here is what concerns two sides: the dtype in which both are digested.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from queueio import recorder
from queueio.compare.sides.schema import Schema

Array = np.ndarray[Any, Any]


def common_dtypes(old: Schema, new: Schema, recorded: Schema | None) -> list[str]:
    """The dtype per component that holds the values of both sides.

    A widened dtype then keeps its digests. A recording's digests are made already, in its own
    dtypes, so the other side is cast to those.
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
    return str(np.result_type(np.dtype(old), np.dtype(new)).name)


def digest_batch(values: Sequence[Any], dtypes: Sequence[str]) -> Array:
    """Component digests (examples, components, 2), uint64, of one batch."""
    parts = [_one(v, d) for v, d in zip(values, dtypes, strict=True)]
    return np.stack(parts, axis=1)


def _one(value: Any, dtype: str) -> Array:
    flat = value.values if recorder.kind_of(value) == "sparse" else value
    is_text = recorder.is_text(flat)
    if is_text != (dtype == "string"):
        # A string against a number: no cast makes them comparable.
        dtype = "string" if is_text else flat.dtype.name
    return recorder.digest_component(value, dtype)
