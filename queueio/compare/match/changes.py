"""What was done to one component to make the new value of the old one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
SHOWN_BY = 6  # different values, by which a change shows that is not exact


@dataclass(frozen=True)
class Tolerance:
    """How far floats may differ: |old - new| <= atol + rtol * |old|."""

    rtol: float = 0.0
    atol: float = 0.0


@dataclass(frozen=True)
class Change:
    """A named change of one value; `amount` tells changes of one kind apart (a factor, axes)."""

    kind: str
    amount: Any = None
    differing: int = 0  # values that differ
    total: int = 0
    error: float = 0.0  # the largest relative difference, for floats

    @property
    def named(self) -> bool:
        """Whether the change has a name beyond 'some values differ'."""
        return self.kind != "values"


SAME = Change("same")


def change_of(old: Array, new: Array, tolerance: Tolerance) -> Change:
    """The first change that turns `old` into `new` exactly (for factors: to rounding)."""
    if old.dtype == object or new.dtype == object:
        return _change_of_text(old, new)
    a, b = _wide(old), _wide(new)
    if a.ndim != b.ndim and a.size == b.size:
        b = b.reshape(a.shape)  # that the shape is another is said by itself
    if a.shape == b.shape:
        if _equal(a, b):
            return SAME
        if np.allclose(b, a, tolerance.rtol, tolerance.atol, equal_nan=True):
            return Change("tolerance", None, int((a != b).sum()), a.size, _relative(a, b))
    for rule in (_padding, _moved, _rounding, scaled, _moved_and_rounded):
        change = rule(a, b)
        if change is not None:
            return change
    return _values(a, b)


def _wide(array: Array) -> Array:
    if array.dtype.kind in "biu":
        return array.astype(np.int64) if array.dtype != np.uint64 else array
    return array.astype(np.float64) if array.dtype.kind != "c" else array


def _equal(a: Array, b: Array) -> bool:
    return a.shape == b.shape and bool(((a == b) | ((a != a) & (b != b))).all())


def _relative(a: Array, b: Array) -> float:
    with np.errstate(all="ignore"):
        scale = np.maximum(np.abs(a), np.abs(b))
        ratio = np.abs(a - b) / np.where(scale == 0, 1, scale)
    finite = ratio[np.isfinite(ratio)]
    return float(finite.max()) if finite.size else float("inf")


def _values(a: Array, b: Array) -> Change:
    if a.shape != b.shape:
        return Change("values", ("shape", a.shape, b.shape), max(a.size, b.size), a.size)
    same = (a == b) | ((a != a) & (b != b))
    return Change("values", None, int((~same).sum()), a.size, _relative(a, b))


def _padding(a: Array, b: Array) -> Change | None:
    """Values that agree but for a constant tail: other padding, or padded further."""
    if a.ndim == 0 or a.ndim != b.ndim:
        return None
    if a.shape != b.shape:
        common = tuple(slice(0, min(m, n)) for m, n in zip(a.shape, b.shape, strict=True))
        if min(a.size, b.size) and _equal(a[common], b[common]):
            longer, bigger = (a, a.size > b.size) if a.size > b.size else (b, False)
            mask: Array = np.ones(longer.shape, bool)
            mask[common] = False
            rest = longer[mask]
            one_sided = all(
                (m >= n) == bigger or m == n for m, n in zip(a.shape, b.shape, strict=True)
            )
            if one_sided and rest.size and (rest == rest[0]).all():
                return Change("padding-length", (a.shape, b.shape), abs(a.size - b.size), a.size)
        return None
    differ = np.nonzero((a != b).reshape(-1))[0]
    old, new = a.reshape(-1)[differ], b.reshape(-1)[differ]
    if not 0 < len(differ) < a.size or (old != old[0]).any() or (new != new[0]).any():
        return None
    if not _is_tail(a != b, a.shape) or not (len(differ) > 1 or _tail_of_padding(a, b)):
        return None
    return Change("padding-value", (old[0].item(), new[0].item()), len(differ), a.size)


def _is_tail(differs: Any, shape: tuple[int, ...]) -> bool:
    """Whether what differs is the end of rows, never a beginning."""
    row = next((length for length in reversed(shape) if length > 1), 1)
    rows = np.asarray(differs, np.int8).reshape(-1, row)
    return row > 1 and bool((np.diff(rows, axis=1) >= 0).all() and rows[:, -1].any())


def _tail_of_padding(a: Array, b: Array) -> bool:
    return 0 in (a.reshape(-1)[-1], b.reshape(-1)[-1])


Alike = Callable[[Array, Array], bool]


def _moved(a: Array, b: Array) -> Change | None:
    return _channels(a, b, _equal) or _transposed(a, b, _equal) or _flip(a, b, _equal)


def _moved_and_rounded(a: Array, b: Array) -> Change | None:
    return _channels(a, b, _near) or _transposed(a, b, _near) or _flip(a, b, _near)


def _near(a: Array, b: Array) -> bool:
    """Whether the values are so many different ones as no chance makes equal but for rounding."""
    few = a.shape != b.shape or len(np.unique(a.reshape(-1)[:1000])) < SHOWN_BY
    return not few and _rounding(a, b) is not None


def _channels(a: Array, b: Array, alike: Alike) -> Change | None:
    if a.ndim >= 2 and a.shape == b.shape and 2 <= a.shape[-1] <= 4 and alike(a[..., ::-1], b):
        return Change("channels", a.ndim - 1, int((a != b).sum()), a.size)
    return None


def _transposed(a: Array, b: Array, alike: Alike) -> Change | None:
    for first in range(a.ndim):
        for second in range(first + 1, a.ndim):
            if alike(a.swapaxes(first, second), b):
                return Change("transposed", (first, second), int(a.size), a.size)
    return None


def _flip(a: Array, b: Array, alike: Alike) -> Change | None:
    for axis in range(a.ndim):
        if a.shape == b.shape and a.shape[axis] > 2 and alike(np.flip(a, axis), b):
            return Change("flipped", _direction(a, axis), int((a != b).sum()), a.size)
    return None


def _direction(a: Array, axis: int) -> str:
    """What an axis of an image is called; of other tensors its number."""
    if a.ndim == 2 or (a.ndim == 3 and a.shape[2] <= 4 and axis < 2):
        return ("top to bottom", "left to right")[axis]
    return f"along axis {axis}"


def _rounding(a: Array, b: Array) -> Change | None:
    if a.shape != b.shape or (a.dtype.kind != "f" and b.dtype.kind != "f"):
        return None
    error = _relative(a, b)
    if error < 1e-3 and bool(((a != a) == (b != b)).all()):
        return Change("float-difference", None, int((a != b).sum()), a.size, error)
    return None


def scaled(a: Array, b: Array) -> Change | None:
    """One factor, one offset or one linear relation for all values, as far as they show it."""
    if a.shape != b.shape or a.dtype.kind == "c" or a.size == 0:
        return None
    x: Array = a.astype(np.float64).reshape(-1)
    y: Array = b.astype(np.float64).reshape(-1)
    used = np.isfinite(x) & np.isfinite(y)
    if not used.any() or (used != (np.isfinite(x) | np.isfinite(y))).any():
        return None
    top = int(np.argmax(np.where(used, np.abs(x), -1)))
    if x[top] and y[top] and x[top] != y[top]:
        factor = y[top] / x[top]
        if np.allclose(x[used] * factor, y[used], rtol=3e-6, atol=abs(y[top]) * 1e-7):
            return Change("scale", float(f"{factor:.6g}"), int((x != y).sum()), a.size)
    offset = float(np.median(y[used] - x[used]))
    if offset and used.sum() > 1 and np.allclose(x[used] + offset, y[used], 1e-5, 1e-6):
        return Change("offset", float(f"{offset:.4g}"), int((x != y).sum()), a.size)
    return _linear(x[used], y[used])


def _linear(x: Array, y: Array) -> Change | None:
    """new = old * slope + offset, which three different values at least must show."""
    if len(np.unique(x[:1000])) < 3:
        return None
    low, high = int(np.argmin(x)), int(np.argmax(x))
    slope = (y[high] - y[low]) / (x[high] - x[low])
    offset = y[low] - slope * x[low]
    if not slope or not np.allclose(x * slope + offset, y, 1e-5, 1e-5 * float(np.abs(y).max())):
        return None
    amount = float(f"{slope:.4g}"), float(f"{offset:.4g}")
    return Change("linear", amount, int((x != y).sum()), len(x))


def _change_of_text(old: Array, new: Array) -> Change:
    if old.dtype != new.dtype:
        return Change("values", ("type", str(old.dtype), str(new.dtype)), old.size, old.size)
    a, b = old.reshape(-1).tolist(), new.reshape(-1).tolist()
    if old.shape != new.shape:
        return _text_padding(old, new) or Change(
            "values", ("shape", old.shape, new.shape), max(len(a), len(b)), len(a)
        )
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x != y]
    if not pairs:
        return SAME
    end = _is_tail([x != y for x, y in zip(a, b, strict=True)], old.shape)
    if end and len(set(pairs)) == 1 < len(a) and (1 < len(pairs) < len(a) or b"" in pairs[0]):
        return Change("padding-value", pairs[0], len(pairs), len(a))
    for kind, test in _TEXT.items():
        if all(test(x, y) or test(y, x) for x, y in pairs):
            return Change(kind, None, len(pairs), len(a))
    return Change("values", None, len(pairs), len(a))


def _text_padding(old: Array, new: Array) -> Change | None:
    shorter, longer = sorted([old.reshape(-1).tolist(), new.reshape(-1).tolist()], key=len)
    if longer[: len(shorter)] == shorter and len(set(longer[len(shorter) :])) == 1:
        return Change(
            "padding-length", (old.shape, new.shape), len(longer) - len(shorter), old.size
        )
    return None


def _decodes_to(a: bytes, b: bytes) -> bool:
    """Whether both are one text, in two encodings."""
    encodings = ("utf-8", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp1252")
    texts = {_decode(a, e) for e in encodings} & {_decode(b, e) for e in encodings}
    return any(t is not None and t != "" for t in texts)


def _decode(raw: bytes, encoding: str) -> str | None:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        return None


_TEXT: dict[str, Callable[[bytes, bytes], bool]] = {
    "carriage-return": lambda a, b: b == a + b"\r" or (b.replace(b"\r", b"") == a and a != b),
    "byte-order-mark": lambda a, b: b == b"\xef\xbb\xbf" + a,
    "trailing-nul": lambda a, b: b.rstrip(b"\0") == a,
    "newline": lambda a, b: b == a + b"\n",
    "whitespace": lambda a, b: b.split() == a.split() or b.replace(b" ", b"") == a,
    "path": lambda a, b: b"/" in a + b and a.rpartition(b"/")[2] == b.rpartition(b"/")[2],
    "encoding": _decodes_to,
    "case": lambda a, b: a.lower() == b.lower(),
}
