"""The sketch lists few differences, notices too many, and the files on disk know them all."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from queueio import recorder
from queueio.compare.reading import difference
from queueio.compare.reading.difference import differ
from queueio.compare.reading.sketch import Sketch
from queueio.compare.reading.spool import Spool


def digests(numbers: object) -> np.ndarray:  # type: ignore[type-arg]
    return recorder.digest_component(np.asarray(numbers, np.int64), "int64")


def spooled(numbers: list[int]) -> Spool:
    spool = Spool()
    for start in range(0, len(numbers), 100):
        spool.append(digests(numbers[start : start + 100]))
    return spool


def compared(old: list[int], new: list[int], size: int = 16384) -> difference.Difference:
    sketch = Sketch(size)
    sketch.add(digests(old), 1)
    sketch.add(digests(new), -1)
    return differ(sketch, spooled(old), spooled(new))


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
@pytest.mark.parametrize("size", [16384, 4])
def test_sketch_and_disk_find_what_counting_finds(name: str, size: int) -> None:
    old, new = CASES[name]
    result = compared(old, new, size)
    assert found(result) == expected(old, new)
    assert result.lacking == sum((Counter(old) - Counter(new)).values())
    assert result.extra == sum((Counter(new) - Counter(old)).values())
    if size == 16384:
        assert result.method == "sketch"


def test_a_sketch_with_too_much_in_it_says_so() -> None:
    sketch = Sketch(8)
    sketch.add(digests(range(1000)), 1)
    assert sketch.decode() is None
    assert sketch.failure_probability(1000) == 1.0


def test_a_sketch_decodes_up_to_its_stated_capacity() -> None:
    for seed in range(5):
        sketch = Sketch(256)
        start = seed * 10_000
        sketch.add(digests(range(start, start + sketch.capacity - 80)), 1)
        decoded = sketch.decode()
        assert decoded is not None and len(decoded[0]) == sketch.capacity - 80


def test_order_and_batches_leave_no_trace_in_the_sketch() -> None:
    numbers = np.random.default_rng(0).permutation(5000)
    sketch = Sketch()
    sketch.add(digests(numbers), 1)
    for part in np.array_split(np.sort(numbers), 37):
        sketch.add(digests(part), -1)
    assert sketch.empty


def test_the_disk_lists_a_part_and_counts_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(difference, "LISTED", 100)
    monkeypatch.setattr(difference, "PART", 64)
    result = compared(list(range(1000)), list(range(2000, 2500)), size=4)
    assert len(result.digests) == 100 and not result.complete
    assert (result.distinct, result.lacking, result.extra) == (1500, 1000, 500)
