"""Components that are padded to the longest of their batch."""

from __future__ import annotations

import math

from queueio.compare.findings.case import DIFFERENT, NOTE, WORSE, Case, Finding
from queueio.compare.findings.values import capitalised
from queueio.compare.mixing.pool import rounded
from queueio.compare.reading.padding import Takes

MORE, SURE = 1.2, 3.0  # times as many values, and deviations, from which on a side pads more


def padding(case: Case) -> list[Finding]:
    """What batches add to an example is said once, and no difference; unless one side adds more."""
    titles = case.form.old.schema.titles
    return [_finding(titles[p.component], p.further, p.takes) for p in case.padded]


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
