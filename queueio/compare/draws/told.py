"""Whether keys tell each example from all others."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
ALONE = 0.9  # of the examples, that must be alone of their key, where others are not
MANY, MOST, WITHIN = 100, 0.9, 1.5
"""Keys at least, and the share of them that have come within so many times their number, where each
comes once in an epoch: in any order, as of classes, 0.78 of them have."""


def first_of_each(keys: Array) -> Array | None:
    """Where each key is first, of a run's in their order; None where keys do not tell examples.

    They do if nearly each comes once, then of these alone, or once in each of several epochs.
    """
    _, first, times = np.unique(keys, return_index=True, return_counts=True)
    if (times == 1).sum() >= ALONE * len(keys):
        return np.asarray(first[times == 1])
    epochs = (times == times[0]).all() and len(first) >= MANY
    soon = (first < WITHIN * len(first)).mean() >= MOST
    return first if epochs and soon else None
