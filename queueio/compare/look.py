"""The passes over both sides: what they deliver, what of it differs, which example is which."""

from __future__ import annotations

from contextlib import closing, nullcontext
from typing import Any

from queueio.compare.draws.drawn import Drawn, drawn, only_left_out
from queueio.compare.findings import Case
from queueio.compare.match.change import Tolerance
from queueio.compare.match.counterparts import by_content
from queueio.compare.match.match import SURE, Pair, in_step, match
from queueio.compare.match.within import given_as_old, present, within
from queueio.compare.mixing.chance import (
    clearly_changed,
    copies_by_chance,
    cut,
    full_batches,
    made_by_chance,
    may_be_chance,
    patience,
    surely_apart,
)
from queueio.compare.mixing.gaps import in_one_gap
from queueio.compare.mixing.kept import counts_by_chance, keeps_by_chance
from queueio.compare.mixing.often import how_often
from queueio.compare.mixing.remainder import in_remainder
from queueio.compare.mixing.rests import in_rests
from queueio.compare.mixing.rounded import fetch_left_out, rest_by_chance
from queueio.compare.reading.again import Again
from queueio.compare.reading.difference import Difference, differ, none
from queueio.compare.reading.fetch import Example, Fetched, Like, fetch, sampled
from queueio.compare.reading.lockstep import Both, run_both
from queueio.compare.reading.padding import Padded, padded_on, with_spans
from queueio.compare.reading.progress import progress_of
from queueio.compare.reading.scan import Scan
from queueio.compare.reading.spool import member
from queueio.compare.sides.schema import Paired, comparable
from queueio.compare.sides.side import CannotRun, Side

SAMPLED = ("key", "component")  # how examples of a sample must be paired
ROUNDS = 4  # of comparing what is within the tolerance
ENOUGH = 1000  # examples that are read though the limit is lower, where what comes first is chance


def look(
    sides: tuple[Side, Side],
    limit: int | None,
    key: str | int | None,
    tolerance: Tolerance,
    epochs: int | None,
    progress: bool,
) -> Case:
    """The passes over both sides; the case holds all that the findings need."""
    with progress_of() if progress else nullcontext() as tick:
        both, paired = _first_pass(sides, limit, key, tick)
    if not both.old.examples and not both.new.examples:
        raise CannotRun(
            f"neither side delivered an example: {_named(both.old)} ended with {both.old.end}, "
            f"{_named(both.new)} with {both.new.end}. Nothing was compared: "
            "look at the files that they read, at the number of epochs, and whether all examples "
            "are fewer than a batch that must be full."
        )
    difference = none() if both.same_order else differ(both.old.spool, both.new.spool)
    beyond = 0
    if limit is not None and limit < ENOUGH and _begins_by_chance(both, difference):
        both.close()
        both, paired = _first_pass(sides, ENOUGH, key, None)
        difference = none() if both.same_order else differ(both.old.spool, both.new.spool)
        beyond, limit = limit, ENOUGH
    padded: list[Padded] = []
    if not difference.empty and not both.interrupted:
        sides, padded = padded_on(both)
    if padded:
        both.close()
        both, paired = _first_pass(sides, limit, key, None)
        padded = with_spans(padded, sides)
        difference = differ(both.old.spool, both.new.spool)
    if both.interrupted and both.agree:
        both.same_order, difference = True, none()
    case = Case(both, both.schemas, difference, tolerance, epochs, both.select, paired)
    case.padded, case.beyond = padded, beyond
    if not both.interrupted and (rests := in_rests(both, difference)) is not None:
        others = difference.part(~member(difference.digests[:, 0], rests.digests[:, 0]))
        case.left_out, case.difference = others.lacking or others.extra, rests
        difference = rests
    if not difference.empty and not both.interrupted:
        second_pass(case)
    return beyond_tolerance(case, limit)


def beyond_tolerance(case: Case, limit: int | None) -> Case:
    """The case once more, where examples differ within the tolerance: only of what is given as the
    old side's shows how often it comes, in which order, and what is missing. And again, where that
    run brings examples which chance had left out."""
    near: list[Pair] = []
    for _ in range(ROUNDS):
        both = case.both
        pairs, old = case.pairs + case.further, case.fetched[0].examples
        found = within(pairs, old, case.left[1], case.tolerance)
        known = case.old.side.repeatable and case.new.side.repeatable and not case.sampled
        if not found or not known or case.drawn != Drawn() or (near and not any(case.left)):
            break
        near += found
        both.close()
        again = run_both(case.old.side, given_as_old(both, found), limit, case.old.key, both.select)
        case = case.of(
            again, none() if again.same_order else differ(again.old.spool, again.new.spool)
        )
        case.near = present(again, near)
        if not case.difference.empty and not again.interrupted:
            second_pass(case)
    return case


def _named(scan: Scan) -> str:
    """A script's function or a recording by its name, another side as the old or the new one."""
    label = scan.side.label
    return f"the {label} one" if label in ("old", "new") else label


def _first_pass(
    sides: tuple[Side, Side], limit: int | None, key: str | int | None, tick: Any
) -> tuple[Both, Paired]:
    """Both sides in lockstep; again, if their components turn out to be in other places, or not
    all comparable. And the components that belong together, comparable or not."""
    both = run_both(*sides, limit, key, None, tick)
    select = both.select
    if select is None and not both.interrupted:
        select = by_content(both)
    old, new = both.schemas
    places = select or ([*range(len(old.components))], [*range(len(new.components))])
    paired = [(old.components[i], new.components[j]) for i, j in zip(*places, strict=False)]
    fit = comparable(old, new, select) or select
    if both.interrupted or fit == both.select:
        return both, paired
    both.close()
    if isinstance(key, int) and fit is not None:
        key = fit[0].index(key) if key in fit[0] else None
    return run_both(*sides, limit, key, fit, tick), paired


def second_pass(case: Case) -> None:
    """Fetches the differing examples whole, and matches them if they are none of chance."""
    difference, again = case.difference, case.both.again
    old = _fetch(case, again[0], difference.only_old(), None)
    like = _telling(old.examples, case.old)
    new = _fetch(case, again[1], difference.only_new(), like)
    case.fetched = old, new
    case.drawn = drawn(again, old.random or new.random)
    if case.drawn != Drawn() and keeps_by_chance(case.both):
        case.drawn = Drawn()
        _only_counted(case)
    elif only_left_out(case.drawn, again):
        case.drawn = Drawn()
        _pair(case)
    elif case.drawn != Drawn():
        _pair_random(case)
    elif len(case.drawn.filtered) == 2:
        _only_counted(case)
    elif chance := may_be_chance(case.both, difference) and _left_out(case):
        if cut(case.both):
            _count(case)
        case.left_out, case.difference = difference.lacking, none()
        case.one_shuffles = any(run.in_order for run in case.both.again)
        case.fetched = Fetched(), Fetched()
    elif (
        chance is None
        or counts_by_chance(case.both, difference)
        or copies_by_chance(case.both, difference)
    ):
        _only_counted(case)
    elif cut(case.both) and not case.both.fixed and difference.complete:
        _pair_sure(case)
    elif old.random or new.random:
        _pair_random(case)
    else:
        _without_remainder(case)
        if not case.sampled:
            fetch_left_out(case.both, case.difference, case.fetched)
        _pair(case)
        _settle_rest(case)


def _fetch(case: Case, again: Again, wanted: Any, like: Like | None) -> Fetched:
    """Fetches what is wanted: of so few that the last batch, which is dropped, may have had them
    all, from a further run where this one has left them out."""
    found = fetch(again, wanted, like, not case.sampled)
    most = full_batches(case.both)
    tries = patience(again.scan.examples) if found.random and len(wanted) < most else 0
    for _ in range(tries):
        with closing(Again(again.scan, again.select)) as further:
            other = fetch(further, wanted, like)
        if not other.random:
            return other
    return found


def _without_remainder(case: Case) -> None:
    """Takes out what differs only as the last batch, which is dropped, ends elsewhere."""
    found = in_remainder(case.both, case.difference)
    if not found.any():
        return
    left = case.difference.part(found)
    keep = all(run.in_order for run in case.both.again)
    case.one_shuffles = any(run.in_order for run in case.both.again)
    if keep:
        case.last = left.lacking, left.extra
    else:
        case.left_out = left.lacking or left.extra  # of one side; the other has about as many
    _only(case, ~found)


def _only(case: Case, chosen: Any) -> None:
    """Leaves of what differs the chosen digests."""
    case.difference = case.difference.part(chosen)
    wanted = {d.tobytes() for d in case.difference.digests}
    old, new = ([e for e in f.examples if e.digest in wanted] for f in case.fetched)
    case.fetched = Fetched(old), Fetched(new)


def _begins_by_chance(both: Both, difference: Difference) -> bool:
    """Whether sides that were cut off shuffle, so that each run begins with other examples."""
    if difference.empty or both.interrupted or not cut(both) or both.aligned:
        return False
    found = False
    for run in both.again:
        with closing(Again(run.scan, run.select)) as further:
            further.run(run.scan.examples)
            found = found or (run.possible and not further.in_order)
    return found and all(run.possible for run in both.again)


def _pair_sure(case: Case) -> None:
    """Of shuffled sides that were cut off: pairs what one side delivers in each run and the other
    in none. Of the rest nobody can tell."""
    sure = surely_apart(case.both, case.difference)
    case.untold = int((~sure).sum())
    _only(case, sure)
    if not case.difference.empty:
        _pair(case)


def _count(case: Case) -> None:
    """How often each example comes, and those that came more often on one side, to be shown."""
    case.often = how_often(case.both, cut(case.both))
    case.unequal = [example for fetched in case.fetched for example in fetched.examples]


def _only_counted(case: Case) -> None:
    """Of sides that deliver their examples by chance: how often each comes, in many runs."""
    _count(case)
    case.difference, case.fetched = none(), (Fetched(), Fetched())


def _left_out(case: Case) -> bool | None:
    """Whether each side lacks by chance what only the other delivered; None: nobody can tell."""
    old, new = (f.examples for f in case.fetched)
    if len(old) == len(new) == case.difference.lacking:
        pairs = match(old, new, case.tolerance)
        if len(pairs) == len(old) and clearly_changed(pairs, sampled(case.both.again[0])):
            return False
    return made_by_chance(case.both, case.difference)


def _pair(case: Case) -> None:
    """Pairs what one side has with what the other has; the rest is left."""
    difference, (old, new) = case.difference, case.fetched
    mine = old.examples, new.examples
    if not case.sampled:
        mine = (
            _alone(old, difference, difference.new_counts),
            _alone(new, difference, difference.old_counts),
        )
    if case.sampled:  # of a sample, who has no counterpart in it is paired with none
        like = _telling(old.examples, case.old)
        there = set().union(*(like.of(e) for e in new.examples))
        mine = [e for e in mine[0] if not there or not there.isdisjoint(like.of(e))], mine[1]
    near = mine if case.sampled else in_one_gap(case.both, difference, mine)
    old_keeps, new_keeps = (run.in_order for run in case.both.again)
    case.kept = old_keeps, new_keeps
    stepping = all(case.kept) and not case.both.aligned and in_step(*near)
    case.pairs = match(*near, case.tolerance, case.both.aligned or stepping)
    if case.sampled and case.pairs:  # of a sample, what is without counterpart says nothing
        sure = [p for p in case.pairs if p.how in SAMPLED or p.rounded]
        case.pairs = sure or case.pairs
        return
    if stepping and difference.lacking == difference.extra:
        case.partly = len(case.pairs) < difference.lacking  # each is changed; some become equal
        return
    paired = {id(e) for p in case.pairs for e in (p.old, p.new)}
    case.left = tuple([e for e in side if id(e) not in paired] for side in mine)  # type: ignore
    _fill_unfetched(case)


def _settle_rest(case: Case) -> None:
    """Of sides whose examples are changed, what each left out by chance is no difference."""
    sure = [p for p in case.pairs if p.rounded] or [p for p in case.pairs if p.how in SURE]
    known = [p for p in case.near if p.rounded] + sure
    if not any(case.left) or not known or case.sampled:
        return
    kept = {id(pair) for pair in sure}
    doubtful = [p for p in case.pairs if id(p) not in kept]  # left over, and merely alike
    left = [*case.left[0], *(p.old for p in doubtful)], [*case.left[1], *(p.new for p in doubtful)]
    found = rest_by_chance(case.both, left, case.tolerance, known)
    if found is not None:
        pairs, case.further, left_out = found
        case.left_out += left_out
        case.pairs, case.left, case.unfetched = sure + pairs, ([], []), 0


def _telling(examples: list[Example], scan: Scan) -> Like:
    """The digests of the components that tell examples apart best, to find counterparts by."""
    variety = [len(marks) for marks in scan.marks]
    kept = {}
    for index, different in enumerate(variety):
        mine = {e.parts[index] for e in examples}
        if 2 * len(mine) >= len(examples) and different >= 0.9 * max(variety):
            kept[index] = mine
    return Like(kept)


def _alone(fetched: Fetched, difference: Difference, other: Any) -> list[Example]:
    """The fetched examples that the other side does not have at all."""
    gone = {d.tobytes() for d in difference.digests[other == 0]}
    return [e for e in fetched.examples if e.digest in gone]


def _fill_unfetched(case: Case) -> None:
    """Examples that could not be fetched (a recording's, beyond its sample) count all the same."""
    difference = case.difference
    if case.sampled:
        return
    known = {e.digest for f in case.fetched for e in f.examples}
    for left, mine, other in (
        (case.left[0], difference.old_counts, difference.new_counts),
        (case.left[1], difference.new_counts, difference.old_counts),
    ):
        for digest in difference.digests[(other == 0) & (mine > 0)]:
            if digest.tobytes() not in known:
                case.unfetched += 1
                left.append(Example(-1, digest.tobytes(), [], [], None))


def _pair_random(case: Case) -> None:
    """Pairs what came; of a side that lacks nothing, its first examples."""
    mine = [f.examples or sampled(a) for f, a in zip(case.fetched, case.both.again, strict=True)]
    case.pairs = match(mine[0][:512], mine[1][:512], case.tolerance)
