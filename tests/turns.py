"""Cases that take turns: those that a generator chose, and tables of everything in every form.

One run of the suite tries a third of them, the run of the next day the next third. So they are
all tried every three days, and a run takes minutes. `TESTS_TURN=all` tries all of them, and
`TESTS_TURN=0`, `1` or `2` one third whatever the day.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable
from typing import TypeVar

TESTS = "TESTS_TURN"
ALL = "all"
PARTS = 3
T = TypeVar("T")


def settle() -> str:
    """Says for this process and those that it starts which third it is, if nobody has: today's."""
    return os.environ.setdefault(TESTS, str(datetime.date.today().toordinal() % PARTS))


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
    part = settle()
    return part == ALL or (number - int(part) - ahead) % PARTS == 0
