"""The proof of 'each exactly once' fails when it should."""

from __future__ import annotations

from pathlib import Path

import pytest

from queueio.demo.evidence import check_keys, tf_record_keys

DATA = Path(__file__).resolve().parents[2] / "examples" / "data"


def test_a_record_that_was_never_read_is_named() -> None:
    reading = check_keys(["f:0", "f:0"], ["f:0", "f:9"], num_epochs=2)
    assert not reading.each_exactly_once
    assert (reading.too_seldom, reading.too_often) == (("f:9",), ())


def test_a_record_that_was_read_twice_in_place_of_another_is_not_hidden_by_the_count() -> None:
    reading = check_keys(["f:0", "f:0"], ["f:0", "f:9"], num_epochs=1)
    assert reading.per_epoch == 2
    assert (reading.too_seldom, reading.too_often) == (("f:9",), ("f:0",))


def test_a_key_that_is_not_in_the_files_is_one_too_many() -> None:
    reading = check_keys(["f:0", "g:0"], ["f:0"], num_epochs=1)
    assert reading.too_often == ("g:0",)


def test_every_key_as_often_as_there_were_epochs_is_the_proof() -> None:
    reading = check_keys(["f:0", "f:9", "f:9", "f:0"], ["f:0", "f:9"], num_epochs=2)
    assert reading.each_exactly_once
    assert (reading.in_files, reading.read, reading.per_epoch) == (2, 4, 2.0)


@pytest.mark.parametrize("split, count", [("train", 1437), ("test", 360)])
def test_keys_are_found_in_the_files_without_tensorflow(split: str, count: int) -> None:
    keys = [k for path in DATA.glob(f"digits-{split}-*.tfrecord") for k in tf_record_keys(path)]
    assert len(set(keys)) == len(keys) == count
