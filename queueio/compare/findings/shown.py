"""Values as short texts; two that differ as texts that show where."""

from __future__ import annotations

from typing import Any

import numpy as np

from queueio.compare.reading.exact import differs

Array = np.ndarray[Any, Any]
LONGEST = 80  # characters of a text, and how many are left of a longer one
KEPT = 70
VALUES, FIRST = 8, 6  # values of an array that are all named, and the first of more
BEFORE, AFTER = 10, 40  # bytes around the first that differs


def show(value: Any, digits: int = 9) -> str:
    """A value as short text; an absent one as a dash."""
    if value is None:
        return "–"
    if isinstance(value, np.ndarray):
        if value.ndim == 0:
            return show(value.item(), digits)
        if value.size > VALUES:
            return _some(value, 0, digits)
        return "[" + ", ".join(show(v, digits) for v in value.reshape(-1).tolist()) + "]"
    if isinstance(value, np.generic):
        return show(value.item(), digits)
    if isinstance(value, float):
        return f"{value:.{digits}g}"
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[:KEPT]}… ({len(value)} bytes)"


def show_both(old: Any, new: Any) -> tuple[str, str]:
    """Two values, or one twice; of such that differ, what comes before the first difference is left
    out where their texts would not reach it."""
    a, b = _single(old), _single(new)
    if isinstance(a, bytes) and isinstance(b, bytes):
        start = first_difference(a, b)
        reached = len(repr(a[:start])) < KEPT - 1 or max(map(len, map(repr, (a, b)))) <= LONGEST
        return (show(a), show(b)) if reached else (_around(a, start), _around(b, start))
    begin = _first_index(a, b)
    short, long = (
        [_some(v, begin, digits) if begin >= FIRST else show(v, digits) for v in (a, b)]
        for digits in (9, 17)
    )
    # floats that are nearly equal look equal; those that are equal need no more digits
    one, other = long if short[0] == short[1] and long[0] != long[1] else short
    return one, other


def _first_index(a: Any, b: Any) -> int:
    """The first place at which two long arrays differ; 0 of others."""
    if not (isinstance(a, np.ndarray) and isinstance(b, np.ndarray)):
        return 0
    if a.shape != b.shape or a.size <= VALUES:
        return 0
    unequal = a != b if object in (a.dtype, b.dtype) else differs(a, b)
    return int(np.argmax(unequal.reshape(-1)))


def first_difference(old: bytes, new: bytes) -> int:
    """The place of the first byte that differs, or the end of the shorter text."""
    size = min(len(old), len(new))
    a, b = (np.frombuffer(raw, np.uint8, size) for raw in (old, new))
    found = np.nonzero(a != b)[0]
    return int(found[0]) if len(found) else size


def _single(value: Any) -> Any:
    """The value of an array of one text, or of a scalar."""
    if (
        isinstance(value, np.ndarray)
        and value.size == 1
        and (not value.ndim or value.dtype == object)
    ):
        value = value.reshape(-1)[0]
    return value.item() if isinstance(value, np.generic) else value


def _around(raw: bytes, start: int) -> str:
    begin = max(0, start - BEFORE)
    return f"… from byte {begin:,}: {raw[begin : start + AFTER]!r} ({len(raw)} bytes)"


def _some(array: Array, begin: int, digits: int) -> str:
    """Some values of a long array, the first of them named by its place."""
    some = ", ".join(show(v, digits) for v in array.reshape(-1)[begin : begin + FIRST].tolist())
    place = [int(i) for i in np.unravel_index(begin, array.shape)]
    at = f"… from {place}: " if begin else ""
    return f"[{at}{some}, … {array.size} values, shape {array.shape}]"
