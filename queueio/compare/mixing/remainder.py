"""What an incomplete last batch that is dropped leaves out, where other examples differ as well.

One example less, as a filter takes out, and the last batch ends elsewhere: up to a batch of other
examples comes on one side only. Of sides that shuffle these are others in each run; of sides that
keep their order they are the last ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from queueio.compare.mixing.chance import full_batches, lacks
from queueio.compare.reading.again import Again
from queueio.compare.reading.difference import Difference
from queueio.compare.reading.lockstep import Both
from queueio.compare.reading.scan import Scan

Array = np.ndarray[Any, Any]


def in_remainder(both: Both, difference: Difference) -> Array:
    """Which of the differing digests an incomplete last batch explains; none if all that differs.

    Only where most examples are common: of others it shows first how they are changed.
    """
    found: Array = np.zeros(len(difference.digests), bool)
    size = full_batches(both)
    common = both.old.examples - difference.lacking
    if not size or not difference.complete or 2 * common < both.old.examples:
        return found
    more = difference.old_counts - difference.new_counts
    old, new = both.again
    for short, full, extra in ((new, old, more), (old, new, -more)):
        places = np.nonzero(extra > 0)[0]
        if not len(places) or not short.possible:
            continue
        here = _explained(short, full.scan, difference, places, size)
        if extra[here].sum() < size:
            found[here] = True
    return np.zeros_like(found) if found.all() else found


def _explained(short: Again, full: Scan, difference: Difference, places: Array, size: int) -> Array:
    """Of the digests at these places those that the short side's last batch may have had."""
    wanted = difference.digests[places]
    counts = difference.old_counts[places], difference.new_counts[places]
    if not _drops(short.scan, size):
        return places[:0]
    if not short.in_order:
        return places[~lacks(short, wanted, np.maximum(*counts), 1)]
    last = full.spool.read(full.examples - size + 1, full.examples)
    known = np.isin(last[:, 0], wanted[:, 0])
    begin = len(known) - int(np.argmin(known[::-1])) if not known.all() else 0
    at_end: Array = (last[begin:, :1] == wanted[:, 0]).sum(axis=0)
    here: Array = (at_end > 0) & (at_end == np.abs(counts[0] - counts[1]))
    return np.asarray(places[here])


def _drops(scan: Scan, size: int) -> bool:
    """Whether the side says beforehand that each of its batches is full."""
    return any(c.shape and c.shape[0] == size for c in scan.schema.components)
