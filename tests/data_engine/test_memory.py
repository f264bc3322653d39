"""What waits in the data engine is bounded by its bytes, however long strings are."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.large_records import measure, write

CAPACITY_MB, MARGIN_MB = 50, 200
"""What the queue may hold, and a bound that counting strings as a kilobyte misses by gigabytes."""


@pytest.mark.long
@pytest.mark.parametrize("mode", ["strings", "queue"])
def test_records_of_a_megabyte_wait_as_in_the_queue(mode: str, tmp_path: Path) -> None:
    small, large = write(tmp_path, 1, 100), write(tmp_path, 1000, 60)
    least, _ = measure(mode, small, "queue")
    peak, _ = measure(mode, large, "data")
    assert peak - least < CAPACITY_MB + MARGIN_MB


@pytest.mark.long
def test_padded_records_of_five_megabytes_take_no_more_than_a_full_queue(tmp_path: Path) -> None:
    small, large = write(tmp_path, 1, 100), write(tmp_path, 5_000, 10)
    least, _ = measure("padded", small, "queue")
    peak, _ = measure("padded", large, "data")
    full = 5 * (50 + 8)  # and the batch that the program has
    assert peak - least < full
