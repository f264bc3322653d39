"""Whether what both sides draw anew in each run is drawn from one distribution.

Single values cannot be compared; figures of them can (features.py): mean, deviation, moments, the
shares of values in a range, what leans left or up. Each run of a side gives such figures, once for
each of a few groups of examples, told apart by what is not drawn, if anything. How much they vary
from run to run within a group is the error of chance alone, as the examples behind are the same.
Where a seed has each run of a side draw the same, all its runs count as one; so they do where one
example gains what another loses, as when examples are mixed, for all come to the same then, too.

Two sorts of figures are taken: of the values, and of what they are beyond the same example in a
reference run (around.py), which shows noise that is small beside what tells examples apart. The
runs go on until the error is small enough to find what FACTOR, OFFSET and SPREAD say.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import numpy as np

from queueio.compare.draws.around import Around
from queueio.compare.draws.features import Reference
from queueio.compare.draws.judgement import Judgement
from queueio.compare.draws.near import Near, Nearness
from queueio.compare.draws.relation import around, relation, squares
from queueio.compare.draws.taken import DrawnComponent, Taker, Telling
from queueio.compare.draws.tally import Test, tested
from queueio.compare.draws.together import RUNS, SHARE, Together
from queueio.compare.reading.again import Again
from queueio.compare.reading.scan import Scan

Array = np.ndarray[Any, Any]
FACTOR, OFFSET = 0.02, 0.01  # of the values, and of their range
SPREAD = 0.2  # of the spread of what is drawn for one example
FAR = 2.0  # times the mean square of that, from where on they are draws of other examples
PLAINER = 2.0  # times stronger is what draws are around their example, if it is to be told first
TURNS = (4, 8, 16, 32, 64, 128)  # runs

ALIKE = (
    "all runs come to about the same, by a seed, or by values that move from one example to another"
)
OTHERWISE = (
    "its values lie alike on the whole, but how often a draw comes near to single draws of the "
    "first runs differs, as with another probability, or with places or amounts from another range"
)


def judge(
    scans: tuple[Scan, Scan],
    selects: tuple[list[int] | None, list[int] | None],
    drawn: list[int],
    telling: Telling,
    seconds: float,
    both: bool = True,
) -> list[Judgement]:
    """Judges the drawn components; runs both sides as often as it takes, for `seconds` at most.

    `both`: both sides draw; else further draws of an example are no more alike than they can be.
    """
    near = both and _whole(scans)
    components = [
        DrawnComponent(
            i,
            Around(scans[0].examples) if both else None,
            Near(bool(telling.components)) if near else None,
        )
        for i in drawn
    ]
    for each in components:
        each.why = _not_alike(scans, each.index)
    if not all(scan.side.repeatable for scan in scans):
        return [Judgement(i, "unknown", "a recording cannot be run again") for i in drawn]
    until = time.monotonic() + seconds
    found: list[Judgement] = []
    together = Together(scans, drawn, near)
    for _ in _turns(scans, selects, components, telling, together, until):
        found = together.judged([_judged(each) for each in components], len(TURNS))
        if all(judgement.final for judgement in found):
            break
    return found


def _whole(scans: tuple[Scan, Scan]) -> bool:
    """Whether each run of both sides has all of the same number of examples; one that is cut off
    begins with others than the next one, or than the other side's, as both shuffle."""
    old, new = scans
    return {old.end.kind, new.end.kind} == {"clean"} and old.examples == new.examples


def _not_alike(scans: tuple[Scan, Scan], index: int) -> str:
    old, new = (set(scan.shapes[index]) for scan in scans)
    return "" if old == new or len(old | new) > 2 else "its shapes differ"


def _turns(
    scans: Any, selects: Any, components: list[DrawnComponent], telling: Telling,
    together: Together, until: float,
) -> Iterator[None]:  # fmt: skip
    """Runs the sides in turn; yields after each of the TURNS."""
    made = 0
    for most in TURNS:
        for _ in range(most - made):
            for side in (0, 1):
                first = not made and side == 0
                watcher = Taker(side, components, telling, together, first)
                with closing(Again(scans[side], selects[side], same=True)) as again:
                    again.run(scans[side].examples + 1, watcher)  # to its end
                watcher.end()
            made += 1
            if time.monotonic() > until or all(c.why for c in components):
                break
            if made >= 2 and min(t.units for c in components for t in c.plain.tallies) >= 4 * most:
                break
        yield
        if time.monotonic() > until:
            return


def _judged(each: DrawnComponent) -> Judgement:
    reference, tallies = each.plain.reference, each.plain.tallies
    if each.why or reference is None:
        return Judgement(each.index, "unknown", each.why or "there were too few runs")
    test = tested(*tallies, len(TURNS))
    count = sum(tally.examples for tally in tallies)
    if test is None:
        return Judgement(each.index, "unknown", "there were too few runs", count, False)
    beyond = tested(*each.beyond.tallies, len(TURNS))
    soon = beyond is None and each.around is not None  # a few more runs may show it plainer
    if any(test.repeated):
        beyond = None  # runs that repeat their draws show no spread of them
    surprising = test.surprising.any()
    plain, final = relation(reference, reference.names, test, each.values, tallies)
    if beyond is not None and beyond.strength.max() > PLAINER * test.strength.max():
        assert each.beyond.reference is not None
        old, new = squares(each.beyond.reference, beyond)
        if surprising or not test.torn or new < FAR * old:
            if surprising and "old" in plain:
                return Judgement(each.index, "differs", plain, count)
            text, final = around(each.beyond.reference, beyond)
            return Judgement(each.index, "differs", text, count, final)
    if surprising or test.torn:
        soon = soon or (not surprising and beyond is not None and not beyond.surprising.any())
        final = final and not (soon and "old" not in plain)
        return Judgement(each.index, "differs", plain, count, final, torn=not surprising)
    seeded = any(test.repeated) or each.near is None
    near = None if seeded or each.near is None else each.near.tested(len(TURNS))
    if near is not None and near.score > 1:
        return Judgement(each.index, "differs", OTHERWISE, count)
    return _alike(each, test, beyond, near, count)


def _alike(
    each: DrawnComponent, test: Test, beyond: Test | None, near: Nearness | None, count: int
) -> Judgement:
    """Nothing differs: whether that says anything."""
    assert each.plain.reference is not None
    about = _about(each.plain.reference, test, _error(each.plain.reference, test))
    spread = _spread(beyond)
    if test.unsure or not _enough(each.plain.reference, test):
        if all(test.repeated):
            text = f"{about}: too few examples to be surer, as {ALIKE}"
            return Judgement(each.index, "unknown", text, count)
        text = f"{about}: too few examples, or too different, to be surer in the time given"
        return Judgement(each.index, "unknown", text, count, False)
    if each.around is None:
        return Judgement(each.index, "agrees", about, count)
    if any(test.repeated):
        text = f"{about}; no spread of draws shows, as {ALIKE}"
        return Judgement(each.index, "unknown", text, count)
    if spread > SPREAD or (beyond is not None and beyond.unsure):
        text = f"{about}; too few examples to see how far the draws of one example lie apart"
        return Judgement(each.index, "unknown", text, count, False)
    about += f", and one of {spread:.1%} in how far the draws of one example lie apart"
    return _by_share(each, about, near, count)


def _by_share(each: DrawnComponent, about: str, near: Nearness | None, count: int) -> Judgement:
    """Whether it was seen that each draw comes as often on both sides, which takes more runs."""
    if near is None or near.share > 1:
        about += "; how often each draw comes was not compared"
    else:
        about += (
            f"; a side that draws the same again and again in {near.share:.0%} of all cases, as "
            "with another probability, would show"
        )
    wanted = each.near is not None and each.near.possible and each.near.wanted
    enough = not wanted or (near is not None and (near.share <= SHARE or near.runs >= RUNS))
    return Judgement(each.index, "agrees", about, count, enough)


def _spread(beyond: Test | None) -> float:
    """The share of the spread of draws by which it may differ without being found.

    The mean square is that of two draws, one of them the old side's on both sides: a difference
    of the one shows in it as the same share.
    """
    if beyond is None:
        return float("inf")
    square = np.maximum(beyond.means[0][:, 1], 1e-9)
    return float((beyond.findable[:, 1] / square).max())


def _error(reference: Reference, test: Test) -> Array:
    """What the means may differ by without being found, per channel, in the values' unit."""
    return np.asarray(test.findable[:, 0] * reference.deviation)


def _enough(reference: Reference, test: Test) -> bool:
    """Whether a factor of 1 + FACTOR and an offset of OFFSET of the range would be found."""
    error = _error(reference, test)
    offset = error <= OFFSET * reference.range
    by_mean = error <= FACTOR * np.abs(test.means[0][:, 0] * reference.deviation + reference.mean)
    by_square = test.findable[:, 1] <= 2 * FACTOR * np.maximum(test.means[0][:, 1], 1e-9)
    return bool((offset & (by_mean | by_square)).all())


def _about(reference: Reference, test: Test, error: Array) -> str:
    """`mean 0.471 and 0.472 (an offset of 0.004 would have been found)`."""
    at = int(np.argmax(error / np.maximum(reference.range, 1e-300)))
    old, new = (m[at, 0] * reference.deviation[at] + reference.mean[at] for m in test.means)
    channel = f" of channel {at}" if reference.channels > 1 else ""
    return f"mean{channel} {old:.4g} and {new:.4g}, where a difference of {error[at]:.2g} shows"
