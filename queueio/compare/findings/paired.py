"""What differs but for how examples are changed: a changed one counts as the one that it was."""

from __future__ import annotations

import numpy as np

from queueio.compare.findings.case import Case
from queueio.compare.findings.structure import full_size
from queueio.compare.mixing.chance import LOOKED_AT_MOST, leaves_out_others, patience
from queueio.compare.mixing.gaps import may_be_the_end
from queueio.compare.reading.again import Again
from queueio.compare.reading.difference import Difference, of_counts
from queueio.compare.reading.scan import Scan


def but_for_changes(case: Case, in_old: bool = True) -> Difference:
    """How often each side has what differs, where both examples of a pair are one.

    Args:
      case: the case; of a sample nobody knows the pairs of all, so it stays as it is.
      in_old: whether an example of both sides goes by its digest of the old side.
    """
    difference = case.difference
    if not case.pairs or case.sampled or case.partly:
        return difference
    counts = {
        digest.tobytes(): (int(a), int(b))
        for digest, a, b in zip(
            difference.digests, difference.old_counts, difference.new_counts, strict=True
        )
    }
    for pair in case.pairs:
        old, new = counts.pop(pair.old.digest, None), counts.pop(pair.new.digest, None)
        if old is None or new is None:
            continue  # one of a further run
        one = pair.old if in_old else pair.new
        counts[one.digest] = old[0] + new[0], old[1] + new[1]
    unequal = {digest: each for digest, each in counts.items() if each[0] != each[1]}
    often = np.array(list(unequal.values()), np.int64).reshape(-1, 2)
    digests = np.frombuffer(b"".join(unequal), np.uint64).reshape(-1, 2)
    return of_counts(digests, often[:, 0], often[:, 1])


def counted(case: Case, in_old: bool) -> Difference:
    """The same, where chance has no part in how often a changed example comes: a shuffled side
    that drops its last batch leaves out others each time."""
    drops = any(len(set(scan.sizes)) == 1 and full_size(scan) for scan in (case.old, case.new))
    return case.difference if drops and not all(case.kept) else but_for_changes(case, in_old)


def left_at_the_end(case: Case, full: Scan, short: Again, difference: Difference) -> bool:
    """Whether what the short side lacks may be the last batch that it drops.

    Args:
      case: the case.
      full: the side that has it.
      short: the other one, run again.
      difference: what that lacks, by the digests of the side that has it.
    """
    if not case.pairs:
        return may_be_the_end(case.both, difference) and leaves_out_others(short, difference)
    if not short.possible or short.scan.examples > LOOKED_AT_MOST:
        return True
    orders = [short.lanes(short.scan.examples)]
    if short.in_order:
        many = abs(difference.lacking - difference.extra)
        last = full.spool.read(full.examples - many, full.examples)
        often = np.abs(difference.old_counts - difference.new_counts)
        wanted = np.repeat(difference.digests[:, 0], often)
        return bool(np.array_equal(np.sort(last[:, 0]), np.sort(wanted)))
    # What it leaves out is changed, so no run shows that it is there: but others are left out then.
    first = np.sort(short.scan.spool.read(0, short.scan.examples)[:, 0])
    for _ in range(patience(short.scan.examples)):
        if not np.array_equal(np.sort(orders[-1]), first):
            return True
        run = Again(short.scan, short.select)
        orders.append(run.lanes(short.scan.examples))
        run.close()
    return False
