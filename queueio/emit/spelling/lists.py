"""Lists as a person writes them: `[[0.0]] * 64 + [[0]]`, `columns[:-1]`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from queueio.emit.spelling.code import PRODUCT, SUM, WIDTH, Code, call, code, sequence

_RUN = 4  # items that repeat, or follow one another in another list, before they are written as one


def listed(items: Iterable[Any], brackets: str = "[]") -> Code:
    """A list of items, or a tuple; a tuple may take slices only."""
    runs = _runs([code(item) for item in items], equal=brackets == "[]")
    whole = [isinstance(run, Code) for run in runs]
    if whole == [True]:
        return runs[0] if brackets == "[]" else call("tuple", runs[0])
    if any(whole) and brackets == "[]":
        flat = " + ".join((run if one else sequence(run, "[]")).flat
                          for one, run in zip(whole, runs, strict=True))  # fmt: skip
        if len(flat) < WIDTH // 2:
            return Code(flat, SUM)
    parts = [[code(f"*{run.flat}")] if one else run for one, run in zip(whole, runs, strict=True)]
    return sequence([part for each in parts for part in each], brackets)


def _runs(items: list[Code], equal: bool) -> list[Any]:
    """The items in lists, with a Code in place of each long run of equal ones, or of a slice."""
    found: list[Any] = []
    at = 0
    while at < len(items):
        same, sliced = _equal_from(items, at) if equal else 1, _slice_from(items, at)
        if same >= _RUN:
            found.append(Code(f"[{items[at].flat}] * {same}", PRODUCT))
        elif sliced >= _RUN:
            found.append(_slice(items[at], sliced))
        elif found and isinstance(found[-1], list):
            found[-1].append(items[at])
        else:
            found.append([items[at]])
        at += same if same >= _RUN else sliced if sliced >= _RUN else 1
    return found


def _equal_from(items: list[Code], at: int) -> int:
    count = 1
    while at + count < len(items) and items[at + count] == items[at]:
        count += 1
    return count


def _slice_from(items: list[Code], at: int) -> int:
    """How many items from `at` on are neighbours in one list."""
    first, count = items[at].part, 1
    while first and at + count < len(items):
        if items[at + count].part != (first[0], first[1] + count, first[2]):
            break
        count += 1
    return count


def _slice(first: Code, count: int) -> Code:
    name, begin, size = first.part or ("", 0, 0)
    end = begin + count
    low, high = str(begin or ""), str(end if end < size - 1 else "" if end == size else -1)
    return Code(name if count == size else f"{name}[{low}:{high}]")
