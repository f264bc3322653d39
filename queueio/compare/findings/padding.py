"""Components that are padded to the longest of their batch."""

from __future__ import annotations

from queueio.compare.findings.case import DIFFERENT, NOTE, Case, Finding
from queueio.compare.findings.values import capitalised


def padding(case: Case) -> list[Finding]:
    """What batches add to an example is said once, and no difference; unless one side adds more."""
    return [_finding(case.form.old.schema.titles[p.component], p.further) for p in case.padded]


def _finding(name: str, further: str) -> Finding:
    if further:
        text = f"{name} is padded further by the {further} side than the longest of a batch needs."
        return Finding("padding-length", DIFFERENT, capitalised(text))
    text = (
        f"{name} is padded to the longest of its batch, which are other ones in each order: "
        "examples are compared as padded to one length."
    )
    return Finding("padding", NOTE, capitalised(text))


RULES = [padding]
