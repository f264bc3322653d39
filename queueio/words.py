"""What queueio's sentences have in common: how many there are of a thing, how a queue is called."""

from __future__ import annotations

import re

ENGINE_SCOPE = "queueio"
"""Below a batch's scope, that of what the data engine adds."""
_UNNAMED = re.compile(r"/(fifo|padding_fifo|random_shuffle|priority)_queue$")
"""The names that TF1 gives a queue without one: they say nothing that its scope does not."""


def times(count: int, noun: str, several: str = "") -> str:
    """'1 example', '2 examples', '1,000 batches'.

    Args:
      count: how many.
      noun: the word for one of them.
      several: the word for more of them, where that is not the noun with an s.
    """
    return f"{count:,} {noun if count == 1 else several or f'{noun}s'}"


def stage(queue: str) -> str:
    """How a stage is called: the scope that its queue is alone in, or the queue's own name.

    Args:
      queue: the name of its op. `batch/fifo_queue` is the queue of the stage `batch`; but
        `input/input_producer` is that of itself, in the user's scope `input`.
    """
    inside, _, of_engine = queue.rpartition(f"/{ENGINE_SCOPE}/")
    return inside if of_engine and inside else _UNNAMED.sub("", queue)
