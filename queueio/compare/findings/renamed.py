"""Components each value of which has become another one, always the same: classes that are numbered
otherwise, a truth value that is inverted, a default that is another."""

from __future__ import annotations

from typing import Any

import numpy as np

from queueio.compare.findings.case import Case
from queueio.compare.findings.shown import show
from queueio.compare.findings.steps import Places, out_of_step
from queueio.compare.match.match import Pair

SHOWN = 6  # values that are named
MOST = 1_000_000  # values that are looked at
OFTEN = 4  # times that each value comes on average, by which chance has made no such rule


def renamed(case: Case, pairs: list[Pair], index: int, at: Places) -> bool:
    """Whether a rule has made the new values, and no exchange between examples.

    Of two values each becomes the other, however they are exchanged: but not in every example. And
    where classes come in turn, out of step they follow such a rule, too.
    """
    found = _became(pairs, index)
    many = len(found) > 2 or case.difference.lacking == case.old.examples
    often = len(pairs) >= OFTEN * len(found)
    return bool(found) and many and often and not out_of_step(pairs, index, at)


def in_words(pairs: list[Pair], index: int) -> str:
    """`: 0 became 1, 1 became 0`, of numbers or texts that changed; "" where one became several,
    or there are too many."""
    both = [(pair.old.values[index], pair.new.values[index]) for pair in pairs]
    found, often = _each_became(both)
    changed = [(a, b) for a, b in found if not (a == b or a != a)]
    if not 0 < len(changed) <= SHOWN or often < 2 * len(found):
        return ""
    return ": " + ", ".join(sorted(f"{show(a)} became {show(b)}" for a, b in changed))


def always_alike(values: list[tuple[Any, Any]]) -> str:
    """The same of more values, which are not named."""
    found, often = _each_became(values)
    if len(found) <= SHOWN or often < OFTEN * len(found):
        return ""
    return f": each of its {len(found):,} values has become the same one wherever it stands"


def _each_became(both: list[tuple[Any, Any]]) -> tuple[list[tuple[Any, Any]], int]:
    """What each of the old values has become, wherever it stands, and how many stand there; nothing
    where one has become several."""
    if any(a.shape != b.shape for a, b in both):
        return [], 0
    old, new = (np.concatenate([v.reshape(-1) for v in side]) for side in zip(*both, strict=True))
    if len(old) > MOST or {old.dtype.kind, new.dtype.kind} - set("biufO"):
        return [], 0
    a, first, of_old = np.unique(old, return_index=True, return_inverse=True)
    _, of_new = np.unique(new, return_inverse=True)
    if len(np.unique(np.stack([of_old, of_new]), axis=1).T) > len(a):
        return [], 0
    return [*zip(a.tolist(), new[first].tolist(), strict=True)], len(old)


def _became(pairs: list[Pair], index: int) -> dict[bytes, tuple[Any, Any]]:
    """The new value of each old one, by its digest; none where one has several."""
    parts: dict[bytes, bytes] = {}
    values: dict[bytes, tuple[Any, Any]] = {}
    for pair in pairs:
        old, new = pair.old.values[index], pair.new.values[index]
        part = pair.old.parts[index]
        if old.size != 1 or new.size != 1:
            return {}
        if parts.setdefault(part, pair.new.parts[index]) != pair.new.parts[index]:
            return {}
        values[part] = old.reshape(-1)[0], new.reshape(-1)[0]
    return values
