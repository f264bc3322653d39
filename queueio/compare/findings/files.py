"""Whole files missing or read twice, and header lines read as data."""

from __future__ import annotations

import re
from collections import Counter

from queueio import recorder
from queueio.compare.example import Example
from queueio.compare.findings.case import DIFFERENT, Case, Finding, show, times, whole

_WORDS = re.compile(rb"^[\s\"']*[A-Za-z_][\w .\-/()]*[\s\"']*$")


def files(case: Case) -> list[Finding]:
    """Whole files missing or read twice, where the readers' keys are known."""
    if not case.old.keys or not case.new.keys or {"missing", "extra"} <= case.explained:
        return []
    if len(case.old.keys) != case.old.examples or len(case.new.keys) != case.new.examples:
        return []
    old, new = (Counter(k.rpartition(b":")[0] for k in s.keys) for s in (case.old, case.new))
    found = []
    for name, mine, other in (("new", new, old), ("old", old, new)):
        gone = [f for f in other if f not in mine]
        if gone and len(gone) < len(other):
            count = sum(other[f] for f in gone)
            text = (
                f"{times(len(gone), 'file')} missing on the {name} side: {_names(gone)} "
                f"({times(count, 'example')})."
            )
            found.append(Finding("file-missing", DIFFERENT, text, count))
            _claim_files(case, gone, "missing" if name == "new" else "extra")
        twice = [
            f for f in mine if other[f] and mine[f] % other[f] == 0 and mine[f] >= 2 * other[f]
        ]
        if twice and len(twice) < len(mine):
            count = sum(mine[f] - other[f] for f in twice)
            often = mine[twice[0]] // other[twice[0]]
            text = (
                f"{times(len(twice), 'file')} read {often} times on the {name} side: "
                f"{_names(twice)} ({times(count, 'example')} too many)."
            )
            found.append(Finding("file-twice", DIFFERENT, text, count))
            case.explained.add("repeats")
    return found


def _names(names: list[bytes]) -> str:
    shown = ", ".join(n.decode("utf-8", "backslashreplace") for n in names[:3])
    return shown + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _claim_files(case: Case, gone: list[bytes], side: str) -> None:
    names = {f.decode("utf-8", "replace") for f in gone}
    for example in case.left[0 if side == "missing" else 1]:
        if example.key and example.key.rpartition(":")[0] in names:
            case.claim([example])
    case.explained.add(f"{side}-files")


def header(case: Case) -> list[Finding]:
    """A CSV header delivered as data."""
    found = []
    for is_old, left in ((True, case.left[0]), (False, case.left[1])):
        lines = [e for e in left if id(e) not in case.claimed and _is_header(e, case)]
        if not lines or len({e.digest for e in lines}) > 3:
            continue
        case.claim(lines)
        name = "old" if is_old else "new"
        text = f"The {name} side reads the header line as data: {_text(lines[0])}."
        shown = whole(lines[0], case.old.schema.names, is_old)
        found.append(Finding("header", DIFFERENT, text, len(lines), shown))
    return found


def _texts(example: Example) -> list[bytes]:
    return [
        s
        for v in example.values
        if v.dtype == object
        for s in v.reshape(-1).tolist()
        if isinstance(s, bytes)
    ]


def _text(example: Example) -> str:
    return ", ".join(show(t) for t in _texts(example)[:4])


def _is_header(example: Example, case: Case) -> bool:
    """Fields that are all names, where the usual example has figures in its strings."""
    texts = [t for t in _texts(example) if not re.match(rb"^.+:\d+$", t)]
    fields = [f for t in texts for f in re.split(rb"[,;\t|]", t)]
    if not fields or not all(_WORDS.match(f) for f in fields):
        return False
    others = [
        s
        for scan in (case.old, case.new)
        for values in scan.sample[:4]
        for v in values
        if recorder.is_text(v)
        for s in v.reshape(-1).tolist()[:50]
    ]
    figures = [s for s in others if isinstance(s, bytes) and re.search(rb"\d", s)]
    many = len(fields) > 1 or example.position == 0 or (example.key or "").endswith(":1")
    return many and len(figures) > 0.5 * len(others)


RULES = [files, header]
