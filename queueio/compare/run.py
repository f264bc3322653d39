"""`compare`: both sides run, matched, judged."""

from __future__ import annotations

import functools
import numbers
import sys
import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from queueio.compare.draws.told import first_of_each
from queueio.compare.findings import Case, Finding, find
from queueio.compare.findings.codes import check
from queueio.compare.findings.ignored import without
from queueio.compare.look import look
from queueio.compare.look_drawn import look_at_drawn
from queueio.compare.match.change import Tolerance
from queueio.compare.mixing import order as orders
from queueio.compare.reading.spool import tells_order
from queueio.compare.report.outcome import level_of
from queueio.compare.report.result import Result
from queueio.compare.report.summary import summary
from queueio.compare.sides import cost as costs
from queueio.compare.sides.behaviour import as_alone
from queueio.compare.sides.given import as_side
from queueio.compare.sides.graph_side import plan_of
from queueio.compare.sides.side import Side
from queueio.compare.stages import LIMIT, compare_stages
from queueio.errors import message


@as_alone
def compare(
    old: Any,
    new: Any,
    *,
    epochs: int | None = None,
    limit: int | None = None,
    key: str | int | None = None,
    rtol: float = 0.0,
    atol: float = 0.0,
    ignore: str | Iterable[str] = (),
    order: bool = True,
    cost: bool = True,
    cost_seconds: float = 0.5,
    progress: bool = False,
    stages: bool = True,
    allow: str | Iterable[str] = (),
    draw_seconds: float = 60.0,
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
      rtol, atol: floats may differ by atol + rtol * |old|, integers never; where both are 0, 0.0
        equals -0.0 and any NaN any other, all else must have the same bits.
      ignore: codes of findings that are no fault here, such as "static-shape".
      order: judge the shuffling; may run each side once more. Needs scipy.
      cost: measure throughput, time to the first batch, CPU and memory, in short turns.
      cost_seconds: how long a turn lasts.
      stages: where both sides have plans, say at which stage they first differ.
      progress: say on standard error how far it is, and after ten seconds which side goes on.
      allow: types of ops with an effect on the world ("WriteFile") that may run although a side
        imports them from a MetaGraph.
      draw_seconds: how long components that are drawn anew in each run (random augmentation) may
        be run again and again, until their distributions are known well enough to be compared.

    Returns:
      A Result: `ok`, `level`, `print(result)`, `to_json()`, `to_html(path)`.

    Raises:
      CannotRun: a side cannot be built, loaded or read, or neither delivers an example.
      ValueError: `key` names no component, the sides have none in common, `ignore` has a code
        that is none, or a number is none that there can be.
    """
    ignore, allow = _several(ignore), _several(allow)
    check(ignore)
    _check_numbers(
        limit, rtol=rtol, atol=atol, cost_seconds=cost_seconds, draw_seconds=draw_seconds
    )
    started = time.time()
    may = frozenset(allow)
    sides = as_side(old, "old", epochs, may), as_side(new, "new", epochs, may)
    case = look(sides, limit, key, Tolerance(rtol, atol), epochs, progress)
    if case.drawn.old or case.drawn.new:
        case = look_at_drawn(case, sides, limit, key, draw_seconds, "random" in ignore)
    try:
        if order and not case.both.interrupted and not _stalled(case):
            case.mixing = _mixing(case)
        result = _result(case, find(case), ignore)
    finally:
        case.both.close()
        case.form.close()
    ran = not case.both.interrupted and not _stalled(case)
    if cost and ran:
        result.old.cost, result.new.cost = costs.measure(*sides, seconds=cost_seconds)
    if stages and ran:
        result.stages = _stages(sides, result)
    result.how = {
        "seconds": round(time.time() - started, 3),
        "command": " ".join(sys.argv),
        "epochs": epochs,
        "limit": limit,
        "key": key,
        "rtol": rtol,
        "atol": atol,
        "ignore": ignore,
    }
    return result


def _check_numbers(limit: int | None, **amounts: float) -> None:
    """Refuses what would be taken for another number: a verdict says what it was given."""
    if limit is not None and not (_is_real(limit) and limit >= 1 and limit % 1 == 0):
        do = "Use limit=1 or more, or None for none"
        raise ValueError(message(f"limit={limit!r} is not a number of examples", do=do))
    for name, amount in amounts.items():
        if not (_is_real(amount) and amount >= 0):
            do = f"Use {name}=0 or more"
            raise ValueError(message(f"{name}={amount!r} is not an amount", do=do))


def _is_real(number: Any) -> bool:
    return isinstance(number, numbers.Real)


def _several(given: str | Iterable[str]) -> list[str]:
    """A list of texts; one text is one of them, not its letters."""
    return [given] if isinstance(given, str) else list(given)


def _stalled(case: Case) -> bool:
    """Whether a side stopped delivering, and would do so in each further run."""
    return "stalled" in (case.old.end.kind, case.new.end.kind)


def _mixing(case: Case) -> Any:
    """The mixing of both sides, if there is order to judge and scipy to judge it with."""
    try:
        import scipy.stats  # noqa: F401
    except ImportError:
        return None
    few = min(case.old.examples, case.new.examples) < orders.LEAST
    if case.both.same_order or case.common < 0.5 * max(case.old.examples, case.new.examples):
        return None
    if case.filtered or (case.varies and few):
        case.keep_order = None, None  # other examples come each time, in order or not
        return None
    if few:
        case.keep_order = orders.keep_order(*case.both.again)
        return None
    if not _told_apart(case):
        case.alike = len(np.unique(case.old.spool.read(0, 1000)[:, 0]))
        return None
    old, new = case.both.again
    case.repeats = orders.repeats_by_seed(old, new)
    case.reseeded = case.repeats and case.old.seeded
    return orders.measure(old, orders.reseeded(new) if case.reseeded else new)


def _told_apart(case: Case) -> bool:
    """Whether there are different examples, to be followed: where some are drawn, most of them, or
    of several epochs each in all of them."""
    first = case.old.spool.read(0, 1000)[:, 0]
    different = np.unique(first)
    if not tells_order(different):
        return False
    if case.whole is None or 2 * len(different) > len(first) / max(1, case.epochs or 1):
        return True
    return first_of_each(case.old.spool.read(0, orders.WINDOW)[:, 0]) is not None


def _result(case: Case, found: list[Finding], ignore: Iterable[str]) -> Result:
    findings, ignored = without(found, ignore)
    names = [[str(c) for c in schema.components] for schema in case.schemas]
    old, new = summary(case.old, names[0]), summary(case.new, names[1])
    if case.mixing is not None:
        old.mixing, new.mixing = case.mixing
    return Result(
        level_of(case, findings, ignored),
        findings,
        old,
        new,
        case.both.interrupted,
        ignored=ignored,
        case=case,
    )


def _stages(sides: tuple[Side, Side], result: Result) -> Any:
    """The stage trees, where both sides have plans and at least one of them is one."""
    if all(getattr(side, "plan", None) is None for side in sides):
        return None
    plans = [plan_of(side) for side in sides]
    if None in plans:
        return None
    part = functools.partial(compare, limit=LIMIT, order=False, cost=False, stages=False)
    return compare_stages(plans[0], plans[1], result.level == "different", part)
