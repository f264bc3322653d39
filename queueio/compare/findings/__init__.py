"""What is wrong, by name. Each module looks for faults of one family.

    structure.py  components, names, dtypes, shapes, batch sizes
    ends.py       how the sides ended
    files.py      files missing or read twice, headers read as data
    twins.py      components that were equal, and are not
    drawn.py      components that are drawn anew in each run
    epochs.py     each example another number of times
    counts.py     examples missing, extra, repeated; filters
    often.py      examples that come more often, where chance has a part in it
    torn.py       components that belong to other examples
    values.py     examples that changed, and how
    padding.py    components padded to the longest of their batch
    order.py      shuffling

A rule is a function from the Case to findings. A rule that explains differing examples claims
them, so that a later and vaguer one does not report them again.
"""

from __future__ import annotations

from queueio.compare.findings import (
    counts,
    drawn,
    ends,
    epochs,
    files,
    often,
    order,
    padding,
    structure,
    torn,
    twins,
    values,
)
from queueio.compare.findings.case import NOTE, Case, Evidence, Finding

__all__ = ["Case", "Evidence", "Finding", "find"]

RULES = [
    *structure.RULES,
    *ends.RULES,
    *twins.RULES,
    *drawn.RULES,
    *values.FIRST,
    *torn.RULES,
    *counts.FIRST,
    *files.RULES,
    *counts.RULES,
    *often.RULES,
    *values.RULES,
    *padding.RULES,
    *structure.LAST,
    *epochs.LAST,
    *order.RULES,
]

ABOUT_VALUES = {"tolerance", "random"}
"""Notes about examples that differ."""


def find(case: Case) -> list[Finding]:
    """All findings, most telling first."""
    found: list[Finding] = []
    # Interrupted, a side is not short of examples: what it delivered has the right form or not.
    rules = structure.RULES if case.both.interrupted else RULES
    for rule in rules:
        found += rule(case)
    about = ABOUT_VALUES if case.pairs else {"random"}  # what is near was taken for the same
    if not any(f.severity != NOTE or f.code in about for f in found):
        found += values.unexplained(case)
    return sorted(found, key=lambda f: (f.rank, -f.count))
