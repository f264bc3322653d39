"""What must have been done to values that no relation makes of the old ones: a cast on the way that
does not hold them, numbers that are cut off at a bound, lists that are cut short.

Only what makes all new values of the old ones is said, and only where several show it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from queueio.compare.findings.affixes import how_written
from queueio.compare.findings.filled import are_one_hot, on_the_other_side
from queueio.compare.findings.mixed import at_places, in_channels
from queueio.compare.findings.moved import how_moved
from queueio.compare.findings.renamed import always_alike
from queueio.compare.match.match import Pair
from queueio.compare.reading.exact import same, wide

Array = np.ndarray[Any, Any]
LEAST = 4  # different values that must have changed
CASTS = "int32", "uint8", "int8", "uint16", "int16", "float32", "float16"
ORDERED = "int16", "uint16", "int32", "uint32", "int64", "float32", "float64"
Cause = Callable[[Array, Array], str]
"""What makes all new values of the old ones, to follow "as when"; "" where it does not."""


def how_made(pairs: list[Pair], index: int) -> str:
    """`, as when …` or `: …`, of all pairs' values of a component; "" where nothing explains
    them all."""
    values = [(pair.old.values[index], pair.new.values[index]) for pair in pairs]
    if all(v.dtype == object for both in values for v in both):
        return how_written(values)
    if not all(_numbers(a, b) for a, b in values):
        return ""
    if are_one_hot(pairs, index):
        return _other_label(values) if all(a.shape == b.shape for a, b in values) else ""
    if all(a.shape == b.shape for a, b in values) and (said := _by_numbers(values)):
        return said
    said = how_moved(values) or in_channels(values) or at_places(values)
    return said or always_alike(values)


def how_scaled(pairs: list[Pair], index: int) -> str:
    """The same where all is multiplied by -1, as far as single numbers tell it."""
    return _by_numbers([(pair.old.values[index], pair.new.values[index]) for pair in pairs])


def _by_numbers(values: list[tuple[Array, Array]]) -> str:
    """What was done to each number for itself."""
    if _are_cut_short([(wide(a), wide(b)) for a, b in values]):
        return ", as when lists are cut off before they are padded"
    if said := on_the_other_side(values):
        return said
    old, new = (np.concatenate([v.reshape(-1) for v in side]) for side in zip(*values, strict=True))
    changed = ~same(wide(old), wide(new))
    if len(np.unique(old[changed])) < LEAST:
        return ""
    found = [
        said for cause in (_cast, _sign, _whole, _clipped, _bytes) if (said := cause(old, new))
    ]
    # Of 2.3 both make 2, and what did not change, and would tell, is not among the pairs.
    return f", as when {' or '.join(found)}" if found else ""


def _numbers(a: Array, b: Array) -> bool:
    return a.dtype.kind in "iuf" and b.dtype.kind in "iuf"


def _other_label(values: list[tuple[Array, Array]]) -> str:
    """One-hot labels, each so many classes on; those beyond the depth have no 1."""
    places = [[np.flatnonzero(v) for v in both] for both in values]
    labels = {(int(old[0]), int(new[0])) for old, new in places if len(old) and len(new)}
    moved = {new - old for old, new in labels}
    if len(moved) != 1 or len(labels) < 2:
        return ""
    (by,), depth = moved, len(values[0][0])
    beyond = [int(old[0]) + by if len(old) else int(new[0]) - by
              for old, new in places if len(old) + len(new) == 1]  # fmt: skip
    if any(0 <= place < depth for place in beyond):
        return ""
    done = "added to" if by > 0 else "taken from"
    return f", as where {abs(by)} is {done} each label before one_hot"


def _are_cut_short(values: list[tuple[Array, Array]]) -> bool:
    """Whether each new list is the old one, up to where it is filled with what some of the old
    ones, which are shorter, end in too."""
    ends = {b[-1].item() for _, b in values if b.ndim == 1 and len(b) > 1}
    return (
        len(ends) == 1
        and any(a.ndim == 1 and len(a) and a[-1] in ends for a, _ in values)
        and all(_is_cut_short(a, b) for a, b in values)
    )


def _is_cut_short(a: Array, b: Array) -> bool:
    if a.ndim != 1 or len(a) < 2:
        return False
    differ = np.nonzero(~same(a, b))[0]
    rest = b[differ[0] :]
    return bool((rest == rest[0]).all() and differ[0] > 0)


def _cast(old: Array, new: Array) -> str:
    """Integers through a dtype that does not hold them all."""
    if old.dtype.kind == "f" or new.dtype.kind == "f":
        return ""
    for name in CASTS:
        with np.errstate(all="ignore"):
            made = old.astype(name).astype(old.dtype)
        if bool(same(wide(made), wide(new)).all()):
            return f"they are cast to {name} on the way"
    return ""


def _bytes(old: Array, new: Array) -> str:
    """Numbers whose bytes are in the other order."""
    for name in ORDERED:
        with np.errstate(all="ignore"):
            made = old.astype(name)
            held = bool(same(wide(made.astype(old.dtype)), wide(old)).all())
            if held and bool(same(wide(made.byteswap()), wide(new)).all()):
                return f"the bytes of {name} are read in the other order"
    return ""


def _sign(old: Array, new: Array) -> str:
    made = old.dtype.kind != "u" and bool(same(wide(np.abs(old)), wide(new)).all())
    return "the sign is dropped" if made else ""


def _whole(old: Array, new: Array) -> str:
    """Fractions that are gone, in one of the three ways to lose them."""
    if old.dtype.kind != "f":
        return ""
    ways: dict[str, Callable[[Array], Array]] = {
        "rounded to": np.round,
        "cut to": np.trunc,
        "rounded down to": np.floor,
    }
    for how, function in ways.items():
        if bool(same(wide(function(old)), wide(new)).all()):
            return f"they are {how} whole numbers"
    return ""


def _clipped(old: Array, new: Array) -> str:
    """Bounds that all values keep, and which those that changed have become."""
    x, y = old.astype(np.float64), new.astype(np.float64)
    known = ~np.isnan(x)
    if not known.any() or (np.isnan(y) == known).any():
        return ""
    x, y = x[known], y[known]
    if not bool((np.clip(x, y.min(), y.max()) == y).all()):
        return ""
    low, high = (y > x).any(), (y < x).any()
    bounds = [f"at least {y.min():g}"] * bool(low) + [f"at most {y.max():g}"] * bool(high)
    return f"they are clipped to {' and '.join(bounds)}"
