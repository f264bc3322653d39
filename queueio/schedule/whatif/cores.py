"""How fast works go on beside one another: they share cores, and the interpreter's lock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Load(NamedTuple):
    """What a thread is busy with.

    Attributes:
      cores: that it keeps busy: 0 while it sleeps.
      python: whether it holds the interpreter's lock meanwhile.
    """

    cores: float
    python: bool = False


def speeds(loads: Sequence[Load], cores: float) -> list[float]:
    """How fast each goes on; 1 is as if it were alone.

    Args:
      loads: those that go on now. All that want the interpreter's lock get it in turns, and keep
        no more cores busy than one of them would.
      cores: there are, shared evenly where too many are wanted.

    Returns:
      A list of floats in (0, 1], one for each.
    """
    turns = max(1, sum(load.python and load.cores > 0 for load in loads))
    wanted = sum(load.cores / (turns if load.python else 1) for load in loads)
    share = min(1.0, cores / wanted) if wanted else 1.0
    return [_speed(load, turns, share) for load in loads]


def _speed(load: Load, turns: int, share: float) -> float:
    if not load.cores:
        return 1.0
    return share / turns if load.python else share
