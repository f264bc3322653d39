"""Numbers that differ by rounding: a little, or by as much as a cast to a float of 16 bits makes.

Numbers of few digits are ones of bfloat16 too: so are whole ones, and those of 1/256 each. So what
a cast makes of the other side's numbers decides, not that one side has only such.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from queueio.compare.match.change import Change
from queueio.compare.match.relations import scaled
from queueio.compare.reading.exact import same, wide

Array = np.ndarray[Any, Any]
FINE = 1e-3  # relative differences below are rounding, whatever makes it
ROUNDED = 1e-5  # the largest that rounding makes, but of floats of 16 bits
BFLOAT16, COARSE = "bfloat16", 2.0**-7  # and the largest relative difference that it makes
FLOAT16 = "float16"
SHOWN_BY = 6  # different values, by which a change shows that is not exact
LEAST = 0.5  # of the numbers that differ, that are just what a cast makes: sums of such are near


def rounding(a: Array, b: Array) -> Change | None:
    """The change, if the numbers differ by no more than rounding, and by no one constant."""
    if a.shape != b.shape or (a.dtype.kind != "f" and b.dtype.kind != "f"):
        return None
    error = relative(a, b)
    if error > COARSE or not _finite_alike(a, b) or (error > ROUNDED and _by_a_constant(a, b)):
        return None
    how = _cast(a, b)
    if error < FINE or how == BFLOAT16:
        return Change("float-difference", how, int((~same(a, b)).sum()), a.size, error)
    return None


def relative(a: Array, b: Array) -> float:
    """The largest relative difference of finite numbers."""
    a, b = longest(a), longest(b)
    with np.errstate(all="ignore"):
        scale = np.maximum(np.abs(a), np.abs(b))
        ratio = np.abs(a - b) / np.where(scale == 0, 1, scale)
    finite = ratio[np.isfinite(ratio)]
    return float(finite.max()) if finite.size else float("inf")


def longest(array: Array) -> Array:
    """As floats that hold 64-bit integers too, where the machine has such."""
    return array if array.dtype.kind == "c" else array.astype(np.longdouble)


def _finite_alike(a: Array, b: Array) -> bool:
    """Whether what is NaN or infinite in one is so in the other: no rounding makes such values."""
    return bool((same(a, b) | (np.isfinite(a) & np.isfinite(b))).all())


def _by_a_constant(a: Array, b: Array) -> bool:
    """Whether so many different numbers follow one relation as no rounding does."""
    return len(np.unique(a.reshape(-1)[:1000])) >= SHOWN_BY and scaled(a, b) is not None


def _cast(a: Array, b: Array) -> str | None:
    """The float of 16 bits to which one side is cast, but for what is computed with it after."""
    for name, dtype in ((FLOAT16, np.float16), (BFLOAT16, tf.bfloat16.as_numpy_dtype)):
        held = [_held(v, dtype) for v in (a, b)]
        if held[0] == held[1]:
            continue
        fine, coarse = (b, a) if held[0] else (a, b)
        differ = ~same(a, b)
        with np.errstate(all="ignore"):
            made = wide(fine.astype(np.float32).astype(dtype))
        if same(made, coarse)[differ].mean() >= LEAST:
            return name
    return None


def _held(values: Array, dtype: Any) -> bool:
    """Whether a float of 16 bits holds all values."""
    with np.errstate(all="ignore"):
        return bool(same(wide(values.astype(np.float32).astype(dtype)), values).all())
