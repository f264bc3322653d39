"""Components each value of which has become another one, always the same: classes that are numbered
otherwise, a truth value that is inverted, a default that is another."""

from __future__ import annotations

from typing import Any

from queueio.compare.findings.case import Case
from queueio.compare.findings.shown import show
from queueio.compare.findings.steps import Places, out_of_step
from queueio.compare.match.match import Pair

SHOWN = 6  # values that are named
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
    """`: 0 became 1, 1 became 0`; "" where a value became several, or there are too many."""
    found = _became(pairs, index)
    if not 0 < len(found) <= SHOWN or len(pairs) < 2 * len(found):
        return ""
    return ": " + ", ".join(sorted(f"{show(a)} became {show(b)}" for a, b in found.values()))


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
