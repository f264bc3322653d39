"""Texts that are the old ones with something before or behind them, or cut off, or the same but
for two things at once."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from queueio.compare.findings.shown import show
from queueio.compare.match.changes import FORMS

Array = np.ndarray[Any, Any]
Texts = list[tuple[bytes, bytes]]
LONGEST = 40  # bytes that are put before or behind
LEAST = 3  # different texts that show it
_NAMED = {
    "carriage-return": "carriage returns",
    "newline": "a newline at the end",
    "whitespace": "white space",
    "case": "upper and lower case",
}


def how_written(values: list[tuple[Array, Array]]) -> str:
    """`: …`, what makes all new texts of the old ones; "" where nothing of this does."""
    if any(a.shape != b.shape for a, b in values):
        return ""
    both = [pair for a, b in values for pair in zip(a.reshape(-1), b.reshape(-1), strict=True)]
    texts = [(a, b) for a, b in both if a != b]
    if len(set(texts)) < LEAST or not all(isinstance(t, bytes) for pair in texts for t in pair):
        return ""
    return _around(texts) or _cut(texts) or _but_for(texts)


def _around(texts: Texts) -> str:
    for side, pairs in (("new", texts), ("old", [(b, a) for a, b in texts])):
        a, b = max(pairs, key=lambda pair: len(pair[0]))
        at = b.find(a) if a else -1
        if at < 0:
            continue
        before, behind = b[:at], b[at + len(a) :]
        if len(before + behind) <= LONGEST and all(y == before + x + behind for x, y in pairs):
            parts = [(before, "before it"), (behind, "behind it")]
            added = " and ".join(f"{show(text)} {where}" for text, where in parts if text)
            return f": each has {added} in the {side} side only"
    return ""


def _cut(texts: Texts) -> str:
    for side, pairs in (("new", texts), ("old", [(b, a) for a, b in texts])):
        length = max(len(b) for _, b in pairs)
        if length and all(b == a[:length] for a, b in pairs):
            return f": each is cut off after {length:,} bytes in the {side} side"
    return ""


def _but_for(texts: Texts) -> str:
    for first, second in combinations(_NAMED, 2):
        one, other = FORMS[first], FORMS[second]
        if all(other(one(a)) == other(one(b)) for a, b in texts):
            return f": they differ in {_NAMED[first]} and {_NAMED[second]} only"
    return ""
