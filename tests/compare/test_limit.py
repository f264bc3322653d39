"""A limit cuts shuffled sides off where chance has it: what that leaves out is no difference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio.compare as comparing
from tests.compare.memory import Memory

pytest.importorskip("scipy", reason="judging the order needs scipy")

NUMBERS = {"id": np.arange(300), "age": np.arange(300) % 40, "name": np.arange(300) * 3}


def table(changed: int | None = None, first: int = 0, **how: Any) -> Memory:
    data = {name: column[first:].copy() for name, column in NUMBERS.items()}
    if changed is not None:
        data["name"][changed] += 1
    return Memory(data, 10, **how)


@pytest.mark.parametrize("limit", [10, 60, 250])
def test_equal_shuffled_sides_are_equal_at_any_limit(limit: int) -> None:
    sides = table(pool=50, seed=2), table(pool=150)
    result = comparing(*sides, limit=limit, cost=False)
    assert result.ok and result.level == "identical examples", str(result)


def test_one_component_of_another_pool_is_not_called_random() -> None:
    numbers = {"id": np.arange(200)}
    sides = Memory(numbers, 16, pool=50, seed=2), Memory(numbers, 16, pool=150)
    result = comparing(*sides, limit=64, cost=False)
    assert result.ok and [f.code for f in result.findings] == ["cut-off"], str(result)


def test_a_queue_and_a_dataset_that_draw_both_are_compared_beyond_a_low_limit() -> None:
    def drawn(n: Any) -> Any:
        return n, tf.random.normal([4]) + tf.cast(n, tf.float32)

    def make(order: int) -> Any:
        return lambda: tf.data.Dataset.range(100).map(drawn).shuffle(order).batch(10)

    result = comparing(make(30), make(60), limit=20, cost=False, draw_seconds=5)
    assert result.level != "different", str(result)


@pytest.mark.parametrize("how", [{"changed": 299}, {"first": 1}], ids=str)
def test_a_true_difference_is_found_beyond_a_low_limit(how: dict[str, int]) -> None:
    result = comparing(table(pool=50, seed=2), table(pool=50, **how), limit=30, cost=False)
    assert result.level == "different", str(result)
    assert result.findings[0].code in ("changed", "missing"), str(result)


def test_what_only_one_side_delivers_in_each_run_is_found_in_an_endless_input() -> None:
    many = {"id": np.arange(20_000)}
    sides = Memory(many, pool=100, seed=2), Memory({"id": many["id"][1:]}, pool=100)
    result = comparing(*sides, limit=2000, cost=False)
    assert [f.code for f in result.findings][:1] == ["missing"], str(result)
    assert result.findings[0].count == 1


def test_a_fixed_order_is_compared_up_to_the_limit_only() -> None:
    result = comparing(table(), table(changed=200), limit=100, cost=False)
    assert result.ok and result.old.examples == 100, str(result)
