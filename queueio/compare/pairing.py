"""Which component of the old side is which of the new one."""

from __future__ import annotations

from queueio.compare.lockstep import Both
from queueio.compare.scan import MARKED
from queueio.compare.schema import Select

LITTLE, MUCH = 0.1, 0.5


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
        best = max(free, key=lambda j: _overlap(old[index], new[j]))
        if _overlap(old[index], new[best]) > MUCH:
            order[index] = best
            free.discard(best)
    moved = [i for i in lost if order[i] != i]
    if not moved or sorted(order) != list(range(len(old))):
        return None
    return list(range(len(old))), order


def _overlap(a: set[bytes], b: set[bytes]) -> float:
    return len(a & b) / max(1, min(len(a), len(b)))
