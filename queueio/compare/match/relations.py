"""One factor, one offset or one linear relation that makes all new values of the old ones.

Floats follow it to rounding. Integers do so to the last digit, or to the next integer where a
factor leaves a fraction: numbers that are large beside their differences, as ids are, would show
any relation otherwise.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from queueio.compare.match.change import Change
from queueio.compare.reading.exact import same

Array = np.ndarray[Any, Any]
SMALL = 1 << 31
LEFT = 0.1  # of the largest difference, what a relation of floats may leave


def scaled(a: Array, b: Array) -> Change | None:
    """The relation of two wide arrays, as far as they show one."""
    if a.shape != b.shape or a.size == 0 or not {a.dtype.kind, b.dtype.kind} <= set("iuf"):
        return None
    if "f" not in (a.dtype.kind, b.dtype.kind):
        return _of_integers(a.reshape(-1), b.reshape(-1))
    x: Array = a.astype(np.float64).reshape(-1)
    y: Array = b.astype(np.float64).reshape(-1)
    used = np.isfinite(x) & np.isfinite(y)
    if not used.any() or (used != (np.isfinite(x) | np.isfinite(y))).any():
        return None
    top = int(np.argmax(np.where(used, np.abs(x), -1)))
    differing = int((x != y).sum())
    if x[top] and y[top] and x[top] != y[top]:
        factor = y[top] / x[top]
        made = x[used] * factor
        near = np.allclose(made, y[used], rtol=3e-6, atol=abs(y[top]) * 1e-7)
        if near and _explains(x[used], y[used], made):
            return Change("scale", float(f"{factor:.6g}"), differing, a.size)
    offset = float(np.median(y[used] - x[used]))
    made = x[used] + offset
    near = np.allclose(made, y[used], rtol=1e-5, atol=1e-6)
    if offset and used.sum() > 1 and near and _explains(x[used], y[used], made):
        return Change("offset", float(f"{offset:.4g}"), differing, a.size)
    return _linear(x[used], y[used])


def _explains(x: Array, y: Array, made: Array) -> bool:
    """Whether a relation leaves little of what differs: values that hardly differ, in one channel
    say, are near to any relation that changes nothing."""
    return bool(np.abs(made - y).max() <= LEFT * np.abs(x - y).max())


def _of_integers(x: Array, y: Array) -> Change | None:
    """The relation that integers show exactly."""
    top = int(np.argmax(np.abs(x.astype(np.float64))))
    factor = float(f"{int(y[top]) / (int(x[top]) or 1):.6g}")
    differing = int((~same(x, y)).sum())
    if x[top] and y[top] and factor != 1 and _proportional(x, y, int(x[top]), int(y[top])):
        return Change("scale", factor, differing, x.size)
    offset = int(y[0]) - int(x[0])
    if offset and x.size > 1 and _proportional(_less(x, x[0]), _less(y, y[0]), 1, 1):
        return Change("offset", offset, differing, x.size)
    low, high = int(np.argmin(x)), int(np.argmax(x))
    run, rise = int(x[high]) - int(x[low]), int(y[high]) - int(y[low])
    many = len(np.unique(x[:1000])) >= 3
    if not (many and rise and _proportional(_less(x, x[low]), _less(y, y[low]), run, rise)):
        return None
    slope = rise / run
    amount = float(f"{slope:.4g}"), float(f"{int(y[low]) - slope * int(x[low]):.4g}")
    return Change("linear", amount, differing, x.size)


def _less(values: Array, one: Any) -> Array:
    """What integers are beyond one of them; as Python's where the difference may be too large."""
    small = max(-int(values.min()), int(values.max())) < SMALL
    return values.astype(np.int64 if small else object) - int(one)


def _proportional(x: Array, y: Array, run: int, rise: int) -> bool:
    """Whether y / x is rise / run for all."""
    sizes = [max(-int(v.min()), int(v.max())) for v in (x, y)]
    small = max(*sizes, abs(run), abs(rise)) < SMALL
    kind = np.int64 if small else object  # products of larger ones are not held by 64 bits
    return bool((x.astype(kind) * rise == y.astype(kind) * run).all())


def _linear(x: Array, y: Array) -> Change | None:
    """new = old * slope + offset, which three different values at least must show."""
    if len(np.unique(x[:1000])) < 3:
        return None
    low, high = int(np.argmin(x)), int(np.argmax(x))
    slope = (y[high] - y[low]) / (x[high] - x[low])
    offset = y[low] - slope * x[low]
    made = x * slope + offset
    near = slope and np.allclose(made, y, 1e-5, 1e-5 * float(np.abs(y).max()))
    if not near or not _explains(x, y, made):
        return None
    amount = float(f"{slope:.4g}"), float(f"{offset:.4g}")
    return Change("linear", amount, int((x != y).sum()), len(x))
