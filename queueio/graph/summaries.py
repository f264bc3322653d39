"""What the summaries of queues are called: each tells how full its queue is."""

from __future__ import annotations

from numbers import Real
from typing import Any


def fraction_full(capacity: Any) -> str:
    """The tag of a queue's size as a fraction of its capacity.

    Args:
      capacity: of the queue, as its caller gave it.
    """
    return f"fraction_of_{_whole(capacity)}_full"


def fraction_over(least: Any, capacity: Any) -> str:
    """The tag of how much of the room above `least` is filled.

    Args:
      least: min_after_dequeue.
      capacity: of the queue, as its caller gave it.
    """
    return f"fraction_over_{_whole(least)}_of_{_whole(capacity - least)}_full"


def _whole(number: Any) -> Any:
    """As TF1 wrote a number into a tag, without its fraction: 1000 + 3 * 32 / 2 is a float now.

    What is no number is left to the queue's op, which says what it wants.
    """
    return int(float(number)) if isinstance(number, Real) else number
