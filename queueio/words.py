"""How many there are of a thing, as queueio's sentences say it."""

from __future__ import annotations


def times(count: int, noun: str, several: str = "") -> str:
    """'1 example', '2 examples', '1,000 batches'.

    Args:
      count: how many.
      noun: the word for one of them.
      several: the word for more of them, where that is not the noun with an s.
    """
    return f"{count:,} {noun if count == 1 else several or f'{noun}s'}"
