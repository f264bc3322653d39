"""Components that are equal in each example of the old side: two draws of one seed, say."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from queueio import recorder
from queueio.compare.findings.case import DIFFERENT, Case, Finding
from queueio.compare.match.change import SAME

LEAST = 16  # examples; fewer may be equal by chance
VARIED = 4
TORN = 3


def torn(case: Case) -> list[Finding]:
    """What was equal in all examples of the old side is not in those of the new one.

    It shows also where the values of both sides are random, and nothing else can be compared.
    """
    old, new = case.form.old, case.form.new
    if old.examples < LEAST or new.examples < LEAST:
        return []
    found = []
    for pair in combinations(range(len(old.schema.components)), 2):
        whole = old.alike.get(pair) == old.examples and len(old.marks[pair[0]]) >= VARIED
        apart = new.examples - new.alike.get(pair, 0)
        if whole and max(pair) < len(new.schema.components) and apart >= TORN:
            if _by_rounding(case, pair):
                continue
            _claim(case, pair)
            case.apart.update(pair)
            found.append(_finding(case, pair, apart))
    return found


def _finding(case: Case, pair: tuple[int, int], apart: int) -> Finding:
    a, b = (case.form.old.schema.titles[i] for i in pair)
    many = f"in {apart:,} of {case.new.examples:,}" if pair in case.form.new.alike else "in many"
    text = (
        f"The values of {a} and {b} are equal in each of the old side's examples; {many} of the new"
        " side's they are not. Draws of one seed, or lists shuffled by one, came apart: a map with"
        " num_parallel_calls, or a shuffle with another seed, tears them."
    )
    return Finding("torn", DIFFERENT, text, apart)


def _by_rounding(case: Case, pair: tuple[int, int]) -> bool:
    """Whether all of the new side's first examples are equal within the tolerance."""
    tolerance = case.tolerance
    for values in case.form.new.sample:
        a, b = (values[i] for i in pair)
        if recorder.kind_of(a) != "dense" or a.dtype.kind != "f" or a.shape != b.shape:
            return False
        if not np.allclose(a, b, tolerance.rtol, tolerance.atol, equal_nan=True):
            return False
    return bool(case.form.new.sample) and bool(tolerance.rtol or tolerance.atol)


def _claim(case: Case, pair: tuple[int, int]) -> None:
    for each in case.open_pairs() if case.whole is None else []:
        if all(change is SAME for i, change in enumerate(each.changes) if i not in pair):
            case.claim([each])
    if case.whole is None:
        case.explained.update({"missing", "extra", "repeats"})


RULES = [torn]
