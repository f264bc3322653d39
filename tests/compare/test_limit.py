"""A limit cuts shuffled sides off where chance has it: what that leaves out is no difference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio.compare as comparing
from queueio import lift
from queueio.compare.reading.lockstep import UNBOUNDED_LIMIT, _limit
from queueio.compare.sides.given import as_side
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


@pytest.mark.long
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


def queue(num_epochs: int | None = None) -> Any:
    numbers = tf.compat.v1.train.range_input_producer(50, num_epochs=num_epochs)
    return tf.compat.v1.train.batch([numbers.dequeue()], 10)


def queue_of_an_iterator() -> Any:
    rows = tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.range(50)).get_next()
    return tf.compat.v1.train.batch([rows], 10)


def once_and_for_ever() -> Any:
    ids = [tf.compat.v1.train.range_input_producer(50, num_epochs=n).dequeue() for n in (1, None)]
    return tf.compat.v1.train.batch_join([ids[:1], ids[1:]], 10)


def numbers_for_ever() -> Any:
    return tf.data.Dataset.range(50).repeat().batch(10)


def limit_of(*sides: Any) -> int | None:
    return _limit(as_side(sides[0], "old"), as_side(sides[1], "new"), None)


def test_a_queue_without_epochs_and_a_dataset_that_repeats_for_ever_are_stopped() -> None:
    assert limit_of(queue, numbers_for_ever) == UNBOUNDED_LIMIT
    assert limit_of(queue, queue) == UNBOUNDED_LIMIT


def test_a_plan_without_epochs_is_known_to_be_endless() -> None:
    with tf.Graph().as_default():
        endless, twice = lift(queue), lift(lambda: queue(2))
    assert limit_of(endless, numbers_for_ever) == UNBOUNDED_LIMIT
    assert limit_of(twice, numbers_for_ever) is None


@pytest.mark.parametrize("other", [lambda: queue(2), queue_of_an_iterator, once_and_for_ever])
def test_what_may_end_by_itself_is_waited_for(other: Any) -> None:
    assert limit_of(other, numbers_for_ever) is None


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"limit": 0}, "limit=0 is not a number of examples. Use limit=1 or more, or None"),
        ({"limit": 2.5}, "limit=2.5 is not a number of examples."),
        ({"rtol": -1.0}, "rtol=-1.0 is not an amount. Use rtol=0 or more."),
        ({"atol": float("nan")}, "atol=nan is not an amount."),
        ({"rtol": "1"}, "rtol='1' is not an amount. Use rtol=0 or more."),
        ({"draw_seconds": None}, "draw_seconds=None is not an amount."),
        ({"limit": "20"}, "limit='20' is not a number of examples."),
        ({"ignore": "orders"}, "ignore='orders': no finding has this code."),
    ],
)
def test_a_number_that_there_cannot_be_is_refused(how: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError) as refused:
        comparing(table(), table(), cost=False, **how)
    assert told in str(refused.value)
