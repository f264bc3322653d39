"""Sides that deliver the same examples, each a different number of times."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from queueio.compare.findings.case import DIFFERENT, NOTE, Case, Finding
from queueio.compare.findings.paired import but_for_changes
from queueio.compare.mixing.order import infer_epochs
from queueio.compare.reading.difference import count as count_in
from queueio.compare.reading.scan import Scan
from queueio.words import times

EXPLAINED = {"missing", "extra", "repeats"}
LOOKED_AT = 200_000  # examples of a side


def epochs(case: Case) -> list[Finding]:
    """The sides deliver the same examples, each a different number of times."""
    a, b = case.old.examples, case.new.examples
    if case.often is not None:  # by chance, and told by many runs
        return []
    if not a or not b or a == b or {case.old.end.kind, case.new.end.kind} != {"clean"}:
        return []
    ratio = Fraction(a, b)
    up, down = np.uint64(ratio.numerator), np.uint64(ratio.denominator)
    same = not (case.old.total * down != case.new.total * up).any()
    if max(ratio.numerator, ratio.denominator) > 1000 or not (same or _changed(case, ratio)):
        return []
    case.explained.update(EXPLAINED if same else {"repeats"})
    n = _times_each(case)
    m = n * b // a
    if not n:  # labels, say: how often one comes is how many have it
        what = "what is not drawn" if case.whole else "each example"
        text = (
            f"The number of epochs differs: {what} comes {b / a:g} times as often in the new side."
        )
    else:
        text = (
            f"The number of epochs differs: each example comes {times(n, 'time')} in the old side, "
            f"{times(m, 'time')} in the new one. {_means(n, m)}"
        )
    return [Finding("epochs", DIFFERENT, text, abs(a - b))]


def _changed(case: Case, ratio: Fraction) -> bool:
    """Whether each example comes so many times as often, though some are changed: what both have,
    and what is changed, is as often on one side as on the other but for that."""
    difference = case.difference
    old, new = difference.old_counts, difference.new_counts
    whole = old.sum() == case.old.examples and new.sum() == case.new.examples
    if not case.pairs or not whole or any(case.left):
        return False
    both = but_for_changes(case)
    shared = (both.old_counts > 0) & (both.new_counts > 0)
    old, new = both.old_counts[shared], both.new_counts[shared]
    return bool((old * ratio.denominator == new * ratio.numerator).all())


def _times_each(case: Case) -> int:
    """How often the old side delivers each example; 0 if that varies, or is not to be seen, as
    where what tells examples apart is drawn."""
    if case.whole:
        return 0
    first = np.unique(case.old.spool.read(0, 1000), axis=0)
    found = np.unique(count_in(case.old.spool, first))
    return int(found[0]) if len(found) == 1 else 0


def _means(n: int, m: int) -> str:
    return (
        f"It is num_epochs={n} of the producer, and repeat({m}) of a dataset or num_epochs again."
    )


def epochs_cut(case: Case) -> list[Finding]:
    """The same, where incomplete last batches are dropped, so that some examples come once less."""
    if case.whole or case.often is not None or case.explained >= EXPLAINED:
        return []
    scans = case.old, case.new
    if {scan.end.kind for scan in scans} != {"clean"} or case.difference.empty:
        return []
    if max(scan.examples for scan in scans) > LOOKED_AT or not all(s.examples for s in scans):
        return []
    counted = [np.unique(s.spool.read(0, s.examples)[:, 0], return_counts=True) for s in scans]
    n, m = (int(often.max()) for _, often in counted)
    examples = len(np.union1d(*(lanes for lanes, _ in counted)))
    if n == m:
        return []
    left_out = n * examples - case.old.examples, m * examples - case.new.examples
    both = zip(scans, left_out, strict=True)
    if max(left_out) >= examples or not all(_fits_a_rest(scan, rest) for scan, rest in both):
        return []
    case.explained.update(EXPLAINED)
    text = (
        f"The number of epochs differs: each example comes {times(n, 'time')} in the old side, "
        f"{times(m, 'time')} in the new one, but for {left_out[0]:,} and {left_out[1]:,} that fill "
        f"no batch at the end. {_means(n, m)}"
    )
    return [Finding("epochs", DIFFERENT, text, abs(case.old.examples - case.new.examples))]


def epochs_beside(case: Case) -> list[Finding]:
    """What both sides have comes another number of times, and one side lacks some examples."""
    clean = case.old.end.kind == case.new.end.kind == "clean"
    untold = case.whole or case.often is not None or case.sampled or not case.difference.complete
    if not clean or untold or "repeats" in case.explained:
        return []
    both = but_for_changes(case)
    old, new = both.old_counts, both.new_counts
    shared = (old > 0) & (new > 0)
    if not shared.any():
        return []
    each, many = np.unique(np.stack([old, new])[:, shared], axis=1, return_counts=True)
    n, m = (int(often) for often in each[:, many.argmax()])
    alike = max(0, (case.old.examples - int(old.sum())) // n - sum(case.last))
    once_less = (each <= [[n], [m]]).all() and (each >= [[n - 1], [m - 1]]).all()
    odd = int(many.sum() - many.max()) + alike
    if not once_less or odd >= max(1, *map(_full, (case.old, case.new))):
        return []
    if many.max() <= max(odd, int((~shared & (old > 0)).sum())):
        return []  # some read again, as a file in place of others
    case.explained.add("repeats")
    but = ", but for what fills no batch at the end" if odd or any(case.last) else ""
    text = (
        f"The number of epochs differs: each example that both sides have comes "
        f"{times(n, 'time')} in the old side, {times(m, 'time')} in the new one{but}. "
        f"{_means(n, m)}"
    )
    return [Finding("epochs", DIFFERENT, text, abs(m - n) * int(many.max()))]


def _full(scan: Scan) -> int:
    """The size of a side's batches, if all are of one; those may leave out a smaller last one."""
    return scan.sizes[0] if len(set(scan.sizes)) == 1 else 0


def _fits_a_rest(scan: Scan, rest: int) -> bool:
    """Whether so many may be the incomplete batch that a side of full ones has dropped."""
    return rest == 0 or (len(set(scan.sizes)) == 1 and 0 < rest < scan.sizes[0])


def rest_of_each(case: Case) -> list[Finding]:
    """The same examples, of which one side alone batches each epoch by itself."""
    scans = case.old, case.new
    if not case.difference.empty or {scan.end.kind for scan in scans} != {"clean"}:
        return []
    rests = [_rest_of_each(scan) for scan in scans]
    if all(rests):
        return []
    name, other = ("new", "old") if rests[1] else ("old", "new")
    rest, mine = (rests[1], scans[1]) if rests[1] else (rests[0], scans[0])
    if not rest:
        return []
    text = (
        f"Each epoch of the {name} side ends with a batch of {rest}, as where repeat() comes after "
        f"batch(); the {other} side's batches go on into the next epoch: there are "
        f"{len(mine.sizes):,} and {sum(len(s.sizes) for s in scans) - len(mine.sizes):,} of them."
    )
    return [Finding("epoch-rests", NOTE, text)]


def _rest_of_each(scan: Scan) -> int:
    """The size of the smaller batch that ends each of several epochs, and comes nowhere else; 0
    where none does."""
    sizes, epochs = np.array(scan.sizes, np.int64), infer_epochs(scan)
    if epochs < 2 or not len(sizes) or scan.examples % epochs:
        return 0
    smaller = sizes < sizes.max()
    ends = np.arange(1, epochs + 1) * (scan.examples // epochs)
    return int(sizes[-1]) if np.array_equal(np.cumsum(sizes)[smaller], ends) else 0


RULES = [epochs, epochs_cut, epochs_beside]
LAST = [rest_of_each]
