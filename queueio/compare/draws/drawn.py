"""Components that are drawn anew in each run, as random augmentation does; told from two runs.

What a side delivers in a further run is held against its first one, each component alone: one
that is fixed has the same values again, in whatever order and beside whatever else they come.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from queueio.compare.draws.runs import both_varied, left_out
from queueio.compare.reading.again import Again
from queueio.compare.reading.difference import count, differ
from queueio.compare.reading.scan import Scan

LITTLE = 0.02  # the share of values not seen before that chance may bring
MORE = 8  # runs at most, to tell a few values that are drawn from those of a few examples left out
IDLE = 3  # of these in a row that bring nothing: one alone may do so by chance
LONGER = 4 * MORE  # the same, where the other side draws, or what came did not come again
CUT = 0.1  # the same where a side was cut off, beyond what its other components have
ALSO = 0.002  # the same where the other side is known to draw them: after epochs, few are new


@dataclass(frozen=True)
class Drawn:
    """The components (by place) of each side that have other values in each run.

    `torn`: the sides (0 old, 1 new) whose components are the same each time, and paired anew;
    `filtered`: those that deliver another number of examples each time.
    """

    old: frozenset[int] = frozenset()
    new: frozenset[int] = frozenset()
    torn: frozenset[int] = frozenset()
    filtered: frozenset[int] = field(default=frozenset(), compare=False)

    @property
    def both(self) -> bool:
        """Whether both sides draw."""
        return bool(self.old and self.new)


def drawn(again: tuple[Again, Again], longer: bool = False) -> Drawn:
    """What the sides draw, as far as their further runs have come; `longer` looks at more of them.

    Whether a recorded side drew, nobody knows; it may have drawn all that the other one does.
    """
    few = both_varied(again)
    first, second = (
        found.drawn if found else frozenset(_of(run, LONGER if longer else MORE))
        for run, found in zip(again, few, strict=True)
    )
    also = [
        others & found.unsure if found else _also(run, others)
        for run, found, others in zip(again, few, (second - first, first - second), strict=True)
    ]
    old, new = first | also[0], second | also[1]
    old, new = (old if again[0].possible else new), (new if again[1].possible else old)
    anew = [
        found.anew if found else _pairs_anew(run) for run, found in zip(again, few, strict=True)
    ]
    torn = {i for i, mine in enumerate((old, new)) if not mine and anew[i]}
    filtered = {i for i, found in enumerate(few) if found and found.filtered}
    return Drawn(old, new, frozenset(torn), frozenset(filtered))


def only_left_out(found: Drawn, again: tuple[Again, Again]) -> bool:
    """Whether the one side that seems to draw varies by whole examples, which the other one has.

    So does a skip or a take behind a shuffle, or drawing with replacement: which examples come is
    chance, and nothing in them. What is drawn for an example is not in a side that draws nothing.
    """
    seem = [i for i, of in enumerate((found.old, found.new)) if of and again[i].possible]
    if len(seem) != 1 or found.torn:
        return False
    run, other = again[seem[0]], again[1 - seem[0]]
    varied = differ(run.scan.spool, run.spool)
    known = count(other.scan.spool, varied.digests) > 0
    return varied.complete and not varied.empty and bool(known.all())


def _of(again: Again, runs: int) -> set[int]:
    if not again.possible or not again.spool.count:
        return set()
    shares = [unseen / max(1, judged) for unseen, judged in again.unseen]
    most = _by_chance(again.scan, shares)
    found = {i for i, share in enumerate(shares) if share > most}
    longer = runs > MORE
    doubtful = [i for i, share in enumerate(shares) if share <= most and (share or longer)]
    found |= _more_than_left_out(again, doubtful, runs)
    same = [_same_values(again, i) for i in range(len(shares))]
    if any(is_same and _shows_all(again.scan, i) for i, is_same in enumerate(same)):
        found |= {i for i, is_same in enumerate(same) if not is_same}
    return found


def _also(again: Again, others: frozenset[int]) -> set[int]:
    """Of the components that the other side alone is known to draw, those that this one draws too:
    what few runs do not show, as a flip of few images, more of them do."""
    if not again.possible or not again.spool.count:
        return set()
    if again.scan.end.kind != "clean":
        shares = [unseen / max(1, judged) for unseen, judged in again.unseen]
        most = _by_chance(again.scan, shares, ALSO)
        return {i for i in others if shares[i] > most}
    return _more_than_left_out(again, [*others], LONGER)


def _by_chance(scan: Scan, shares: list[float], beyond: float = CUT) -> float:
    """The share of a component's values that a further run may bring though none is drawn; of a
    side that was cut off, `beyond` what its other components have."""
    if scan.end.kind != "clean":
        telling = [len(marks) for marks in scan.marks]
        base = [s for s, n in zip(shares, telling, strict=True) if 2 * n > max(telling)]
        return min(base) + beyond
    return left_out(scan) / max(1, scan.examples) + LITTLE


def _more_than_left_out(again: Again, doubtful: list[int], runs: int) -> set[int]:
    """The components of which further runs bring more values, one run after another, than a batch
    has: what the first run left out is always the same, a flip of few images other ones each time.
    """
    scan = again.scan
    most = left_out(scan)
    if not most or not doubtful or scan.end.kind != "clean":
        return set()
    if len(scan.sizes) == 1:
        return set()  # nobody knows how large the only batch would have been
    news, idle = _News(scan, doubtful), 0
    for _ in range(runs):
        before = news.count
        with closing(Again(scan, again.select)) as further:
            further.run(scan.examples + 1, news)
            if further.spool.count != scan.examples:
                return set()  # a filter's doing, it may be
        idle = idle + 1 if news.count == before else 0
        if idle == IDLE:
            break
    return {i for i, lanes in news.lanes.items() if len(lanes) > most}


class _News:
    """Watches further runs for values that the first one had not."""

    done = False

    def __init__(self, scan: Scan, components: list[int]) -> None:
        self.scan = scan
        self.lanes: dict[int, set[int]] = {i: set() for i in components}

    @property
    def count(self) -> int:
        """How many different ones have come."""
        return sum(map(len, self.lanes.values()))

    def add(self, position: int, values: list[Any], parts: Any, digests: Any) -> None:
        for index, lanes in self.lanes.items():
            lanes.update(np.unique(self.scan.seen[index].others(parts[:, index, 0])).tolist())


def _shows_all(scan: Scan, index: int) -> bool:
    """Whether no example was left out, if a component has the same values as in another run.

    One of few values, such as a label, may have them by chance without the last few examples.
    """
    telling = max(len(marks) for marks in scan.marks)
    return len(set(scan.sizes)) > 1 or 2 * len(scan.marks[index]) > telling


def _same_values(again: Again, index: int) -> bool:
    """Whether a component had the same values equally often, once all examples have come."""
    whole = again.spool.count == again.scan.examples
    return whole and bool((again.sums[index] == again.scan.sums[index]).all())


def _pairs_anew(again: Again) -> bool:
    """Whether all components are the same, and the examples made of them are not."""
    if len(again.unseen) < 2 or not all(_same_values(again, i) for i in range(len(again.unseen))):
        return False
    return bool((again.total != again.scan.total).any())
