"""Counterparts: of examples by the change that most pairs share, of components by their values.

The change, applied to an old example, gives the new one. Matching by nearness looks at some
hundreds of examples, and mistakes those that are alike. Once the change is known, all others are
found by what it makes of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from queueio.compare.match.change import Change
from queueio.compare.reading.exact import base_of, beyond
from queueio.compare.reading.fetch import Example
from queueio.compare.reading.lockstep import Both
from queueio.compare.reading.scan import MARKED
from queueio.compare.sides.schema import Select

Array = np.ndarray[Any, Any]
Feature = Callable[[Array], Array]
SAME = "same"
TRIED = 8  # neighbours by projection
LITTLE, MUCH = 0.1, 0.5  # overlap of the values of two components


def usual(changes: list[list[Change]]) -> list[Change] | None:
    """The change of each component that more than half of the pairs share, if one is no equality.

    Args:
      changes: of each pair, those of its components.
    """
    found = []
    for column in zip(*changes, strict=True):
        (kind, amount), count = Counter((c.kind, c.amount) for c in column).most_common(1)[0]
        if 2 * count <= len(column) or kind not in (SAME, *_MAKE):
            return None
        found.append(Change(kind, amount))
    return found if any(c.kind != SAME for c in found) else None


def counterparts(
    old: list[Example], new: list[Example], changes: list[Change], feature: Feature
) -> list[tuple[Example, Example]]:
    """Pairs of which the new example has the features that the changes make of the old one's."""
    try:
        made = [
            [_made(v, c) for v, c in zip(e.values, changes, strict=True)] for e in old
        ]  # fmt: skip
    except (ValueError, IndexError):  # of another rank than those that showed the change
        return []
    a, b = (_rows(side, feature) for side in _from_base(made, [e.values for e in new]))
    if a.shape[1] != b.shape[1]:
        return []
    return [(old[i], new[j]) for i, j in _equal(a, b)]


def _from_base(made: list[list[Array]], new: list[list[Array]]) -> tuple[list[list[Array]], ...]:
    """The values of both sides; integers that floats do not hold, from the least of them on."""
    bases = [base_of(column) for column in zip(*made, *new, strict=False)]
    return tuple([[beyond(v, b) for v, b in zip(e, bases, strict=False)] for e in side]
                 for side in (made, new))  # fmt: skip


def _made(value: Array, change: Change) -> Array:
    return value if change.kind == SAME else _MAKE[change.kind](value, change.amount)


def _flipped(value: Array, direction: str) -> Array:
    named = {"top to bottom": 0, "left to right": 1}
    axis = named[direction] if direction in named else int(direction.rpartition(" ")[2])
    return np.flip(value, axis)


_MAKE: dict[str, Callable[[Array, Any], Array]] = {
    "scale": lambda v, factor: v * factor,
    "offset": lambda v, by: v + by,
    "linear": lambda v, amount: v * amount[0] + amount[1],
    "channels": lambda v, _: v[..., ::-1],
    "transposed": lambda v, axes: v.swapaxes(*axes),
    "flipped": _flipped,
}


def _rows(values: list[list[Array]], feature: Feature) -> Array:
    rows = [np.concatenate([feature(v) for v in each]) for each in values]
    out = np.zeros((len(rows), max(map(len, rows))))
    for row, found in zip(out, rows, strict=True):
        row[: len(found)] = np.nan_to_num(found)
    return out


def _equal(a: Array, b: Array) -> list[tuple[int, int]]:
    """Rows that are equal but for rounding, by a projection that few others share."""
    scale = np.abs(b).max(axis=0)
    direction = np.random.default_rng(0).normal(size=a.shape[1]) / np.where(scale, scale, 1)
    places = b @ direction
    order = np.argsort(places)
    starts = np.searchsorted(places[order], a @ direction) - TRIED
    free: Array = np.ones(len(b), bool)
    found = []
    for i, start in enumerate(np.maximum(0, starts).tolist()):
        near = [j for j in order[start : start + 2 * TRIED].tolist() if free[j]]
        fits = [j for j in near if np.allclose(a[i], b[j], 1e-4, 1e-4 * scale.max(initial=0))]
        if fits:
            found.append((i, fits[0]))
            free[fits[0]] = False
    return found


def by_content(both: Both) -> Select | None:
    """Another order of the new side's components, if their values show it; else None.

    Components are moved to where all their values are found, as often; else only those of little
    overlap with their counterpart, and only to where most of their values are found.
    """
    old, new = both.old.marks, both.new.marks
    if len(old) != len(new) or len(old) < 2:
        return None
    return _by_all_values(both) or _by_all_marks(both) or _by_overlap(old, new)


def _by_all_values(both: Both) -> Select | None:
    """The order in which all components have the same values equally often, if it is another."""
    old, new = ([s.tobytes() for s in scan.sums] for scan in (both.old, both.new))
    if len(set(old)) < len(old) or sorted(old) != sorted(new) or old == new:
        return None
    return list(range(len(old))), [new.index(s) for s in old]


def _by_all_marks(both: Both) -> Select | None:
    """The same where the dtypes differ, so that the sums tell nothing; of short streams."""
    if max(both.old.examples, both.new.examples) > MARKED:
        return None
    old, new = ([frozenset(m) for m in scan.marks] for scan in (both.old, both.new))
    if len(set(old)) < len(old) or set(old) != set(new) or old == new:
        return None
    return list(range(len(old))), [new.index(marks) for marks in old]


def _by_overlap(old: list[set[bytes]], new: list[set[bytes]]) -> Select | None:
    lost = [i for i in range(len(old)) if _overlap(old[i], new[i]) < LITTLE]
    free = set(lost)
    order = list(range(len(old)))
    for index in lost:
        best = max(free, key=lambda j: _common(old[index], new[j]))
        if _common(old[index], new[best]) > MUCH:
            order[index] = best
            free.discard(best)
    moved = [i for i in lost if order[i] != i]
    if not moved or sorted(order) != list(range(len(old))):
        return None
    return list(range(len(old))), order


def _overlap(a: set[bytes], b: set[bytes]) -> float:
    return len(a & b) / max(1, min(len(a), len(b)))


def _common(a: set[bytes], b: set[bytes]) -> float:
    """The share that both have of the larger one: a few classes are found among any numbers."""
    return len(a & b) / max(1, len(a), len(b))
