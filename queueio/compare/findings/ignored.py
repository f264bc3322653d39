"""Findings that are no fault here, as the user says; what they hid is not called identical."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from queueio.compare.findings.case import DIFFERENT, UNKNOWN, Finding

ALWAYS = "not-compared"  # nobody can know that what was not compared is no fault


def without(found: list[Finding], codes: Iterable[str]) -> tuple[list[Finding], list[Finding]]:
    """The findings that count, and those ignored.

    Where a side is random in nobody knows which components, ignoring that leaves values that were
    never compared: that is said instead.
    """
    chosen = set(codes)
    kept = [f for f in found if f.code not in chosen or f.code == ALWAYS]
    ignored = [f for f in found if f.code in chosen and f.code != ALWAYS]
    judged = {"distribution", ALWAYS} & {f.code for f in found}
    for each in [] if judged else ignored:
        if each.code == "random" and each.severity == DIFFERENT and not each.compared:
            text = f"Not compared: the values that are drawn. {each.sentence}"
            kept.append(replace(each, code=ALWAYS, severity=UNKNOWN, sentence=text))
    return sorted(kept, key=lambda f: (f.rank, -f.count)), ignored
