"""A change of one value, by name, and how far values may differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Tolerance:
    """How far floats may differ: |old - new| <= atol + rtol * |old|. All else is exact."""

    rtol: float = 0.0
    atol: float = 0.0


@dataclass(frozen=True)
class Change:
    """A named change of one value; `amount` tells changes of one kind apart (a factor, axes)."""

    kind: str
    amount: Any = None
    differing: int = 0  # values that differ
    total: int = 0
    error: float = 0.0  # the largest relative difference, for floats
    filled: bool = False  # but for what both lists are filled up with, which is the same

    @property
    def named(self) -> bool:
        """Whether the change has a name beyond 'some values differ'."""
        return self.kind != "values"


SAME = Change("same")
