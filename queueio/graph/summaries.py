"""What the summaries of queues are called: each tells how full its queue is."""

from __future__ import annotations

from numbers import Real
from typing import Any

from queueio.errors import message


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


def per_place(capacity: Any) -> Any:
    """What one element adds to how full a queue is: 1 / capacity.

    Args:
      capacity: of the queue, as its caller gave it.

    Raises:
      ZeroDivisionError: it is 0, which TF1 refused so.
    """
    if isinstance(capacity, Real) and not capacity:
        raise ZeroDivisionError(
            message(
                "float division by zero: capacity=0",
                "how full it is is told as a share of that, and nothing fits into such a queue",
                "Use capacity=1 or more",
            )
        )
    return 1.0 / capacity


def _whole(number: Any) -> Any:
    """As TF1 wrote a number into a tag, without its fraction: 1000 + 3 * 32 / 2 is a float now.

    What is no number is left to the queue's op, which says what it wants.
    """
    return int(float(number)) if isinstance(number, Real) else number
