"""Which differing example of the old side is which of the new side."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from queueio.compare.example import Example
from queueio.compare.explain import SAME, Change, Tolerance, explain

Array = np.ndarray[Any, Any]
NEAREST = 512


@dataclass
class Pair:
    """Two examples taken for one, and what changed in each component."""

    old: Example
    new: Example
    how: str  # key, component, position, nearest
    changes: list[Change]

    @property
    def score(self) -> float:
        """Between 0 (nothing in common) and 1; named changes count nearly as equality."""
        return sum(_worth(c) for c in self.changes) / max(1, len(self.changes))


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
    sorted values (which a transposition leaves alone). `aligned`: the streams agree elsewhere, so
    that examples at one place are one example, however they differ.
    """
    if old and new and old[0].key is not None and new[0].key is not None:
        ways = [_by_key]
    else:
        ways = [_by_component, _by_position, _by_nearest, _by_sorted]
    best: list[Pair] = []
    best_score = 0.0
    for way in ways:
        pairs = [_pair(a, b, how, tolerance) for a, b, how in way(old, new)]
        _doubt_factors(pairs)
        kept = [p for p in pairs if _credible(p, aligned)]
        score = sum(p.score for p in kept)
        if score > best_score + 1e-9 or (len(kept) > len(best) and score >= best_score):
            best, best_score = kept, score
        if kept and score >= 0.95 * min(len(old), len(new)):
            break
    return best


def _credible(pair: Pair, aligned: bool) -> bool:
    if pair.how == "key" or (aligned and pair.old.position == pair.new.position):
        return True
    return pair.score >= 0.4


def _pair(old: Example, new: Example, how: str, tolerance: Tolerance) -> Pair:
    both = zip(old.values, new.values, old.parts, new.parts, strict=False)
    changes = [SAME if p == q else explain(a, b, tolerance) for a, b, p, q in both]
    return Pair(old, new, how, changes)


def _doubt_factors(pairs: list[Pair]) -> None:
    """A factor or offset counts if most pairs, and three at least, share it: any pair has one."""
    width = max((len(p.changes) for p in pairs), default=0)
    for index in range(width):
        mine = [p for p in pairs if p.changes[index] is not SAME]
        if not mine:
            continue
        usual = Counter((p.changes[index].kind, p.changes[index].amount) for p in mine)
        (kind, amount), _ = usual.most_common(1)[0]
        if kind not in _FREE:
            kind, amount = _FREE[0], float("nan")
        near = {a for k, a in usual if k == kind and _near(a, amount)}
        many = sum(usual[kind, a] for a in near)
        for pair in mine:
            change = pair.changes[index]
            if change.kind == kind and change.amount in near and many >= max(3, 0.8 * len(mine)):
                pair.changes[index] = replace(change, amount=amount)
            elif change.kind in _FREE and change.total < 4:
                pair.changes[index] = _plain(change)


_FREE = ("scale", "offset")


def _near(a: float, b: float) -> bool:
    return abs(a - b) <= 2e-3 * abs(b)


def _plain(change: Change) -> Change:
    return Change("values", None, change.differing, change.total, change.error)


Way = Callable[[list[Example], list[Example]], list[tuple[Example, Example, str]]]


def _by_key(old: list[Example], new: list[Example]) -> list[tuple[Example, Example, str]]:
    waiting: dict[str | None, list[Example]] = defaultdict(list)
    for example in reversed(new):
        waiting[example.key].append(example)
    return [(a, waiting[a.key].pop(), "key") for a in old if waiting.get(a.key)]


def _by_component(old: list[Example], new: list[Example]) -> list[tuple[Example, Example, str]]:
    """Equal components, the most telling first: the one with most different values."""
    width = len(old[0].parts) if old else 0
    variety = [len({e.parts[i] for e in old if i < len(e.parts)}) for i in range(width)]
    pairs: list[tuple[Example, Example, str]] = []
    left, right = list(old), list(new)
    for index in sorted(range(width), key=lambda i: -variety[i]):
        if variety[index] * 2 < len(old) and len(old) > 8:
            continue  # a label of ten classes tells nobody apart
        groups: dict[bytes, list[Example]] = defaultdict(list)
        for example in right:
            if index < len(example.parts):
                groups[example.parts[index]].append(example)
        rest = []
        for a in left:
            group = groups.get(a.parts[index])
            if not group:
                rest.append(a)
                continue
            b = max(
                group, key=lambda e: sum(p == q for p, q in zip(a.parts, e.parts, strict=False))
            )
            group.remove(b)
            pairs.append((a, b, "component"))
        taken = {id(b) for _, b, _ in pairs}
        left, right = rest, [b for b in right if id(b) not in taken]
    return pairs + _by_nearest(left, right)


def _by_position(old: list[Example], new: list[Example]) -> list[tuple[Example, Example, str]]:
    if len(old) == len(new):
        return [(a, b, "position") for a, b in zip(old, new, strict=True)]
    places = {b.position: b for b in new}
    return [(a, places[a.position], "position") for a in old if a.position in places]


def _by_nearest(old: list[Example], new: list[Example]) -> list[tuple[Example, Example, str]]:
    return _nearest(old, new, _features)


def _by_sorted(old: list[Example], new: list[Example]) -> list[tuple[Example, Example, str]]:
    return _nearest(old, new, lambda array: np.sort(_features(array)))


def _nearest(
    old: list[Example], new: list[Example], feature: Callable[[Array], Array]
) -> list[tuple[Example, Example, str]]:
    old, new = old[:NEAREST], new[: 4 * NEAREST]
    if not old or not new:
        return []
    a, b = _matrix(old, feature), _matrix(new, feature)
    width = min(a.shape[1], b.shape[1])
    a, b = _standard(a[:, :width]), _standard(b[:, :width])
    distance = np.stack([np.abs(b - row).mean(axis=1) for row in a])
    pairs = []
    for flat in np.argsort(distance, axis=None, kind="stable")[: 64 * len(old)].tolist():
        i, j = divmod(flat, len(new))
        if np.isfinite(distance[i, j]):
            pairs.append((old[i], new[j], "nearest"))
            distance[i, :] = np.inf
            distance[:, j] = np.inf
    return pairs


def _matrix(examples: list[Example], feature: Callable[[Array], Array]) -> Array:
    rows = [np.concatenate([feature(v) for v in e.values] or [np.zeros(0)]) for e in examples]
    width = min(1024, max(map(len, rows)))
    out = np.zeros((len(rows), width))
    for row, values in zip(out, rows, strict=True):
        row[: len(values)] = values[:width]
    return out


def _standard(matrix: Array) -> Array:
    """Centred and scaled by the whole matrix, so that a factor makes no distance."""
    matrix = np.nan_to_num(matrix, posinf=0, neginf=0)
    spread = matrix.std()
    return (matrix - matrix.mean()) / (spread or 1.0)


def _features(array: Array) -> Array:
    """Numbers as they are; of strings the first bytes and the length."""
    if array.dtype != object:
        return np.real(array).astype(np.float64).reshape(-1)[:512]
    rows = []
    for text in array.reshape(-1).tolist()[:16]:
        raw = text if isinstance(text, bytes) else str(text).encode()
        padded = raw[:24].ljust(24, b"\0")
        rows.append(np.frombuffer(padded, np.uint8).astype(np.float64))
    return np.concatenate(rows) if rows else np.zeros(0)
