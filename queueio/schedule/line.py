"""A schedule as a line of text: who took each step, and whose names the letters are.

    q1:5f0c:A3BA2C12        version : fingerprint of the actors : turns

A is the main thread, the others follow in the order in which they were started (…, Z, Aa, Ab, …); a
number says how many steps in a row. When the turns are used up, all that can go on take turns.
"""

from __future__ import annotations

import hashlib
import itertools
import re
import string
from collections.abc import Iterable, Sequence

from queueio.errors import message

VERSION = "q1"
MOST = 1_000_000
"""Turns that a line may have."""
_LINE = re.compile(r"(\w+):([0-9a-f]{4}|):((?:[A-Z][a-z]*\d*)*)")
_TURN = re.compile(r"([A-Z][a-z]*)(\d*)")


def letter(number: int) -> str:
    """The letter of the actor that was started as `number`-th, from 0: A, B, …, Z, Aa, …"""
    rest, first = divmod(number, 26)
    return string.ascii_uppercase[first] + (_tail(rest - 1) if rest else "")


def _tail(number: int) -> str:
    rest, last = divmod(number, 26)
    return (_tail(rest - 1) if rest else "") + string.ascii_lowercase[last]


def place_of(actor: str) -> tuple[int, str, str]:
    """The place of a letter in the order of start, to sort by."""
    return len(actor), actor[1:], actor[:1]


def fingerprint(names: Sequence[str]) -> str:
    """Four digits that stand for the names of the actors, in the order of their start."""
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:4]


def to_line(turns: Iterable[str], names: Sequence[str]) -> str:
    """The line of a schedule.

    Args:
      turns: the letter of each step's actor.
      names: of all actors, in the order of their start.
    """
    turns = list(turns)
    runs = ((actor, len(list(steps))) for actor, steps in itertools.groupby(turns))
    text = "".join(f"{actor}{count if count > 1 else ''}" for actor, count in runs)
    return f"{VERSION}:{fingerprint(named(turns, names)) if turns else ''}:{text}"


def named(turns: Iterable[str], names: Sequence[str]) -> list[str]:
    """The names of the actors up to the last one that has a turn."""
    letters = {letter(number): number for number in range(len(names))}
    return list(names[: max((letters[turn] + 1 for turn in turns), default=0)])


def from_line(text: str) -> tuple[list[str], str]:
    """The turns of a line, and the fingerprint of its actors.

    Raises:
      ValueError: it is no line of a schedule, or one of another version.
    """
    found = _LINE.fullmatch(text.strip())
    if found is None:
        raise ValueError(
            message(
                f"{text!r} is no schedule",
                do=f"Give a line as explore prints it: {VERSION}:5f0c:A3BA2C12.",
            )
        )
    if found[1] != VERSION:
        raise ValueError(
            message(
                f"the schedule is of version {found[1]}, and this queueio reads {VERSION}",
                do="Explore the script anew.",
            )
        )
    runs = [(actor, _number(count)) for actor, count in _TURN.findall(found[3])]
    if sum(count for _, count in runs) > MOST:
        raise ValueError(
            message(
                f"{text[:80]!r} has more than {MOST:,} turns",
                "each of them is kept",
                "Write as many as the run has steps.",
            )
        )
    return [actor for actor, count in runs for _ in range(count)], found[2]


def _number(digits: str) -> int:
    """How many turns; of a number with very many digits, which Python does not read, too many."""
    return int(digits or 1) if len(digits) < 10 else MOST + 1
