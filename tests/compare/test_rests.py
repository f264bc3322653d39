"""Of shuffled sides that drop a last batch, what a first run left out by chance is compared too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import tensorflow as tf

import queueio.compare as comparing

Change = Callable[[tf.data.Dataset], tf.data.Dataset]
RUNS = 3  # of each pair: of one alone chance may have shown the fault without further runs


def numbers(change: Change = lambda made: made, count: int = 20, size: int = 16) -> Any:
    made = change(tf.data.Dataset.range(count)).shuffle(2 * count)
    return lambda: made.batch(size, drop_remainder=True)


@pytest.mark.long
@pytest.mark.parametrize(
    ("change", "codes"),
    [
        (lambda made: made.concatenate(made.skip(19)), {"duplicated"}),
        (lambda made: made.map(lambda n: tf.where(n == 3, n + 100, n)), {"missing", "extra"}),
    ],
    ids=["an example that is there twice", "an example that is changed"],
)
def test_a_fault_that_the_first_run_left_out_is_found(change: Change, codes: set[str]) -> None:
    for _ in range(RUNS):
        result = comparing(numbers(), numbers(change), cost=False, order=False)
        assert {f.code for f in result.findings} - {"remainder"} == codes, str(result)


@pytest.mark.long
def test_what_each_run_leaves_out_by_chance_is_no_fault() -> None:
    for _ in range(RUNS):
        result = comparing(numbers(count=31), numbers(count=31), cost=False, order=False)
        assert result.ok, str(result)


@pytest.mark.long
def test_copies_of_which_no_run_shows_all_are_not_said_to_differ() -> None:
    tens = numbers(lambda made: made.map(lambda n: n % 10), count=31)
    for _ in range(2 * RUNS):
        result = comparing(tens, tens, cost=False, order=False)
        assert result.ok or str(result).startswith("Not compared: how often"), str(result)
