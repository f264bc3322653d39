"""Examples that are on both sides, changed."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import Any

import numpy as np

from queueio.compare.findings.case import (
    DIFFERENT,
    NOTE,
    SHOWN,
    Case,
    Evidence,
    Finding,
    where,
)
from queueio.compare.findings.filled import are_one_hot, as_padding
from queueio.compare.findings.made import how_made, how_scaled
from queueio.compare.findings.renamed import in_words
from queueio.compare.match.change import SAME, Change
from queueio.compare.match.match import Pair
from queueio.compare.match.rounding import BFLOAT16, FINE, FLOAT16, ROUNDED, SHOWN_BY
from queueio.compare.reading.exact import differs
from queueio.compare.sides.schema import Component
from queueio.words import times

PADDED = ("padding-value", "padding-length")
BY_CHANCE, RARE = {"padding-value", "flipped", "transposed", "channels"}, 4
Groups = dict[tuple[int, str], list[Pair]]
NEAR_ONE = 0.1  # how far factors are from one that no scale is, but the ratio of two
AS = "as random augmentation does, or what takes values of whatever comes beside"
_SAID = {
    "padding-length": "is padded to another length",
    "padding-value": "is padded with another value",
    "channels": "has its channels in reverse order",
    "transposed": "is transposed",
    "flipped": "is flipped",
    "scale": "is multiplied by a constant factor",
    "offset": "is shifted by a constant",
    "linear": "is scaled and shifted",
    "carriage-return": "has a carriage return at the end on one side",
    "byte-order-mark": "begins with a byte order mark on one side",
    "trailing-nul": "ends with NUL bytes on one side",
    "newline": "ends with a newline on one side",
    "whitespace": "differs in white space",
    "path": "differs in the directory of a path",
    "encoding": "is in another string encoding",
    "case": "differs in upper and lower case",
    "float-difference": "differs by rounding",
    "values": "has other values",
    "places": "has the same values in other places",
}


def randomness(case: Case) -> list[Finding]:
    """A side that delivers other values each time it runs, in nobody knows which components."""
    old, new = (f.random for f in case.fetched)
    if not (old or new) or case.drawn.torn:
        return []
    case.explained.update({"missing", "extra", "repeats"})
    which = "both sides deliver" if old and new else f"the {'old' if old else 'new'} side delivers"
    when = "each time they run" if old and new else "each time it runs, the other one does not"
    text = f"Random values: {which} other values {when}, {AS}."
    shown = tuple(e for p in case.pairs[:SHOWN] for e in evidence(case, p))
    case.claim(case.pairs)
    return [Finding("random", DIFFERENT, text, case.difference.lacking, shown)]


def changed(case: Case) -> list[Finding]:
    """All other changes, one finding for each kind and component."""
    groups = _without_rare(_by_kind(case))
    case.claim(case.pairs)
    found = [_finding(case, i, kind, pairs) for (i, kind), pairs in groups.items()]
    titles = [case.old.schema.titles[i] for i, _ in groups]
    return [
        _capital(f)
        for f, title in zip(found, titles, strict=True)
        if f.code != "shape" or f"shape {title}" not in case.explained
    ]


def _by_kind(case: Case) -> Groups:
    groups: Groups = defaultdict(list)
    for pair in case.near:  # whose other changes, if any, are told of the pairs
        for index, change in enumerate(pair.changes):
            if change.kind == "tolerance":
                groups[index, "tolerance"].append(pair)
    padding, by_chance = as_padding(case, case.open_pairs()), _near_by_chance(case)
    for pair in case.open_pairs():
        for index, change in enumerate(pair.changes):
            other = change.kind in PADDED and (index, change.kind) not in padding
            other = other or (index in by_chance and _is_near(change))
            if change is not SAME:
                groups[index, "values" if other else change.kind].append(pair)
    return groups


def _near_by_chance(case: Case) -> set[int]:
    """The components of which values look rounded by chance: fewer than those that no rounding
    explains; or to bfloat16, where they are few different ones, or whole ones."""
    coarse: dict[int, list[Pair]] = defaultdict(list)
    near: Counter[int] = Counter()
    others: Counter[int] = Counter()
    for pair in case.open_pairs():
        for index, change in enumerate(pair.changes):
            if _is_coarse(change):
                coarse[index].append(pair)
            near[index] += _is_near(change)
            others[index] += change.kind == "values"
    few = {index for index, pairs in coarse.items() if _are_few(pairs, index)}
    return few | {index for index, many in near.items() if others[index] > many > 0}


def _is_near(change: Change) -> bool:
    """Whether the values are near, and yet differ by more than a float32 rounds."""
    return change.kind == "float-difference" and change.error > ROUNDED


def _are_few(pairs: list[Pair], index: int) -> bool:
    """Whether the values are few different ones, or one side's are whole, as a cast leaves none."""
    old, new = (
        np.concatenate([e.values[index].reshape(-1) for e in side]).astype(np.float64)
        for side in ([p.old for p in pairs], [p.new for p in pairs])
    )
    whole = any(bool((v == np.round(v)).all()) for v in (old, new))
    return whole or len(np.unique(old)) < SHOWN_BY


def _is_coarse(change: Change) -> bool:
    """Whether one side has values of bfloat16, and lost more by it than other rounding takes."""
    return change.amount == BFLOAT16 and change.error > FINE


def _without_rare(groups: Groups) -> Groups:
    """Of components that have other values in most examples, a few look flipped or padded by
    chance, as of truth values: they are changed as the others are."""
    found: Groups = {}
    for (index, kind), pairs in groups.items():
        others = groups.get((index, "values"), [])
        factor = 1 if all(_of_few_values(pair, index) for pair in pairs) else RARE
        rare = kind in BY_CHANCE and factor * len(pairs) < len(others)
        found.setdefault((index, "values" if rare else kind), []).extend(pairs)
    return found


def _of_few_values(pair: Pair, index: int) -> bool:
    value = pair.old.values[index]
    return value.dtype != object and len(np.unique(value.reshape(-1)[:1000])) < SHOWN_BY


def _both(case: Case, index: int) -> tuple[Component, Component]:
    return case.old.schema.components[index], case.new.schema.components[index]


def _capital(finding: Finding) -> Finding:
    return replace(finding, sentence=capitalised(finding.sentence))


def capitalised(text: str) -> str:
    """Names of components are the user's, and stay as they are."""
    return text[0].upper() + text[1:] if text.startswith("component ") else text


def _finding(case: Case, index: int, kind: str, pairs: list[Pair]) -> Finding:
    changes = [p.changes[index] for p in pairs]
    name = case.old.schema.titles[index]
    count = times(len(pairs), "example")
    if case.sampled or case.partly:
        differing = max(case.difference.lacking, case.difference.extra)
        count = f"{count} looked at (of {differing:,} that differ)"
    shown = tuple(e for p in pairs[:SHOWN] for e in evidence(case, p, index))
    if kind == "tolerance":
        error = _error(changes)
        text = f"{name} differs within the tolerance in {count}: by {error} at most (relative)."
        if not case.sampled and not case.unfetched:
            return Finding("tolerance", NOTE, text, len(pairs), shown)
        text += (
            " The others were not looked at: to be sure compare some of the files at a time, or "
            "fewer examples (limit=…) where nothing is shuffled."
        )
        return Finding("tolerance-unproven", DIFFERENT, text, len(pairs), shown)
    code, said = "changed" if kind == "places" else kind, _SAID[kind]
    if kind == "float-difference" and _by_bfloat16(changes):
        said = "differs by rounding to bfloat16"
    elif kind == "float-difference" and _by_float16(case, index, changes):
        said = "differs by rounding to float16"
    elif kind == "float-difference" and not _is_rounded(case, index, changes):
        said = "differs a little"
    shapes = [found for c in changes if kind == "values" and (found := _shapes(c))]
    if len(set(shapes)) == 1:
        code, (a, b) = "shape", shapes[0]
        said = f"has the shape {list(a)} in the old side, {list(b)} in the new one,"
    elif shapes and len(shapes) == len(changes):
        code, said = "shape", "has another shape"
    elif kind == "values":
        code = "changed"
        if all(c.differing == 1 for c in changes):
            said = "is changed in one value" if changes[0].total > 1 else "has another value"
    amount = _amount(kind, changes)
    if code == "shape" and are_one_hot(pairs, index):
        amount = ", as with another depth of one_hot"
    elif code == "shape" and len(set(shapes)) == 1 and len(shapes) == len(changes):
        amount = how_made(pairs, index)
    if code == "changed":
        amount = in_words(pairs, index) or how_made(pairs, index)
    elif kind == "scale" and {c.amount for c in changes} == {-1.0}:
        amount = f": by -1{how_scaled(pairs, index)}"
    if any(change.filled for change in changes):
        said += ", but for its padding,"
    text = f"{name} {said} in {count}{amount}."
    return Finding(code, DIFFERENT, text, len(pairs), shown)


def _shapes(change: Change) -> Any:
    """Both sides' shapes, where these are what differs."""
    if change.kind == "padding-length":
        return change.amount
    told = isinstance(change.amount, tuple) and change.amount[0] == "shape"
    return change.amount[1:] if told else None


def _by_bfloat16(changes: list[Change]) -> bool:
    return all(c.amount == BFLOAT16 for c in changes) and any(map(_is_coarse, changes))


def _by_float16(case: Case, index: int, changes: list[Change]) -> bool:
    """Whether float16 holds one side's values, although neither side has that dtype."""
    own = FLOAT16 in [component.dtype for component in _both(case, index)]
    shown = sum(c.total for c in changes) >= SHOWN_BY and any(map(_is_near, changes))
    return shown and not own and all(c.amount == FLOAT16 for c in changes)


def _is_rounded(case: Case, index: int, changes: list[Change]) -> bool:
    """Whether what differs is no more than the dtypes' rounding makes."""
    half = FLOAT16 in [component.dtype for component in _both(case, index)]
    return half or max(change.error for change in changes) <= ROUNDED


def _amount(kind: str, changes: list[Change]) -> str:
    amounts = {c.amount for c in changes}
    if kind == "float-difference":
        error = max(c.error for c in changes)
        return f": by {error:.2g} at most (relative); rtol={_above(error)} would accept that"
    if kind == "scale" and len(amounts) == 1:
        factor = changes[0].amount
        if abs(factor - 1) < NEAR_ONE:
            return f": by {factor:g}, as when one constant is a little other"
        inverse = 1 / factor if factor else 0
        whole = abs(factor) < 1 and abs(inverse - round(inverse)) < 1e-3 * abs(inverse)
        plain = f" = 1/{round(inverse)}" if whole else ""
        return f": by {factor:g}{plain}, as when a scale is applied twice or left out"
    if kind == "flipped" and len(amounts) == 1:
        return f": {changes[0].amount}"
    if kind == "linear" and len(amounts) == 1:
        slope, offset = changes[0].amount
        return f": new = old × {slope:.3g} {'−' if offset < 0 else '+'} {abs(offset):.3g}"
    if kind in ("scale", "offset", "linear") and len(amounts) > 1:
        return ": by another one in each, as augmentation or standardization does"
    if kind in ("offset", "transposed", "padding-value", "padding-length") and len(amounts) == 1:
        amount = changes[0].amount
        if kind == "transposed":
            return f": axes {amount[0]} and {amount[1]} of each example"
        if isinstance(amount, tuple):
            return f": {amount[0]} in the old side, {amount[1]} in the new one"
        return f": by {amount if isinstance(amount, int) else format(amount, 'g')}"
    return ""


def _above(error: float) -> str:
    power = 10.0 ** np.floor(np.log10(error)) if error > 0 else 1e-9
    return f"{np.ceil(error / power * 1.05) * power:.0e}"


def _error(changes: list[Change]) -> str:
    return f"{max(c.error for c in changes):.2g}"


def evidence(case: Case, pair: Pair, only: int | None = None) -> list[Evidence]:
    """The places where the pair differs, in one component or all."""
    schema = case.form.old.schema if pair in case.shown else case.old.schema
    found = []
    for index, change in enumerate(pair.changes):
        if change is SAME or only not in (None, index):
            continue
        old, new = pair.old.values[index], pair.new.values[index]
        name = schema.names[index]
        found.append(_place(where(pair.old), name, old, new, change))
    return found


def _place(at: str, name: str, old: Any, new: Any, change: Change) -> Evidence:
    """The first index that differs, if few do; else both values whole."""
    if old.shape == new.shape and old.ndim and 0 < change.differing <= 3:
        index = tuple(int(i[0]) for i in np.nonzero(_unequal(old, new)))
        return Evidence(at, name, index, old[index], new[index], (old, new))
    return Evidence(at, name, None, old, new)


def _unequal(old: Any, new: Any) -> Any:
    text = object in (old.dtype, new.dtype)
    return old != new if text else differs(old, new)


def unexplained(case: Case) -> list[Finding]:
    """A difference that no rule named is still a difference."""
    difference = case.difference
    if difference.empty or case.explained or case.both.interrupted:
        return []
    if ((difference.old_counts > 0) & (difference.new_counts > 0)).any():
        return []
    text = (
        f"{difference.lacking:,} of {case.old.examples:,} examples of the old side are not in the "
        f"new one, and {difference.extra:,} of the new one's {case.new.examples:,} not in the old."
    )
    return [Finding("examples", DIFFERENT, text, difference.lacking + difference.extra)]


FIRST = [randomness]
RULES = [changed]
