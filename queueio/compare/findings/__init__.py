"""What is wrong, by name. Each module looks for faults of one family.

    structure.py  components, names, dtypes, shapes, batch sizes
    ends.py       how the sides ended
    files.py      files missing or read twice, headers read as data
    counts.py     examples missing, extra, repeated; epochs; filters
    values.py     examples that changed, and how
    order.py      shuffling

A rule is a function from the Case to findings. A rule that explains differing examples claims
them, so that a later and vaguer one does not report them again.
"""

from __future__ import annotations

from queueio.compare.findings import counts, ends, files, order, structure, values
from queueio.compare.findings.case import Case, Evidence, Finding

__all__ = ["Case", "Evidence", "Finding", "find"]

RULES = [
    *structure.RULES,
    *ends.RULES,
    *values.FIRST,
    *counts.FIRST,
    *files.RULES,
    *counts.RULES,
    *values.RULES,
    *structure.LAST,
    *order.RULES,
]


def find(case: Case) -> list[Finding]:
    """All findings, most telling first."""
    found: list[Finding] = []
    # Interrupted, a side is not short of examples: what it delivered has the right form or not.
    rules = structure.RULES if case.both.interrupted else RULES
    for rule in rules:
        found += rule(case)
    return sorted(found, key=lambda f: (f.rank, -f.count))
