"""Which differing example of the old side is which of the new side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from queueio.compare.match.change import SAME, Change, Tolerance
from queueio.compare.match.changes import before_padding, change_of
from queueio.compare.match.counterparts import counterparts, usual
from queueio.compare.match.nearest import NEAREST, Pairing, features, nearest, table
from queueio.compare.match.relations import scaled
from queueio.compare.match.rounding import BFLOAT16, ROUNDED, SHOWN_BY
from queueio.compare.match.ways import (
    by_all_components,
    by_component,
    by_form,
    by_key,
    by_position,
    by_sorted,
)
from queueio.compare.reading.exact import differs, wide
from queueio.compare.reading.fetch import Example

Array = np.ndarray[Any, Any]
Way = Callable[[list[Example], list[Example]], Pairing]
SURE = ("key", "component", "change")  # how examples are paired by more than their likeness
LEAST_STEPS = 8
_ROUNDED = ("tolerance", "float-difference")


@dataclass
class Pair:
    """Two examples taken for one, and what changed in each component."""

    old: Example
    new: Example
    how: str  # key, component, position, nearest, change
    changes: list[Change]

    @property
    def score(self) -> float:
        """Between 0 (nothing in common) and 1; named changes count nearly as equality."""
        return sum(_worth(c) for c in self.changes) / max(1, len(self.changes))

    @property
    def rounded(self) -> bool:
        """Whether all that differs is rounding: examples that are so near are one."""
        return all(map(_is_rounding, self.changes))


def _is_rounding(change: Change) -> bool:
    """Of a few values, those of another example may be as near as bfloat16 rounds."""
    if change.amount == BFLOAT16 and change.total < SHOWN_BY:
        return False
    return change is SAME or change.kind in _ROUNDED


def _worth(change: Change) -> float:
    if change is SAME or change.kind == "tolerance":
        return 1.0
    if change.named:
        return 0.8
    return 0.7 * max(0.0, 1 - change.differing / max(1, change.total))


def match(
    old: list[Example], new: list[Example], tolerance: Tolerance, aligned: bool = False
) -> list[Pair]:
    """Pairs the examples; each is in one pair at most, and pairs without likeness are dropped.

    By the readers' key where both have one; else by the way that explains most: equal components
    (of those left over, the nearest), the order in the streams, the nearest values, the nearest
    sorted values (which a transposition leaves alone), texts of one form. `aligned`: the streams
    agree elsewhere, so that examples at one place are one example, however they differ.
    """
    if old and new and old[0].key is not None and new[0].key is not None:
        ways: list[Way] = [by_key]
    else:
        ways = [by_component, by_all_components, by_position, nearest, by_sorted, by_form]
    best: list[Pair] = []
    best_score = 0.0
    known: dict[tuple[int, int], list[Change]] = {}  # several ways find the same pairs
    for way in ways:
        pairs = []
        for a, b, how in way(old, new):
            if (both := (id(a), id(b))) not in known:
                known[both] = _changes(a, b, tolerance)
            pairs.append(Pair(a, b, how, list(known[both])))
        _doubt_factors(pairs, aligned)
        kept = [p for p in pairs if _credible(p, aligned)]
        score = sum(p.score for p in kept)
        if score > best_score + 1e-9 or (len(kept) > len(best) and score >= best_score):
            best, best_score = kept, score
        if kept and score >= 0.95 * min(len(old), len(new)):
            break
    return _by_usual_change(best, old, new, tolerance, aligned)


def _by_usual_change(
    pairs: list[Pair], old: list[Example], new: list[Example], tolerance: Tolerance, aligned: bool
) -> list[Pair]:
    """Where most pairs share a change: those that show it, and what it makes of all others."""
    changes = usual([p.changes for p in pairs])
    if changes is None:
        return pairs
    kinds = [c.kind for c in changes]
    sure = [p for p in pairs if [c.kind for c in p.changes] == kinds]
    taken = {id(e) for p in sure for e in (p.old, p.new)}
    rest = [e for e in old if id(e) not in taken], [e for e in new if id(e) not in taken]
    if not all(rest):
        return pairs
    made = counterparts(rest[0], rest[1], changes, features)
    found = sure + [Pair(a, b, "change", _changes(a, b, tolerance)) for a, b in made]
    if len(found) <= len(sure):
        return pairs
    _doubt_factors(found, aligned)
    taken = {id(e) for p in found for e in (p.old, p.new)}
    return found + [p for p in pairs if taken.isdisjoint((id(p.old), id(p.new)))]


def in_step(old: list[Example], new: list[Example]) -> bool:
    """Whether examples at one place are clearly more alike than those beside one another.

    By how each differs from the one before: any two lists of ascending numbers are alike.
    """
    places = {e.position: e for e in new}
    here = [(e, places[e.position]) for e in old[:NEAREST] if e.position in places]
    if len(here) < max(LEAST_STEPS, min(len(old), len(new), NEAREST) // 2):
        return False
    both = table([a for a, _ in here], [b for _, b in here], features)
    a, b = (np.diff(rows, axis=0) for rows in both)
    beside = (np.abs(a[1:] - b[:-1]).mean() + np.abs(a[:-1] - b[1:]).mean()) / 2
    return bool(np.abs(a - b).mean() < 0.7 * beside - 1e-9)


def _credible(pair: Pair, aligned: bool) -> bool:
    if pair.how == "key" or (aligned and pair.old.position == pair.new.position):
        return True
    return pair.score >= 0.4


def _changes(old: Example, new: Example, tolerance: Tolerance) -> list[Change]:
    """What changed in each component."""
    both = zip(old.values, new.values, old.parts, new.parts, strict=False)
    changes = [SAME if p == q else change_of(a, b, tolerance) for a, b, p, q in both]
    for index, (mine, other) in enumerate(zip(old.parts, new.parts, strict=False)):
        if changes[index] is SAME and mine != other:  # sparse or ragged: of equal values in a row
            changes[index] = Change("places")
    return changes


def _doubt_factors(pairs: list[Pair], aligned: bool) -> None:
    """A factor or offset counts if most pairs, and three at least, share it: any pair has one.

    Numbers that were paired by their own order have one too. So where nothing else paired the
    examples, each has to show it by itself, by several values.
    """
    width = max((len(p.changes) for p in pairs), default=0)
    sure = 2 * sum(p.how in SURE or (aligned and p.how == "position") for p in pairs) > len(pairs)
    for index in range(width):
        mine = [p for p in pairs if p.changes[index] is not SAME]
        for pair in [] if sure else mine:
            if pair.changes[index].kind in _FREE and pair.changes[index].total < _SHOWN_ALONE:
                pair.changes[index] = _plain(pair.changes[index])
        if mine and not (sure and _shared(mine, index)):
            _by_most(mine, index)


def _shared(mine: list[Pair], index: int) -> bool:
    """Gives all pairs the relation that they show together: a label alone, or a short list, is
    too small to show one."""
    if not any(_may_follow(p.changes[index]) for p in mine):
        return False
    values = [(_wide(p.old.values[index]), _wide(p.new.values[index])) for p in mine]
    if len(mine) < 3 or any(v.dtype.kind not in "biuf" for pair in values for v in pair):
        return False
    if any(a.shape != b.shape for a, b in values):
        return False
    x, y = (np.concatenate([v.reshape(-1) for v in s]) for s in zip(*values, strict=True))
    change = scaled(x, y)
    if change is None or len(np.unique(x)) < _SHOWN_BY[change.kind]:
        return False
    for pair, (a, b) in zip(mine, values, strict=True):
        pair.changes[index] = replace(change, differing=int(differs(a, b).sum()), total=a.size)
    return True


def _may_follow(change: Change) -> bool:
    """Whether a relation may have made the change: no other name says more of it."""
    little = change.kind == "float-difference" and change.error > ROUNDED
    return little or not change.named or change.kind in _FREE


def _wide(array: Array) -> Array:
    return array if array.dtype == object else wide(array)


_SHOWN_ALONE = 4  # values
_SHOWN_BY = {"scale": 3, "offset": 3, "linear": 6}  # different values


def _by_most(mine: list[Pair], index: int) -> None:
    """Keeps a relation that nearly all pairs show, each for itself."""
    usual = Counter((p.changes[index].kind, p.changes[index].amount) for p in mine)
    (kind, amount), _ = usual.most_common(1)[0]
    if kind not in _FREE:
        kind, amount = _FREE[0], float("nan")
    near = {a for k, a in usual if k == kind and _near(kind, a, amount)}
    showing = [p for p in mine if p.changes[index].kind == kind and p.changes[index].amount in near]
    short = [p for p in mine if showing and _is_filled(p, index, kind, amount)]
    enough = len(showing) >= 3 and len(showing) + len(short) >= 0.8 * len(mine)
    kept = enough and _is_shown(showing, index, kind)
    alike = {id(pair) for pair in short}
    for pair in mine:
        change = pair.changes[index]
        if kept and change.kind == kind and change.amount in near:
            pair.changes[index] = replace(change, amount=amount)
        elif kept and id(pair) in alike:
            pair.changes[index] = replace(change, kind=kind, amount=amount, filled=True)
        elif change.kind in _FREE and not _shown_alone(pair, index):
            pair.changes[index] = _plain(change)


def _is_filled(pair: Pair, index: int, kind: str, amount: Any) -> bool:
    """Whether a list of one number, which shows no offset by itself, has it before its padding."""
    mine = pair.changes[index]
    free = mine.kind in _FREE and not _shown_alone(pair, index)
    if kind != "offset" or (mine.named and not free):
        return False
    old, new = _wide(pair.old.values[index]), _wide(pair.new.values[index])
    if object in (old.dtype, new.dtype) or before_padding(old, new) != 1:
        return False
    return bool(np.isclose(float(new[0]) - float(old[0]), amount, rtol=2e-3))


_FREE = ("scale", "offset", "linear")
_DIFFERENT = {
    "scale": 2,
    "offset": 2,
    "linear": 3,
}  # values that differ, by which one pair shows it


def _shown_alone(pair: Pair, index: int) -> bool:
    """Whether a pair shows its own relation: one number among zeros has a factor each time."""
    change, old, new = pair.changes[index], pair.old.values[index], pair.new.values[index]
    if change.total < _SHOWN_ALONE or old.shape != new.shape:
        return change.total >= _SHOWN_ALONE
    return len(np.unique(old[differs(old, new)])) >= _DIFFERENT[change.kind]


def _is_shown(pairs: list[Pair], index: int, kind: str) -> bool:
    """Whether pairs show a relation: labels of one class that became those of another have the same
    factor each time, and show none."""
    if kind not in _FREE or any(p.changes[index].total >= _SHOWN_ALONE for p in pairs):
        return True
    return len({p.old.parts[index] for p in pairs}) >= _SHOWN_BY[kind]


def _near(kind: str, a: Any, b: Any) -> bool:
    """Whether two amounts are one but for rounding; a factor near one counts by what it adds."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return all(abs(x - y) <= 2e-3 * max(map(abs, b)) for x, y in zip(a, b, strict=True))
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    size = min(abs(b), abs(b - 1)) if kind == "scale" else abs(b)
    return bool(abs(a - b) <= 2e-3 * size)


def _plain(change: Change) -> Change:
    return Change("values", None, change.differing, change.total, change.error)
