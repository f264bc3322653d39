"""Whole files missing or read twice, and header lines read as data."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from queueio import recorder
from queueio.compare.findings.case import DIFFERENT, Case, Finding, whole
from queueio.compare.findings.origins import RecordAt
from queueio.compare.findings.shown import show
from queueio.compare.reading.difference import count
from queueio.compare.reading.fetch import Example
from queueio.compare.reading.spool import table
from queueio.words import times

_WORDS = re.compile(rb"^[\s\"']*[A-Za-z_][\w .\-/()]*[\s\"']*$")


def files(case: Case) -> list[Finding]:
    """Whole files missing or read twice, where the records of the examples are known."""
    if {"missing", "extra"} <= case.explained or (counted := _by_file(case)) is None:
        return []
    old, new = counted
    found = []
    for name, mine, other in (("new", new, old), ("old", old, new)):
        gone = [f for f in other.often if f not in mine.often]
        if gone and len(gone) < len(other.often):
            many = sum(other.often[f] for f in gone)
            text = (
                f"{times(len(gone), 'file')} missing on the {name} side: {_names(gone)} "
                f"({times(many, 'example')})."
            )
            found.append(Finding("file-missing", DIFFERENT, text, many))
            _claim_files(case, gone, "missing" if name == "new" else "extra")
        twice = [f for f in mine.often if _again(mine, other, f)]
        if twice and len(twice) < len(mine.often):
            many = sum(mine.often[f] - other.often[f] for f in twice)
            often = mine.often[twice[0]] // other.often[twice[0]]
            text = (
                f"{times(len(twice), 'file')} read {often} times on the {name} side: "
                f"{_names(twice)} ({times(many, 'example')} too many)."
            )
            found.append(Finding("file-twice", DIFFERENT, text, many))
            case.explained.add("repeats")
    return found


@dataclass(frozen=True)
class _Files:
    """How many examples one side has of each file, and of how many records of it."""

    often: Counter[str]
    records: Counter[str]

    @classmethod
    def of(cls, counts: Counter[RecordAt]) -> _Files:
        often, records = Counter[str](), Counter[str]()
        for origin, count_ in counts.items():
            often[origin.file] += count_
            records[origin.file] += count_ > 0
        return cls(+often, +records)


def _again(mine: _Files, other: _Files, file: str) -> bool:
    """Whether one side has the very records of the other, but a whole number of times."""
    often, once = mine.often[file], other.often[file]
    same = mine.records[file] == other.records[file]
    return same and bool(once) and often % once == 0 and often >= 2 * once


def _by_file(case: Case) -> tuple[_Files, _Files] | None:
    """What each side has of each file: by the keys that it delivers, else by origin."""
    scans = case.old, case.new
    if all(scan.keys and len(scan.keys) == scan.examples for scan in scans):
        old, new = (_Files.of(Counter(map(_parsed, scan.keys))) for scan in scans)
        return old, new
    if case.old.keys or not _lost_or_repeated(case) or not _mostly_known(case):
        return None
    for example in case.left[0]:
        if example.digest in case.origins:
            example.key = case.origins[example.digest].key
    # What came changed is not missing.
    changed = {case.origins[p.old.digest].file for p in case.pairs if p.old.digest in case.origins}
    known = {d: origin for d, origin in case.origins.items() if origin.file not in changed}
    digests = table(known)
    often = [count(scan.spool, digests).tolist() for scan in scans]
    old, new = (
        _Files.of(Counter(dict(zip(known.values(), side, strict=True)))) for side in often
    )  # fmt: skip
    return old, new


def _mostly_known(case: Case) -> bool:
    """Whether most examples are of one record each: by the others no file can be told."""
    return 2 * int(count(case.old.spool, table(case.origins)).sum()) > case.old.examples


def _lost_or_repeated(case: Case) -> bool:
    old, new = case.difference.old_counts, case.difference.new_counts
    return bool(case.left[0]) or bool(((new > old) | ((old > new) & (new > 0))).any())


def _parsed(key: bytes | str) -> RecordAt:
    text = key if isinstance(key, str) else key.decode("utf-8", "backslashreplace")
    file, _, number = text.rpartition(":")
    return RecordAt(file, int(number)) if file and number.isdigit() else RecordAt(text, None)


def _names(names: list[str]) -> str:
    shown = ", ".join(names[:3])
    return shown + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _claim_files(case: Case, gone: list[str], side: str) -> None:
    for example in case.left[0 if side == "missing" else 1]:
        if example.key and _parsed(example.key).file in gone:
            case.claim([example])
    case.explained.add(f"{side}-files")


def first_records(case: Case) -> list[Finding]:
    """The first record of each file, or of the whole stream, is skipped by the new side."""
    left = [e for e in case.left[0] if id(e) not in case.claimed]
    names = _first_of_files(case, left) if left else None
    if names is None and not _are_first(case, left):
        return []
    case.claim(left)
    which = "the old side" if names is None else f"{_names(names)}"
    text = (
        f"The first record of {which} is missing on the new side, as when one line more is "
        "skipped: skip(2) for skip(1), say."
    )
    fewer, more = case.last
    fewer += len(left) - 1 if names is None else 0
    rest = [e for e in case.left[1] if id(e) not in case.claimed]
    if rest and _pushed_in(case, len(rest)):
        case.claim(rest)
        more += len(rest)
    if fewer:
        text += f" {times(fewer, 'example')} more at the end then fill no batch."
    if more:
        text += f" {times(more, 'example')} came into full batches at the end instead."
    case.last = 0, 0
    if case.old.end.kind == case.new.end.kind == "limit":
        case.explained.add("repeats")  # of the next epoch
    shown = tuple(ev for e in left[:5] for ev in whole(e, case.old.schema.names, True))
    return [Finding("first-missing", DIFFERENT, text, len(left), shown)]


def _first_of_files(case: Case, left: list[Example]) -> list[str] | None:
    """The files whose first records these are, all of them."""
    known = [_parsed(k) for k in case.old.keys] or [*case.origins.values()]
    first: dict[str, int] = {}
    for each in known:
        if each.number is not None:
            first[each.file] = min(first.get(each.file, each.number), each.number)
    found = [_parsed(e.key or "") for e in left]
    if not first or any(first.get(o.file, -1) != o.number for o in found):
        return None
    return [o.file for o in found]


def _are_first(case: Case, left: list[Example]) -> bool:
    """Whether it is the first one; with it may go those that then fill no batch at the end."""
    if not left or not _is_first(case, left[0]):
        return False
    rest, sizes = len(left) - 1, set(case.old.sizes) | set(case.new.sizes)
    last = case.old.spool.read(case.old.examples - rest, case.old.examples)
    full = len(sizes) == 1 and rest == max(sizes) - 1
    return not rest or (full and {d.tobytes() for d in last} == {e.digest for e in left[1:]})


def _is_first(case: Case, example: Example) -> bool:
    """Whether the old side begins with it, and the new side with what comes next."""
    if case.old.examples < 3 or case.new.examples < 3:
        return False
    head = case.old.spool.read(0, 2)
    return head[0].tobytes() == example.digest and bool(
        (case.new.spool.read(0, 1)[0] == head[1]).all()
    )


def _pushed_in(case: Case, count: int) -> bool:
    """Whether both sides drop an incomplete batch, which had so few examples."""
    sizes = set(case.old.sizes) | set(case.new.sizes)
    return len(sizes) == 1 and count < max(sizes)


def header(case: Case) -> list[Finding]:
    """A CSV header delivered as data."""
    found = []
    for is_old, left in ((True, case.left[0]), (False, case.left[1])):
        worded = [e for e in left if id(e) not in case.claimed and _is_worded(e, case)]
        lines = [e for e in worded if _may_begin(e)]
        if not lines or len(lines) < len(worded) or len({e.digest for e in lines}) > 3:
            continue  # lines of words that stand elsewhere are no headers, nor is what is like them
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


def _form(text: bytes) -> bytes:
    """What is left of a text when one figure is like another."""
    return re.sub(rb"\d+", b"0", text)


def _fields(example: Example) -> tuple[list[bytes], list[bytes]]:
    """An example's strings, but for keys, and what separators part them into."""
    texts = [t for t in _texts(example) if not re.match(rb"^.+:\d+$", t)]
    return texts, [f for t in texts for f in re.split(rb"[,;\t|]", t)]


def _may_begin(example: Example) -> bool:
    """Whether it is of several fields, or the first of its stream or file."""
    several = len(_fields(example)[1]) > 1
    return several or example.position == 0 or (example.key or "").endswith(":1")


def _is_worded(example: Example, case: Case) -> bool:
    """Fields that are all names, where the usual example has figures in its strings."""
    texts, fields = _fields(example)
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
    if {_form(t) for t in texts} & {_form(s) for s in figures if s not in texts}:
        return False  # others look just so
    return len(figures) > 0.5 * len(others)


RULES = [files, header, first_records]
