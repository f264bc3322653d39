"""Components that are padded to the longest of their batch."""

from __future__ import annotations

import math
from itertools import pairwise

from queueio.compare.findings.case import DIFFERENT, NOTE, WORSE, Case, Finding
from queueio.compare.findings.structure import usual_size
from queueio.compare.findings.values import capitalised
from queueio.compare.mixing.order import infer_epochs
from queueio.compare.mixing.pool import rounded
from queueio.compare.reading.padding import Spans, Takes
from queueio.words import times

LEAST_SIZE, TURNS = 4, 4
MORE, SURE = 1.2, 3.0  # times as many values, and deviations, from which on a side pads more


def padding(case: Case) -> list[Finding]:
    """What batches add to an example is said once, and no difference; unless one side adds more."""
    titles = case.form.old.schema.titles
    found = [_finding(titles[p.component], p.further, p.takes) for p in case.padded]
    size, epochs = usual_size(case.old), max(map(infer_epochs, (case.old, case.new)))
    if min(size, usual_size(case.new)) < LEAST_SIZE:
        return found
    for p in case.padded:
        for name, mine, other in (("old", *p.spans), ("new", *p.spans[::-1])):
            cuts = borders(mine, other, 2 * epochs + TURNS)
            found += [_border(titles[p.component], name, other, *cut) for cut in cuts]
    return found


def borders(mine: Spans, other: Spans, turns: int) -> list[tuple[int, int]]:
    """The lengths next to one another that are in a batch of the other side together and in none of
    this one, whose batches turn from shorter to longer ones so often that the data is not in that
    order by itself."""
    known = sorted({n for span in (*mine, *other) for n in span})
    found = []
    for low, high in pairwise(known):
        if any(a <= low and b >= high for a, b in mine):
            continue
        longer = [a >= high for a, _ in mine]
        if sum(a != b for a, b in pairwise(longer)) >= turns and _crossing(other, low, high):
            found.append((low, high))
    return found


def _crossing(spans: Spans, low: int, high: int) -> int:
    return sum(a <= low and b >= high for a, b in spans)


def _border(name: str, side: str, other: Spans, low: int, high: int) -> Finding:
    crossing, batches = _crossing(other, low, high), times(len(other), "batch", "batches")
    text = (
        f"{name} of up to {low} values and of {high} or more is in no batch of the {side} side "
        f"together, but in {crossing:,} of {batches} of the other one, as with another bucket "
        "boundary."
    )
    return Finding("buckets", NOTE, capitalised(text))


def _finding(name: str, further: str, takes: tuple[Takes, Takes]) -> Finding:
    if further:
        text = f"{name} is padded further by the {further} side than the longest of a batch needs."
        return Finding("padding-length", DIFFERENT, capitalised(text))
    old, new = (rounded(side.mean) for side in takes)
    if _more(*takes):
        text = (
            f"{name} takes more padding in the new side: {new} values an example, {old} in the old "
            "one, as where examples of unlike lengths come into one batch: with other bucket "
            "boundaries, or none."
        )
        return Finding("padding", WORSE, capitalised(text))
    text = (
        f"{name} is padded to the longest of its batch, which are other ones in each order: "
        "examples are compared as padded to one length."
    )
    if all(side.whole for side in takes):
        text += f" With it an example takes {old} values in the old side, {new} in the new one."
    return Finding("padding", NOTE, capitalised(text))


def _more(old: Takes, new: Takes) -> bool:
    """Whether the new side surely pads more, by more than chance makes of the batches."""
    if not (old.whole and new.whole) or not old.mean or new.mean < MORE * old.mean:
        return False
    error = math.hypot(old.error / old.mean, new.error / new.mean)
    return math.log(new.mean / old.mean) > SURE * error


RULES = [padding]
