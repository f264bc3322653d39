"""Components that are drawn anew in each run: which, and whether from one distribution."""

from __future__ import annotations

import numpy as np

from queueio.compare.draws.judgement import Judgement
from queueio.compare.draws.variety import LOOKED_AT
from queueio.compare.findings.case import (
    DIFFERENT,
    NOTE,
    SHOWN,
    UNKNOWN,
    Case,
    Finding,
)
from queueio.compare.findings.values import AS, capitalised, evidence
from queueio.compare.reading.scan import Scan
from queueio.words import times

ONCE = 0.1  # the share of different examples that come once, as a last batch left out has them do


def torn(case: Case) -> list[Finding]:
    """Components whose values are the same in each run, but paired with others each time."""
    if not case.drawn.torn:
        return []
    sides = "both sides" if len(case.drawn.torn) == 2 else ("the old side", "the new side")[
        next(iter(case.drawn.torn))
    ]  # fmt: skip
    case.explained.update({"missing", "extra", "repeats"})
    case.claim(case.pairs)
    shown = tuple(e for p in case.pairs[:SHOWN] for e in evidence(case, p))
    each = "each component alone" if case.whole is None else "each other component alone"
    text = (
        f"The pairs are torn: in {sides} {each} has the same values in each run, "
        "but beside other ones each time, as when components are shuffled apart from one another."
    )
    return [Finding("torn", DIFFERENT, text, case.difference.lacking, shown)]


def one_sided(case: Case) -> list[Finding]:
    """One side draws what the other does not."""
    found = []
    for name, mine, other in (
        ("old", case.drawn.old, case.drawn.new),
        ("new", case.drawn.new, case.drawn.old),
    ):
        if mine - other:
            text = (
                f"Random values: the {name} side delivers other values in "
                f"{_named(case, mine - other)} each time it runs, the other one does not, {AS}."
            )
            shown = tuple(e for p in case.shown[:SHOWN] for e in evidence(case, p))
            compared = bool(case.judgements)
            found.append(Finding("random", DIFFERENT, text, len(case.shown), shown, compared))
    return found


def judged(case: Case) -> list[Finding]:
    """What both sides draw, and whether that was seen to be the same."""
    told = (j for j in case.judgements if not _is_torn(case, j))
    return [_finding(case, judgement) for judgement in told]


def _is_torn(case: Case, judgement: Judgement) -> bool:
    """Whether it was said of components that came apart, and is about nothing else."""
    about = judgement.among if len(judgement.among) > 1 else (judgement.component,)
    return (judgement.torn or len(about) > 1) and not case.apart.isdisjoint(about)


def _finding(case: Case, judgement: Judgement) -> Finding:
    name = _named(case, frozenset([judgement.component]))
    over = f"over {times(judgement.examples, 'example')}"
    if judgement.among:
        text = f"{_named(case, frozenset(judgement.among))}: {judgement.text}."
        return Finding("distribution", DIFFERENT, capitalised(text), judgement.examples)
    if judgement.kind == "differs":
        text = f"{name} is drawn anew in each run, from another distribution: {judgement.text}."
        return Finding("distribution", DIFFERENT, capitalised(text), judgement.examples)
    if judgement.kind == "unknown":
        text = (
            f"Not compared: {name}. It is drawn anew in each run, so that only its distribution "
            f"could be compared, and that was not possible: {judgement.text}."
        )
        return Finding("not-compared", UNKNOWN, text, judgement.examples)
    if judgement.kind == "same":
        text = (
            f"Random values: both sides deliver other values in {name} each time they run, {AS}; "
            f"given the same draws they deliver the same, {over}."
        )
        return Finding("random", NOTE, text, judgement.examples)
    text = (
        f"Random values: both sides deliver other values in {name} each time they run, {AS}; the "
        f"distributions of single examples agree {over}: {judgement.text}."
    )
    return Finding("random", NOTE, text, judgement.examples)


def frozen(case: Case) -> list[Finding]:
    """What one side draws once, or more rarely, and the other one anew in each epoch."""
    if case.less_various is None:
        return []
    both = case.whole or case.both
    often = [_how_often(scan) for scan in (both.old, both.new)]
    mine, other = often[case.less_various], often[1 - case.less_various]
    side, less, more = ("old", "new")[case.less_various], len(mine), len(other)
    why = (
        "repeats what it has drawn, as when random values are cached"
        if np.mean(mine == 1) < ONCE
        else "draws fewer different values, as when they are drawn more rarely or from fewer"
    )
    text = (
        f"The {side} side {why}: {less:,} of its examples are different ones, {more:,} of the "
        "other's."
    )
    return [Finding("distribution", DIFFERENT, text, more - less)]


def _how_often(scan: Scan) -> np.ndarray:
    """How often each of a side's different examples comes."""
    return np.unique(scan.spool.read(0, LOOKED_AT)[:, 0], return_counts=True)[1]


def number(case: Case) -> list[Finding]:
    """Where all is drawn, examples can be counted at least."""
    old, new = case.old.examples, case.new.examples
    nothing_fixed = case.whole is case.both
    if not nothing_fixed or old == new or {case.old.end.kind, case.new.end.kind} != {"clean"}:
        return []
    if case.filtered:
        return []
    code = "missing" if old > new else "extra"
    text = f"The old side delivers {times(old, 'example')}, the new one {new:,}."
    return [Finding(code, DIFFERENT, text, abs(old - new))]


def _named(case: Case, components: frozenset[int]) -> str:
    return ", ".join(case.form.old.schema.titles[i] for i in sorted(components))


RULES = [torn, one_sided, frozen, judged, number]
