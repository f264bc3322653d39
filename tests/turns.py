"""Cases that take turns: those that a generator chose, tables of everything in every form, and
tests that take long.

One run of the suite tries a third of the cases, the run of the next day the next third, and of the
tests marked `long` another third: so each is tried every third to fifth day, each long test with
each third of the cases in nine days, and a run takes minutes. `TESTS_TURN=all` tries all of them,
and `TESTS_TURN=0` to `8` what one of these days does. A test that is named, by itself or by its
file, is tried on any day, however long it takes.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable
from typing import TypeVar

TESTS, LONG = "TESTS_TURN", "TESTS_LONG"
ALL, SOME = "all", "some"
PARTS = 3
T = TypeVar("T")


def settle() -> str:
    """Says for this process and those that it starts which turn it is, if nobody has: today's."""
    return os.environ.setdefault(TESTS, str(datetime.date.today().toordinal() % PARTS**2))


def by_turns(cases: Iterable[T], ahead: int = 0) -> list[T]:
    """The cases whose turn it is, in their order.

    Args:
      cases: in an order that stays.
      ahead: which third this is, counted from that of the run. Where cases are tried in several
        ways, each way takes another third, so that a run tries every case in some way.
    """
    return [case for number, case in enumerate(cases) if has_its_turn(number, ahead)]


def has_its_turn(number: int, ahead: int = 0) -> bool:
    """Whether it is the turn of the case of this number, as `by_turns` counts them."""
    turn = settle()
    return turn == ALL or (number - int(turn) - ahead) % PARTS == 0


def takes_its_turn(number: int) -> bool:
    """Whether the long test of this number is tried; all are where tests are named."""
    turn = settle()
    if turn == ALL or os.environ.get(LONG) == ALL:
        return True
    return has_its_turn(number, ahead=int(turn) // PARTS)
