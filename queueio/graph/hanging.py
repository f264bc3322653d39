"""What is known of a graph, or of one of its ops, hangs on that, and goes when it goes.

A table of ours that holds its ops would keep it alive, and a program that builds a graph for each
round of training and evaluation would fill the memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Kept = TypeVar("Kept")


def hanging(on: Any, name: str, make: Callable[[], Kept]) -> Kept:
    """What hangs on a graph or an op under `name`, made where there is nothing yet."""
    attribute = f"_queueio_{name}"
    found: Kept | None = getattr(on, attribute, None)
    if found is None:
        found = make()
        setattr(on, attribute, found)
    return found
