"""Examples that one side has and the other has not, or has more often."""

from __future__ import annotations

from collections import Counter

import numpy as np

from queueio.compare.findings import epochs
from queueio.compare.findings.case import (
    DIFFERENT,
    NOTE,
    SHOWN,
    Case,
    Evidence,
    Finding,
    where,
    whole,
)
from queueio.compare.findings.filters import inverted_filter, only_theirs
from queueio.compare.findings.paired import but_for_changes, counted, left_at_the_end
from queueio.compare.findings.structure import full_size, usual_size
from queueio.compare.reading.fetch import Example
from queueio.compare.reading.scan import Scan
from queueio.compare.reading.spool import table
from queueio.words import times


def tail_batch(case: Case) -> list[Finding]:
    """The smaller last batch is dropped by one side and kept by the other."""
    difference = but_for_changes(case)
    lacking, extra = difference.lacking, difference.extra
    if "missing" in case.explained or bool(lacking) == bool(extra):
        return []
    full, short = (case.old, case.new) if lacking else (case.new, case.old)
    size = usual_size(short) or usual_size(full)
    rest = full.examples % size if size else 0
    if not rest or rest != lacking + extra or set(short.sizes) - {size}:
        return []
    if len(full.sizes) == len(short.sizes) == 1:
        return []  # nobody knows how large their only batch would have been
    wanted = difference if lacking else but_for_changes(case, in_old=False)
    if not left_at_the_end(case, full, case.both.again[1 if lacking else 0], wanted):
        return []
    case.explained.update({"missing", "extra", "repeats", "tail"})
    name = "dropped" if lacking else "kept"
    text = (
        f"The tail batch is {name} by the new side: {times(rest, 'example')} that {_fill(rest)} no "
        f"batch of {size}, which the old side {'delivers' if lacking else 'leaves out'}."
    )
    return [Finding("tail-batch", DIFFERENT, text, rest)]


def _fill(count: int) -> str:
    return "fills" if count == 1 else "fill"


def missing(case: Case) -> list[Finding]:
    """What only one side has, that nothing above explained."""
    if unmatched := _unmatched(case):
        return unmatched
    found = []
    open_ = {o: sum(id(e) not in case.claimed for e in case.left[not o]) for o in (True, False)}
    for is_old, word, code in ((True, "missing", "missing"), (False, "extra", "extra")):
        left = [e for e in case.left[0 if is_old else 1] if id(e) not in case.claimed]
        if word in case.explained or not left:
            continue
        scan = case.old if is_old else case.new
        first = _in_a_row(case, scan, left) if 2 * open_[not is_old] < len(left) else -1
        rest = _rest_of_epochs(case, is_old, first, len(left)) if first >= 0 else ""
        run = _run(scan, first, len(left)) if first >= 0 and not rest else ""
        found_in, lost = ("old", "missing from the new") if is_old else ("new", "not in the old")
        count = f"{times(_many(case, left, is_old), 'example')} of the {found_in} side"
        text = f"{count} {_are(_many(case, left, is_old))} {lost} one"
        if case.sampled:
            text = text.replace(str(len(left)), f"at least {len(left)}", 1)
        name = "file-missing" if run and is_old and len(left) > 3 else code
        told = rest or run or only_theirs(case, left, is_old)
        text += f": {told}." if told else "."
        other, name_of = (case.new, "new") if is_old else (case.old, "old")
        if not other.examples:
            text = _nothing(name_of, full_size(other), scan.examples)
        case.claim(left)
        shown = tuple(ev for e in left[:SHOWN] for ev in whole(e, scan.schema.names, is_old))
        found.append(Finding(name, DIFFERENT, text, len(left), shown))
    return found


def _nothing(side: str, size: int, count: int) -> str:
    """Why a side delivers nothing, which has batches of `size` only, where that is not 0."""
    if count < size:
        return (
            f"The {side} side delivers no example: it has none but full batches of {size}, and the "
            f"{times(count, 'example')} that the other one delivers {_fill(count)} none."
        )
    return (
        f"The {side} side delivers no example and comes to its end at once, as where its files are "
        f"not found, or empty, or a filter keeps none; the other one delivers {count:,}."
    )


_SYSTEMATIC = {"scale", "offset", "linear", "channels", "transposed", "flipped"}


def _unmatched(case: Case) -> list[Finding]:
    """As many on both sides, where each other one is changed in one way: none need be missing."""
    left = [[e for e in side if id(e) not in case.claimed] for side in case.left]
    kinds = Counter(c.kind for p in case.pairs for c in p.changes)
    shapes = any(c.kind == "values" and isinstance(c.amount, tuple) and c.amount[0] == "shape"
                 for p in case.pairs for c in p.changes)  # fmt: skip
    common = any(2 * kinds[kind] > len(case.pairs) for kind in _SYSTEMATIC)
    if not left[0] or len(left[0]) != len(left[1]) or not (common or shapes):
        return []
    case.claim(left[0] + left[1])
    text = f"{times(len(left[0]), 'example')} of each side could not be told which is which."
    return [Finding("examples", DIFFERENT, text)]


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _many(case: Case, left: list[Example], is_old: bool) -> int:
    """How many they are: where a part of each is compared, those that are equal in it."""
    if case.whole is None:
        return len(left)
    difference, wanted = case.difference, {e.digest for e in left}
    counts = difference.old_counts if is_old else difference.new_counts
    both = zip(difference.digests, counts, strict=True)
    return sum(int(n) for digest, n in both if digest.tobytes() in wanted)


def _run(scan: Scan, first: int, count: int) -> str:
    """Where so many in a row stood, as a file's records do."""
    if count < 4:
        return ""
    last = first + count - 1
    where, done = f"number {first:,} to {last:,}", ""
    if first == 0:
        where, done = f"the first {count:,}", f" by skip({count}), or"
    elif last == scan.examples - 1:
        where, done = f"the last {count:,}", f" by take({first}), or"
    return f"{where} in a row, as{done} when a file is not read"


def _rest_of_epochs(case: Case, is_old: bool, first: int, count: int) -> str:
    """Whether so many in a row are the last of an epoch, too few for a batch of the other side,
    whose batches are all full."""
    scan, size = (case.old, full_size(case.new)) if is_old else (case.new, full_size(case.old))
    if count >= size:
        return ""
    end = first + count
    begins, follows = (scan.spool.read(at, at + 1) for at in (0, end))
    if not len(follows) or (begins != follows).any() or end % size != count:
        return ""
    return f"the last of each epoch, as when batch({size}, drop_remainder=True) is before repeat()"


def _in_a_row(case: Case, scan: Scan, left: list[Example]) -> int:
    """The place of the first one where they, and not all, stood in one run; else -1."""
    if case.sampled or len(left) == scan.examples:
        return -1
    digests = table(e.digest for e in left)
    places = scan.spool.positions(digests, 4 * len(left))[: len(left)]
    if len(places) < len(left) or places[-1] - places[0] != len(left) - 1:
        return -1
    return int(places[0])


def repeated(case: Case) -> list[Finding]:
    """What both have, but one more often."""
    if "repeats" in case.explained:
        return []
    found = []
    for name, scan in (("new", case.new), ("old", case.old)):
        difference = counted(case, in_old=name == "old")
        shared = (difference.old_counts > 0) & (difference.new_counts > 0)
        more = difference.new_counts > difference.old_counts
        chosen = shared & (more if name == "new" else ~more)
        if not chosen.any():
            continue
        digests = difference.digests[chosen]
        count = len(digests)
        a, b = difference.old_counts[chosen], difference.new_counts[chosen]
        one = "" if (a == a[0]).all() and (b == b[0]).all() else "one of them "
        text = (
            f"{times(count, 'example')} {_are(count)} delivered more often by the "
            f"{name} side: {one}{times(int(a[0]), 'time')} in the old, "
            f"{times(int(b[0]), 'time')} in the new"
        )
        block = count > 3 and _one_more(a, b) and _block(scan, digests)
        if block:
            text += "; they follow one another, as when a file is read twice"
        found.append(
            Finding(
                "file-twice" if block else "duplicated",
                DIFFERENT,
                text + ".",
                count,
                _named(case, digests),
            )
        )
    return found


def _one_more(old: np.ndarray, new: np.ndarray) -> bool:
    """Whether nearly all come as often as the others, as where a file is read again; some may be
    in several files."""
    times_each = np.unique(np.stack([old, new]), axis=1, return_counts=True)[1]
    return bool(times_each.max() >= 0.9 * len(old))


def _block(scan: Scan, digests: np.ndarray) -> bool:
    places = scan.spool.positions(digests, 64 * len(digests))
    runs = 1 + int((np.diff(places) > 1).sum())
    return runs <= max(2, len(places) // len(digests)) and len(places) >= 2 * len(digests)


def _named(case: Case, digests: np.ndarray) -> tuple[Evidence, ...]:
    wanted = {d.tobytes() for d in digests}
    wanted -= {e.digest for p in case.pairs for e in (p.old, p.new)}  # of these values differ
    some = [e for f in case.fetched for e in f.examples if e.digest in wanted][:SHOWN]
    return tuple(
        Evidence(where(e), n, None, v, v)
        for e in some
        for n, v in zip(case.old.schema.names, e.values, strict=False)
    )


def left_out(case: Case) -> list[Finding]:
    """What shuffling leaves out at the end, which is other examples in each run."""
    if not case.left_out or case.old.end.kind == "limit":
        return []
    why = (
        "as one of them shuffles; in other runs it leaves out others."
        if case.one_shuffles
        else "as both shuffle; each delivers them in other runs."
    )
    text = (
        f"Both sides drop an incomplete last batch: {times(case.left_out, 'example')} that one "
        f"delivered the other left out this time, {why}"
    )
    return [Finding("remainder", NOTE, text, case.left_out)]


def last_ones(case: Case) -> list[Finding]:
    """What the end of the last full batch leaves out, where examples before it differ."""
    many = sum(case.last)
    if not many:
        return []
    text = (
        f"Both sides drop an incomplete last batch, which begins elsewhere as other examples "
        f"differ: {times(many, 'example')} at the end of one side {_are(many)} left out "
        "of the other."
    )
    return [Finding("remainder", NOTE, text, many)]


FIRST = [left_out, *epochs.RULES, tail_batch]
RULES = [inverted_filter, missing, repeated, last_ones]
