"""How the sides ended: cleanly, with an error, or not at all."""

from __future__ import annotations

from typing import Any

import numpy as np

from queueio import recorder
from queueio.compare.findings.case import (
    DIFFERENT,
    NOTE,
    UNKNOWN,
    Case,
    Evidence,
    Finding,
)
from queueio.compare.mixing.pool import rounded
from queueio.compare.mixing.rates import AGREE
from queueio.compare.reading.lockstep import UNBOUNDED_LIMIT
from queueio.compare.reading.scan import Scan
from queueio.words import times

_COMPRESSED = {
    b"\x1f\x8b\x08": "gzip",
    b"\x78\x01": "zlib",
    b"\x78\x9c": "zlib",
    b"\x78\xda": "zlib",
}


def compression(case: Case) -> list[Finding]:
    """Compressed bytes delivered as data, or taken for a corrupt record."""
    found = []
    for name, scan, other in (("old", case.old, case.new), ("new", case.new, case.old)):
        raw, clean = _compressed_text(scan), _compressed_text(other)
        if raw is not None and clean is None:
            kind, value = raw
            text = (
                f"The {name} side reads {kind} files without decompressing them: "
                f"its strings begin with {value[:2]!r}."
            )
            case.explained.update({"missing", "extra", "end"})
            case.claim(case.pairs)
            shown = Evidence(
                "first such example",
                "",
                None,
                *((value[:24], None) if name == "old" else (None, value[:24])),
            )
            found.append(Finding("compression", DIFFERENT, text, scan.examples, (shown,)))
        elif _stopped_at_once(scan) and other.end.kind == "clean" and other.examples:
            text = (
                f"The {name} side takes its first record for corrupt ({scan.end}): "
                "a compressed file is read without its compression type, or a plain one with it."
            )
            case.explained.update({"missing", "extra", "end"})
            found.append(Finding("compression", DIFFERENT, text, other.examples))
    return found


def _compressed_text(scan: Scan) -> tuple[str, bytes] | None:
    for values in scan.sample[:4]:
        for value in values:
            flat = getattr(value, "values", value)
            if not recorder.is_text(flat):
                continue
            for text in flat.reshape(-1).tolist()[:16]:
                if kind := _packed(text):
                    return kind, text
    return None


def _packed(text: Any) -> str:
    """How it seems to be compressed, or ""."""
    kinds = (kind for head, kind in _COMPRESSED.items()
             if isinstance(text, bytes) and text.startswith(head))  # fmt: skip
    kind = next(kinds, "")
    return kind if kind and any(c > 126 or c < 9 for c in text[2:12]) else ""


def _stopped_at_once(scan: Scan) -> bool:
    said = scan.end.message.lower()
    clues = (
        "corrupted record at 0",
        "truncated record at 0",
        "incorrect header check",
        "inflate",
        "not a gzip",
        "unknown compression",
        "invalid gzip",
    )
    if scan.end.kind != "error" or scan.examples:
        return False
    return any(clue in said for clue in clues)


def different_end(case: Case) -> list[Finding]:
    """An error against a clean end; both in error with other types; a stall."""
    old, new = case.old.end, case.new.end
    if "end" in case.explained or "interrupted" in (old.kind, new.kind):
        return []
    for name, end, other in (("old", old, new), ("new", new, old)):
        if end.kind == "stalled" and other.kind != "stalled":
            _explain_missing(case, name == "old")
            text = f"The {name} side stopped delivering and never ended; the other reached {other}."
            return [Finding("never-ends", DIFFERENT, text)]
    if {old.kind, new.kind} == {"error", "clean"} or {old.kind, new.kind} == {"error", "limit"}:
        after = f"after {case.old.examples:,} and {case.new.examples:,} examples"
        text = f"The old side ends with {old}, the new one with {new}, {after}."
        _explain_missing(case, old.kind == "error")
        return [Finding("end", DIFFERENT, text)]
    if old.kind == new.kind == "error" and old.error != new.error:
        return [
            Finding("end", DIFFERENT, f"The sides end with different errors: {old} against {new}.")
        ]
    return []


def _explain_missing(case: Case, is_old: bool) -> None:
    """What a side that was stopped did not come to deliver is missing for that reason."""
    if not case.left[0 if is_old else 1]:
        case.explained.update({"extra" if is_old else "missing", "repeats"})


def both_fail(case: Case) -> list[Finding]:
    """Both stop with the same error: what would come behind it was seen by nobody."""
    old, new = case.old.end, case.new.end
    if old.kind != "error" or new.kind != "error" or old.error != new.error:
        return []
    text = (
        f"Both sides stop with {old.error}, after {case.old.examples:,} and "
        f"{case.new.examples:,} examples: what would follow was not compared. {old}"
    )
    return [Finding("both-fail", NOTE, text)]


def never_ends(case: Case) -> list[Finding]:
    """One side ended, the other was cut off far beyond."""
    for name, scan, other in (("old", case.old, case.new), ("new", case.new, case.old)):
        if (
            scan.end.kind == "limit"
            and other.end.kind == "clean"
            and other.examples < scan.examples
        ):
            case.explained.update({"repeats", "extra" if name == "new" else "missing"})
            text = (
                f"The {name} side goes on and on: it was stopped after "
                f"{times(scan.examples, 'example')}; the other one ended after "
                f"{other.examples:,}. That is num_epochs (repeat in "
                "tf.data): left out, or far larger."
            )
            return [Finding("never-ends", DIFFERENT, text, scan.examples - other.examples)]
    return []


def beyond(case: Case) -> list[Finding]:
    """Shuffled sides were read on beyond a low limit."""
    if not case.beyond:
        return []
    text = (
        f"The first {times(case.beyond, 'example')} of a shuffled side are other ones in each run: "
        f"both sides were read on, to {case.old.examples:,} and {case.new.examples:,}."
    )
    return [Finding("cut-off", NOTE, text)]


def untold(case: Case) -> list[Finding]:
    """What shuffled sides that were cut off have delivered on one side only."""
    if not case.untold:
        return []
    text = (
        f"Not compared: {times(case.untold, 'example')} that came from one side only before both "
        "were cut off. What a shuffled side delivers first is chance, also from run to run, and "
        "what is drawn for each example is another one each time: let both run to their ends, as "
        "with num_epochs, or give a higher limit."
    )
    return [Finding("not-compared", UNKNOWN, text, case.untold)]


def cut_off(case: Case) -> list[Finding]:
    """Both were cut off: what differs near the cut says nothing."""
    if case.old.end.kind == case.new.end.kind == "limit" and not case.beyond:
        why = (
            "neither ends by itself" if case.old.examples >= UNBOUNDED_LIMIT else "the limit given"
        )
        text = f"Both sides were stopped after {times(case.old.examples, 'example')} ({why})."
        text += _one_time_more(case)
        return [Finding("cut-off", NOTE, text)]
    return []


def _one_time_more(case: Case) -> str:
    """What the cut hides of how often examples come."""
    often = case.often
    if often is None or often.kind != AGREE:
        return ""
    usual = max(1.0, float(np.median(np.concatenate([often.old, often.new]))))
    return (
        f" Each example comes about {rounded(usual)} times, one time more or less by the cut: that "
        f"a class comes {100 / usual:.2g}% more often would not show."
    )


RULES = [compression, different_end, both_fail, never_ends, cut_off, beyond, untold]
