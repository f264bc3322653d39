"""Values that are the old ones at other places: turned, in another order of the axes, or moved, as
where a crop or the padding begins elsewhere.

A small set of moves is tried; one is said that makes the new values of all examples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np

from queueio.compare.reading.exact import same, wide

Array = np.ndarray[Any, Any]
Values = list[tuple[Array, Array]]
Move = Callable[[Array, Array], bool]
FAR = 8  # places that something is moved by at most
COMMON = 0.5  # of the smaller tensor's places, that must be in both
SHOWN_BY = 6  # different values, by which no chance makes a move
AXES = 4  # at most


def how_moved(values: Values) -> str:
    """`: …` of the first move that makes all new values; "" where none does."""
    pairs = [(wide(a), wide(b)) for a, b in values]
    a, b = max(pairs, key=lambda pair: len(np.unique(pair[0].reshape(-1)[:1000])))
    if not 2 <= a.ndim == b.ndim <= AXES or len(np.unique(a.reshape(-1)[:1000])) < SHOWN_BY:
        return ""
    for said, move in _moves(a, b):
        if move(a, b) and all(move(*pair) for pair in pairs):
            return said
    return ""


def _moves(a: Array, b: Array) -> Iterator[tuple[str, Move]]:
    for turns in (1, 2, 3):
        yield f": it is turned by {90 * turns} degrees counter-clockwise", _turned(turns)
    for order in permutations(range(a.ndim)):
        said = f": its axes are in the order {order} of the old ones"
        if tuple(a.shape[i] for i in order) != b.shape:
            said = f": it is reshaped where its axes should be transposed, from {order}"
        yield said, _ordered(order)
    for by in _steps(a, b):
        yield _said(by), partial(_is_moved, by)


def _turned(turns: int) -> Move:
    return lambda a, b: _equal(np.rot90(a, turns), b)


def _ordered(order: tuple[int, ...]) -> Move:
    return lambda a, b: a.size == b.size and _equal(a.transpose(order).reshape(b.shape), b)


def _equal(a: Array, b: Array) -> bool:
    return a.shape == b.shape and bool(same(a, b).all())


def _steps(a: Array, b: Array) -> list[tuple[int, int]]:
    """By how much the first two axes may be moved, the least first."""
    found = [(m, n) for m in _range(a, b, 0) for n in _range(a, b, 1)]
    return sorted(found, key=lambda by: (abs(by[0]) + abs(by[1]), by))


def _range(a: Array, b: Array, axis: int) -> range:
    more = a.shape[axis] - b.shape[axis]
    return range(min(0, more) - FAR, max(0, more) + FAR + 1)


def _is_moved(by: tuple[int, int], a: Array, b: Array) -> bool:
    """Whether new[y, x] is old[y + by[0], x + by[1]], as far as both have such a place."""
    if a.shape[2:] != b.shape[2:]:
        return False
    mine, other = [], []
    for step, old, new in zip(by, a.shape, b.shape, strict=False):
        begin, end = max(0, -step), min(new, old - step)
        if end <= begin:
            return False
        mine.append(slice(begin + step, end + step))
        other.append(slice(begin, end))
    x, y = a[tuple(mine)], b[tuple(other)]
    return x.size >= COMMON * min(a.size, b.size) and _equal(x, y) and _various(x, a)


def _various(part: Array, whole: Array) -> bool:
    """Whether a part has different values, too: zeros behind numbers are equal anywhere."""
    return len(np.unique(part)) >= min(SHOWN_BY, len(np.unique(whole)))


def _said(by: tuple[int, int]) -> str:
    y, x = (f"{name}{step:+d}" if step else name for name, step in zip("yx", by, strict=True))
    return (
        f": its value at [y, x] is the old one's at [{y}, {x}], as where a crop or the padding "
        "begins elsewhere"
    )
