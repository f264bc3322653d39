"""`compare`: both sides run, matched, judged."""

from __future__ import annotations

import sys
import time
from contextlib import nullcontext
from typing import Any

from queueio.compare import cost as costs
from queueio.compare import order as orders
from queueio.compare.chance import clearly_changed, made_by_chance, may_be_chance
from queueio.compare.difference import Difference, differ, none
from queueio.compare.example import Example
from queueio.compare.explain import Tolerance
from queueio.compare.fetch import Fetched, Like, fetch, sampled
from queueio.compare.findings import Case, find
from queueio.compare.lockstep import Both, run_both
from queueio.compare.match import match
from queueio.compare.pairing import by_content
from queueio.compare.progress import progress_of
from queueio.compare.result import Result, level_of, summary
from queueio.compare.scan import Scan
from queueio.compare.side import CannotRun, Side
from queueio.compare.sides import as_side
from queueio.compare.stages import compare_stages, plan_of

SURE = ("key", "component")


def compare(
    old: Any,
    new: Any,
    *,
    epochs: int | None = None,
    limit: int | None = None,
    key: str | int | None = None,
    rtol: float = 0.0,
    atol: float = 0.0,
    ignore: tuple[str, ...] | list[str] = (),
    order: bool = True,
    cost: bool = True,
    cost_seconds: float = 0.5,
    progress: bool = False,
    stages: bool = True,
) -> Result:
    """Runs two input pipelines side by side and says whether they deliver the same examples.

    Each side is a function that builds a queue pipeline (run in a graph and session of its own), a
    Plan, a tf.data.Dataset or a function that returns one, "script.py:name", or the path of a
    recording made by queueio/recorder.py. Both must run to an end, or `limit` must be given:
    where neither ends by itself, each is stopped after 20,000 examples.

    Args:
      old, new: the sides.
      epochs: passed to functions with an argument `num_epochs` or `epochs`.
      limit: the number of examples after which each side is stopped.
      key: name or index of the component that holds the readers' keys (`file:record`); a string
        component that looks like one is found without.
      rtol, atol: floats may differ by atol + rtol * |old|.
      ignore: codes of findings that are no fault here, such as "static-shape".
      order: judge the shuffling; may run each side once more. Needs scipy.
      cost: measure throughput, time to the first batch, CPU and memory, in short turns.
      cost_seconds: how long a turn lasts.
      stages: where both sides have plans, say at which stage they first differ.
      progress: show a progress bar on standard error.

    Returns:
      A Result: `ok`, `level`, `print(result)`, `to_json()`, `to_html(path)`.

    Raises:
      CannotRun: a side cannot be built, loaded or read, or neither delivers an example.
      ValueError: `key` names no component, or the sides have none in common.
    """
    started = time.time()
    sides = as_side(old, "old", epochs), as_side(new, "new", epochs)
    case = _look(sides, limit, key, Tolerance(rtol, atol), epochs, progress)
    try:
        if order and not case.both.interrupted:
            case.mixing = _mixing(case)
        findings = [f for f in find(case) if f.code not in ignore]
        result = _result(case, findings)
    finally:
        case.both.close()
    if cost and not case.both.interrupted:
        result.old.cost, result.new.cost = costs.measure(*sides, seconds=cost_seconds)
    if stages and not case.both.interrupted:
        result.stages = _stages(sides, result)
    result.how = {
        "seconds": round(time.time() - started, 3),
        "command": " ".join(sys.argv),
        "epochs": epochs,
        "limit": limit,
        "key": key,
        "rtol": rtol,
        "atol": atol,
        "ignore": list(ignore),
    }
    return result


def _look(
    sides: tuple[Side, Side],
    limit: int | None,
    key: str | int | None,
    tolerance: Tolerance,
    epochs: int | None,
    progress: bool,
) -> Case:
    """The passes over both sides; the case holds all that the findings need."""
    with progress_of() if progress else nullcontext() as tick:
        both = _first_pass(sides, limit, key, tick)
    if not both.old.examples and not both.new.examples:
        raise CannotRun(
            f"neither side delivered an example: the old one ended with {both.old.end}, "
            f"the new one with {both.new.end}. Nothing was compared: "
            "look at the files that they read, and at the number of epochs."
        )
    difference = differ(both.sketch, both.old.spool, both.new.spool)
    if both.interrupted and _agree_so_far(both):
        both.same_order, difference = True, none()
    case = Case(both, both.schemas, difference, tolerance, epochs, both.select)
    if not difference.empty and not both.interrupted:
        _second_pass(case)
    return case


def _first_pass(
    sides: tuple[Side, Side], limit: int | None, key: str | int | None, tick: Any
) -> Both:
    """Both sides in lockstep; again, if their components turn out to be in other places."""
    both = run_both(*sides, limit, key, None, tick)
    if both.select is not None or both.interrupted or (select := by_content(both)) is None:
        return both
    both.close()
    return run_both(*sides, limit, key, select, tick)


def _second_pass(case: Case) -> None:
    """Fetches the differing examples whole, and matches them if they are none of chance."""
    difference, again = case.difference, case.both.again
    old = fetch(again[0], difference.only_old(), None, not case.sampled)
    like = _telling(old.examples, case.old)
    new = fetch(again[1], difference.only_new(), like, not case.sampled)
    case.fetched = old, new
    if may_be_chance(case.both, difference) and _left_out(case):
        case.left_out, case.difference = difference.lacking, none()
        case.fetched = Fetched(), Fetched()
    elif old.random or new.random:
        _pair_random(case)
    else:
        _pair(case)


def _left_out(case: Case) -> bool:
    """Whether each side lacks by chance what only the other one delivered."""
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
    case.pairs = match(*mine, case.tolerance, case.both.aligned)
    if case.sampled and (sure := [p for p in case.pairs if p.how in SURE]):
        case.pairs = sure  # of a sample, what is without counterpart says nothing
        return
    paired = {id(e) for p in case.pairs for e in (p.old, p.new)}
    case.left = tuple([e for e in side if id(e) not in paired] for side in mine)  # type: ignore
    _fill_unfetched(case)


def _telling(examples: list[Example], scan: Scan) -> Like:
    """The digests of the components that tell examples apart best, to find counterparts by."""
    variety = [len(marks) for marks in scan.marks]
    kept = {}
    for index, different in enumerate(variety):
        mine = {e.parts[index] for e in examples}
        if 2 * len(mine) >= len(examples) and different >= 0.9 * max(variety):
            kept[index] = mine
    return Like(kept)


def _agree_so_far(both: Both) -> bool:
    """Whether the streams are equal place by place as far as both came."""
    count = min(both.old.examples, both.new.examples)
    pairs = zip(both.old.spool.chunks(), both.new.spool.chunks(), strict=False)
    return all((a[: count - i] == b[: count - i]).all() for (i, a), (_, b) in pairs if i < count)


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


def _mixing(case: Case) -> Any:
    """The mixing of both sides, if there is order to judge and scipy to judge it with."""
    try:
        import scipy.stats  # noqa: F401
    except ImportError:
        return None
    if case.both.same_order or case.common < 0.5 * max(case.old.examples, case.new.examples):
        return None
    if min(case.old.examples, case.new.examples) < orders.LEAST:
        return None
    return orders.measure(*case.both.again)


def _result(case: Case, findings: list[Any]) -> Result:
    names = [[str(c) for c in schema.components] for schema in case.schemas]
    old, new = summary(case.old, names[0]), summary(case.new, names[1])
    if case.mixing is not None:
        old.mixing, new.mixing = case.mixing
    sketch = case.both.sketch
    return Result(
        level_of(case, findings),
        findings,
        old,
        new,
        case.both.interrupted,
        case.difference.method,
        sketch.failure_probability(case.difference.distinct),
        case=case,
    )


def _stages(sides: tuple[Side, Side], result: Result) -> Any:
    """The stage trees, where both sides have plans and at least one of them is one."""
    if all(getattr(side, "plan", None) is None for side in sides):
        return None
    plans = [plan_of(side) for side in sides]
    if None in plans:
        return None
    return compare_stages(plans[0], plans[1], result.level == "different")
