"""What was done to one component to make the new value of the old one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from queueio.compare.match.change import SAME, Change, Tolerance
from queueio.compare.match.relations import scaled
from queueio.compare.match.rounding import SHOWN_BY, longest, relative, rounding
from queueio.compare.reading.exact import same, wide

Array = np.ndarray[Any, Any]


def change_of(old: Array, new: Array, tolerance: Tolerance) -> Change:
    """The first change that turns `old` into `new` exactly (for factors: to rounding)."""
    if old.dtype == object or new.dtype == object:
        return _change_of_text(old, new)
    a, b = wide(old), wide(new)
    if a.ndim != b.ndim and a.size == b.size:
        b = b.reshape(a.shape)  # that the shape is another is said by itself
    if a.shape == b.shape:
        if _equal(a, b):
            return SAME
        if within(a, b, tolerance):
            return Change("tolerance", None, _differing(a, b), a.size, relative(a, b))
    for rule in (_padding, _moved, rounding, scaled, _moved_and_rounded, _but_padding):
        change = rule(a, b)
        if change is not None:
            return change
    return _values(a, b)


def within(a: Array, b: Array, tolerance: Tolerance) -> bool:
    """Whether all differences are of floats, and allowed; integers are the same ones or others."""
    if not (tolerance.rtol or tolerance.atol) or not {a.dtype.kind, b.dtype.kind} & set("fc"):
        return False
    x, y = longest(a), longest(b)
    with np.errstate(all="ignore"):
        near = np.abs(y - x) <= tolerance.atol + tolerance.rtol * np.abs(x)
    return bool((same(a, b) | (near & np.isfinite(x) & np.isfinite(y))).all())


def _equal(a: Array, b: Array) -> bool:
    return a.shape == b.shape and bool(same(a, b).all())


def _differing(a: Array, b: Array) -> int:
    return int((~same(a, b)).sum())


def _values(a: Array, b: Array) -> Change:
    if a.shape != b.shape:
        return Change("values", ("shape", a.shape, b.shape), max(a.size, b.size), a.size)
    return Change("values", None, _differing(a, b), a.size, relative(a, b))


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
    differs = ~same(a, b)
    differ = np.nonzero(differs.reshape(-1))[0]
    old, new = a.reshape(-1)[differ], b.reshape(-1)[differ]
    if not 0 < len(differ) < a.size or (old != old[0]).any() or (new != new[0]).any():
        return None
    if not _is_tail(differs, a.shape) or not (len(differ) > 1 or _tail_of_padding(a, b)):
        return None
    return Change("padding-value", (old[0].item(), new[0].item()), len(differ), a.size)


def _is_tail(differs: Any, shape: tuple[int, ...]) -> bool:
    """Whether what differs is the end of rows, never a beginning."""
    row = next((length for length in reversed(shape) if length > 1), 1)
    rows = np.asarray(differs, np.int8).reshape(-1, row)
    return row > 1 and bool((np.diff(rows, axis=1) >= 0).all() and rows[:, -1].any())


def _tail_of_padding(a: Array, b: Array) -> bool:
    return 0 in (a.reshape(-1)[-1], b.reshape(-1)[-1])


def _but_padding(a: Array, b: Array) -> Change | None:
    """What was done to a list before it was filled up: the padding shows nothing of it."""
    end = before_padding(a, b)
    if end is None:
        return None
    change = scaled(a[:end], b[:end]) or _flip(a[:end], b[:end], _equal)
    return None if change is None else replace(change, total=a.size, filled=True)


def before_padding(a: Array, b: Array) -> int | None:
    """How many numbers of two lists stand before those that both are filled up with; None where
    they end otherwise."""
    if a.ndim != 1 or a.shape != b.shape or not a.size:
        return None
    own = np.nonzero(~(same(a, b) & same(a, np.full_like(a, a[-1]))))[0]
    return int(own[-1]) + 1 if len(own) and own[-1] + 1 < len(a) else None


Alike = Callable[[Array, Array], bool]


def _moved(a: Array, b: Array) -> Change | None:
    return _channels(a, b, _equal) or _transposed(a, b, _equal) or _flip(a, b, _equal)


def _moved_and_rounded(a: Array, b: Array) -> Change | None:
    return _channels(a, b, _near) or _transposed(a, b, _near) or _flip(a, b, _near)


def _near(a: Array, b: Array) -> bool:
    """Whether the values are so many different ones as no chance makes equal but for rounding."""
    few = a.shape != b.shape or len(np.unique(a.reshape(-1)[:1000])) < SHOWN_BY
    return not few and rounding(a, b) is not None


def _channels(a: Array, b: Array, alike: Alike) -> Change | None:
    if a.ndim >= 2 and a.shape == b.shape and 2 <= a.shape[-1] <= 4 and alike(a[..., ::-1], b):
        return Change("channels", a.ndim - 1, _differing(a, b), a.size)
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
            return Change("flipped", _direction(a, axis), _differing(a, b), a.size)
    return None


def _direction(a: Array, axis: int) -> str:
    """What an axis of an image is called; of other tensors its number."""
    if a.ndim == 2 or (a.ndim == 3 and a.shape[2] <= 4 and axis < 2):
        return ("top to bottom", "left to right")[axis]
    return f"along axis {axis}"


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


def _folded(raw: bytes) -> str | bytes:
    """What upper and lower case have in common, of all letters; of no text, of ASCII's."""
    text = _decode(raw, "utf-8")
    return raw.lower() if text is None else text.casefold()


_TEXT: dict[str, Callable[[bytes, bytes], bool]] = {
    "carriage-return": lambda a, b: b == a + b"\r" or (b.replace(b"\r", b"") == a and a != b),
    "byte-order-mark": lambda a, b: b == b"\xef\xbb\xbf" + a,
    "trailing-nul": lambda a, b: b.rstrip(b"\0") == a,
    "newline": lambda a, b: b == a + b"\n",
    "whitespace": lambda a, b: b.split() == a.split() or b.replace(b" ", b"") == a,
    "path": lambda a, b: b"/" in a + b and a.rpartition(b"/")[2] == b.rpartition(b"/")[2],
    "encoding": _decodes_to,
    "case": lambda a, b: _folded(a) == _folded(b),
}

FORMS: dict[str, Callable[[bytes], Any]] = {
    "carriage-return": lambda text: text.replace(b"\r", b""),
    "byte-order-mark": lambda text: text.removeprefix(b"\xef\xbb\xbf"),
    "trailing-nul": lambda text: text.rstrip(b"\0"),
    "newline": lambda text: text.rstrip(b"\n"),
    "whitespace": lambda text: b"".join(text.split()),
    "path": lambda text: text.rpartition(b"/")[2],
    "case": _folded,
}
"""What two texts have in common of which one became the other so."""
