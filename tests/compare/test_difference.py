"""What differs between two sides is what counting finds, in as many parts as there may be."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from queueio import recorder
from queueio.compare.reading import difference
from queueio.compare.reading.difference import differ
from queueio.compare.reading.spool import Spool


def digests(numbers: object) -> np.ndarray:  # type: ignore[type-arg]
    return recorder.digest_component(np.asarray(numbers, np.int64), "int64")


def spooled(numbers: list[int]) -> Spool:
    spool = Spool()
    for start in range(0, len(numbers), 100):
        spool.append(digests(numbers[start : start + 100]))
    return spool


def compared(old: list[int], new: list[int]) -> difference.Difference:
    return differ(spooled(old), spooled(new))


def expected(old: list[int], new: list[int]) -> Counter[tuple[bytes, int, int]]:
    a, b = Counter(old), Counter(new)
    names = {n: digests([n])[0].tobytes() for n in a | b}
    return Counter((names[n], a[n], b[n]) for n in a | b if a[n] != b[n])


def found(result: difference.Difference) -> Counter[tuple[bytes, int, int]]:
    rows = zip(result.digests, result.old_counts, result.new_counts, strict=True)
    return Counter((d.tobytes(), int(a), int(b)) for d, a, b in rows)


CASES = {
    "nothing": ([1, 2, 3], [3, 2, 1]),
    "one missing": ([1, 2, 3], [1, 2]),
    "twice against four times": ([1, 1, 2], [1, 1, 1, 1, 2]),
    "many epochs": ([5] * 64 + [6], [5, 6, 7]),
    "all": (list(range(500)), list(range(500, 900))),
    "far apart in number": (list(range(3000)), []),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("part", [difference.PART, 7])
def test_what_differs_is_what_counting_finds(
    name: str, part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(difference, "PART", part)
    old, new = CASES[name]
    result = compared(old, new)
    assert found(result) == expected(old, new)
    assert result.lacking == sum((Counter(old) - Counter(new)).values())
    assert result.extra == sum((Counter(new) - Counter(old)).values())


def test_digests_that_share_their_first_lane_are_told_apart() -> None:
    old, new = Spool(), Spool()
    old.append(np.array([[7, 1], [7, 2], [7, 1], [9, 1]], np.uint64))
    new.append(np.array([[9, 1], [7, 1], [7, 2], [7, 2]], np.uint64))
    result = differ(old, new)
    assert result.digests.tolist() == [[7, 1], [7, 2]]
    assert (result.old_counts.tolist(), result.new_counts.tolist()) == ([2, 1], [1, 2])


def test_so_many_are_listed_and_all_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(difference, "LISTED", 100)
    monkeypatch.setattr(difference, "PART", 64)
    result = compared(list(range(1000)), list(range(2000, 2500)))
    assert len(result.digests) == 100 and not result.complete
    assert (result.distinct, result.lacking, result.extra) == (1500, 1000, 500)
