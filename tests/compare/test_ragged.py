"""Ragged components, whose rows have lengths of their own."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

import queueio.compare as comparing

WORDS = [[b"Satz %d" % number, *[b"und"] * (number % 4)] for number in range(20)]


def ragged(rows: Any, size: int = 4) -> Any:
    made = tf.ragged.constant(rows, ragged_rank=1)
    return lambda: tf.data.Dataset.from_tensor_slices({"words": made}).batch(size)


@pytest.mark.parametrize("size", [4, 7])
def test_ragged_strings_are_equal_in_each_run(size: int) -> None:
    result = comparing(ragged(WORDS), ragged(WORDS, size), cost=False, ignore=["batch-size"])
    assert result.level.startswith("identical"), str(result)


@pytest.mark.long
def test_a_changed_ragged_string_is_shown() -> None:
    other = [list(row) for row in WORDS]
    other[7][2] = b"oder"
    result = comparing(ragged(WORDS), ragged(other), cost=False)
    assert [f.code for f in result.findings] == ["changed"], str(result)
    assert "old b'und', new b'oder'" in str(result)
