"""The passes over both sides where components are drawn anew in each run: without and with them."""

from __future__ import annotations

from dataclasses import replace

from queueio.compare.draws.distribution import judge
from queueio.compare.draws.drawn import Drawn
from queueio.compare.draws.judgement import Judgement
from queueio.compare.draws.same_draws import same_draws
from queueio.compare.draws.taken import telling
from queueio.compare.draws.variety import less_various
from queueio.compare.findings import Case
from queueio.compare.look import ENOUGH, beyond_tolerance, second_pass
from queueio.compare.mixing.kept import numbers_apart
from queueio.compare.reading.difference import Difference, differ, none
from queueio.compare.reading.fetch import Fetched
from queueio.compare.reading.lockstep import run_both
from queueio.compare.sides.side import Side


def look_at_drawn(
    case: Case,
    sides: tuple[Side, Side],
    limit: int | None,
    key: str | int | None,
    seconds: float,
    ignored: bool,
) -> Case:
    """Compares what is not drawn as always, and what is drawn by its distribution."""
    both, limit = case.both, ENOUGH if case.beyond else limit
    indices = sorted(case.drawn.old | case.drawn.new)
    base = both.select or tuple([*range(len(s.schema.components))] for s in (both.old, both.new))
    fixed = [i for i in range(min(map(len, base))) if i not in indices]
    part, found = _fixed(case, limit, key, fixed) if fixed else (_nothing(case), none())
    same = same_draws(sides, limit, key, both.select) if case.drawn.both else 0
    if same:
        part.judgements = [Judgement(i, "same", "", same) for i in indices]
    elif case.drawn.both or ignored:
        scans, selects = (both.old, both.new), both.select or (None, None)
        told = telling(scans, indices, found)
        common = sorted(case.drawn.old & case.drawn.new)  # of all else it is said who draws it
        judged = common if common and not ignored else indices
        part.judgements = judge(scans, selects, judged, told, seconds, case.drawn.both)
    part.less_various = less_various(both) if case.drawn.both else None
    ended = both.old.end.kind == both.new.end.kind == "clean"
    if part.both is both and ended and both.old.examples != both.new.examples:
        part.filtered = not numbers_apart(both)
    return part


def _nothing(case: Case) -> Case:
    """The case where all is drawn: there is nothing else to compare."""
    case.difference, case.fetched = none(), (Fetched(), Fetched())
    case.shown, case.whole = case.pairs, case.both
    case.pairs, case.both.same_order = [], False
    return case


def _fixed(
    case: Case, limit: int | None, key: str | int | None, fixed: list[int]
) -> tuple[Case, Difference]:
    """The case of the components that are not drawn, and all that differs in them."""
    both = case.both
    base = both.select or tuple([*range(len(s.schema.components))] for s in (both.old, both.new))
    select = [base[0][i] for i in fixed], [base[1][i] for i in fixed]
    if isinstance(key, int):
        key = fixed.index(key) if key in fixed else None
    rest = run_both(both.old.side, both.new.side, limit, key, select)
    found = differ(rest.old.spool, rest.new.spool)
    part = case.of(rest, found)
    if not found.empty and not rest.interrupted:
        second_pass(part)
    part = beyond_tolerance(part, limit)
    torn = part.drawn.torn if part.drawn == Drawn(torn=part.drawn.torn) else frozenset()
    part.whole, part.drawn, part.shown = both, replace(case.drawn, torn=torn), case.pairs
    return part, found
