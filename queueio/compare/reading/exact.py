"""Numbers compared as they are.

A float64 holds integers up to 2^53 only: beyond, one that is off by one is the same float. So what
is no float is made none before it is compared.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
HELD = 1 << 53  # the integers up to this one, and down to minus this one, are floats
WRAP = 1 << 64


def wide(array: Array) -> Array:
    """The same values in the largest dtype of their kind."""
    if array.dtype.kind in "biu":
        return array.astype(np.int64) if array.dtype != np.uint64 else array
    return array.astype(np.float64) if array.dtype.kind != "c" else array


def same(a: Array, b: Array) -> Array:
    """Which values of two wide arrays are equal: zeros are, and any NaN is any other."""
    if a.dtype.kind == b.dtype.kind:
        return np.asarray((a == b) | ((a != a) & (b != b)))
    if "c" in (a.dtype.kind, b.dtype.kind):
        equal = same(a.real, b.real) & same(a.imag, b.imag)
        return np.asarray(equal | ((a != a) & (b != b)))
    if "f" not in (a.dtype.kind, b.dtype.kind):
        return np.asarray((a >= 0) & (b >= 0) & (a.astype(np.uint64) == b.astype(np.uint64)))
    return _same_float(a, b) if a.dtype.kind == "f" else _same_float(b, a)


def differs(a: Array, b: Array) -> Array:
    """Which values of two arrays differ, whatever their dtypes."""
    return np.asarray(~same(wide(a), wide(b)))


def _same_float(floats: Array, integers: Array) -> Array:
    """Which floats are the integers: rounded to a float, and made an integer again."""
    info = np.iinfo(integers.dtype)
    fits = (floats >= float(info.min)) & (floats < float(info.max + 1))
    back = np.where(fits, floats, 0).astype(integers.dtype)
    return np.asarray(fits & (back == integers) & (floats == integers.astype(np.float64)))


def lost(array: Array, dtype: str) -> Array:
    """Which values a cast to `dtype` would change."""
    with np.errstate(all="ignore"):
        cast = array.astype(dtype)
    return differs(array, cast)


def may_lose(given: np.dtype[Any], dtype: str) -> bool:
    """Whether a cast can change values; of 64-bit integers to floats numpy says that it is safe."""
    target = np.dtype(dtype)
    large = given.kind in "iu" and given.itemsize == 8 and target.kind in "fc"
    return large or not np.can_cast(given, target, "safe")


def base_of(arrays: Iterable[Array]) -> int:
    """The least of integers of which some are held by no float; 0 of all others."""
    found = [a for a in arrays if a.size]
    if not found or any(a.dtype.kind not in "iu" for a in found):
        return 0
    least, most = min(int(a.min()) for a in found), max(int(a.max()) for a in found)
    return least if max(most, -least) > HELD else 0


def beyond(array: Array, base: int) -> Array:
    """What integers are beyond a base that none is below, so that they may be made floats."""
    if not base:
        return array
    return np.asarray(array.astype(np.uint64) - np.uint64(base % WRAP))
