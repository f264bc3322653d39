"""A sample of the pairs of real.py, which is run by hand."""

from __future__ import annotations

import pytest

import queueio.compare as comparing
from tests.compare import real

FAULTS = {fault[0]: fault[1:] for fault in real.faults()}
SAMPLE = [
    "cifar scaled, shuffled", "cifar one file", "cifar labels off by one", "mnist renamed",
    "csv skip 2, full batches", "csv tail dropped", "csv columns swapped", "text padded",
    "clicks bumped", "clicks dense", "jpegs grey",
]  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("name", SAMPLE)
def test_a_fault_in_a_migration_by_hand_is_named(name: str) -> None:
    old, new, codes, options = FAULTS[name]
    result = comparing(old, new, cost=False, stages=False, **options)
    assert result.findings[0].code in codes and not result.ok, str(result)


@pytest.mark.long
def test_records_that_a_pipeline_delivers_without_keys_are_found_in_their_files() -> None:
    old, new, _, _ = FAULTS["csv skip 2, one file each"]
    (finding,) = comparing(old, new, cost=False, stages=False).findings
    assert [str(e.where).rpartition("/")[2] for e in finding.evidence[::4]] == [
        "table_0.csv:2", "table_1.csv:2",
    ]  # fmt: skip
    assert "table_0.csv, " in finding.sentence and "table_1.csv is missing" in finding.sentence


@pytest.mark.parametrize("number", [3 * 7 + 1, 3 * 7 + 2, 17, 5])
def test_an_equal_migration_alarms_nobody(number: int) -> None:
    _, old, new = real.equal(number)
    result = comparing(old, new, cost=False, stages=False)
    assert result.ok, str(result)
