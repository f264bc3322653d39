"""Examples that come more often on one side, where chance has a part in how often they come."""

from __future__ import annotations

import numpy as np

from queueio.compare.findings.case import (
    DIFFERENT,
    NOTE,
    SHOWN,
    UNKNOWN,
    Case,
    Evidence,
    Finding,
    where,
)
from queueio.compare.mixing.chance import cut
from queueio.compare.mixing.pool import rounded
from queueio.compare.mixing.rates import AGREE, DRAWN, FEW, RATES, TOTAL, UNSURE, Often
from queueio.words import times

UNSEEN = "Not compared: how often each example comes"


def rates(case: Case) -> list[Finding]:
    """What comes more often in each run of one side."""
    often = case.often
    if often is None or often.kind != RATES:
        return []
    found = []
    for word, chosen in (
        ("often", often.chosen & (often.new > often.old)),
        ("rarely", often.chosen & (often.new < often.old)),
    ):
        if not chosen.any():
            continue
        at = int(np.argmax(np.where(chosen, np.abs(often.new - often.old), -1)))
        many = times(int(chosen.sum()), "example")
        text = (
            f"The new side delivers {many} too {word}, in each of its runs: one of them "
            f"{_per_run(often, at)}."
        )
        shown = _shown(case, often, chosen)
        found.append(Finding("how-often", DIFFERENT, text, int(chosen.sum()), shown))
    return found


def total(case: Case) -> list[Finding]:
    """How many come in each run."""
    often = case.often
    if often is None or often.kind != TOTAL:
        return []
    old, new = (rounded(float(side.sum())) for side in (often.old, often.new))
    text = (
        f"The number of examples differs in each run: about {old} in the old side and {new} in the "
        "new one, as where a random filter keeps another share."
    )
    return [Finding("how-often", DIFFERENT, text, len(often.lanes))]


def drawn(case: Case) -> list[Finding]:
    """What is drawn with replacement on one side only."""
    if case.often is None or case.often.kind != DRAWN:
        return []
    mine, other = ("new", "old") if case.often.side == "new" else ("old", "new")
    text = (
        f"The {mine} side draws its examples at random, so that each comes as often as it happens "
        f"to; the {other} one goes through all of them before it begins again."
    )
    return [Finding("how-often", DIFFERENT, text, len(case.often.lanes))]


def unsure(case: Case) -> list[Finding]:
    """Where too few came to compare how often they do."""
    often = case.often
    if often is None or often.kind not in (UNSURE, FEW):
        return []
    usual = rounded(float(np.median(np.concatenate([often.old, often.new]))))
    why = (
        "Some came more often on one side in all runs, but not all the time, or in runs that are "
        "all the same"
        if often.kind == UNSURE
        else f"Each comes about {usual} times, and one that comes twice as often would not show"
    )
    text = f"{UNSEEN}. {why}."
    text += " Give a higher limit." if cut(case.both) else " Give more epochs."
    return [Finding("not-compared", UNKNOWN, text, int(often.chosen.sum()))]


def hidden(case: Case) -> list[Finding]:
    """What would not show, as the number differs between the runs of one side."""
    often = case.often
    if often is None or often.kind != AGREE or not often.varies or cut(case.both):
        return []
    usual = float(np.median(np.concatenate([often.old, often.new])))
    if usual <= often.hidden:
        return []
    text = (
        f"How often an example comes differs between runs of one side, by up to {often.hidden} "
        f"where it comes about {rounded(usual)} times: other rates that make less of a difference "
        "would not show."
    )
    return [Finding("how-often-varies", NOTE, text)]


def _per_run(often: Often, at: int) -> str:
    old, new = rounded(float(often.old[at])), rounded(float(often.new[at]))
    return f"{old} times on average in the old side, {new} times in the new one"


def _shown(case: Case, often: Often, chosen: np.ndarray) -> tuple[Evidence, ...]:
    """Some of the examples, once each, with all their components."""
    lanes = often.lanes[chosen]
    known = {int(np.frombuffer(e.digest, np.uint64)[0]): e for e in case.unequal}
    some = [known[lane] for lane in lanes.tolist() if lane in known][:SHOWN]
    return tuple(
        Evidence(where(e), name, None, value, value)
        for e in some
        for name, value in zip(case.old.schema.names, e.values, strict=False)
    )


RULES = [rates, total, drawn, unsure, hidden]
