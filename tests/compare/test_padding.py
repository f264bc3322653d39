"""Examples padded to the longest of their batch are compared without what their batch added."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio.compare as comparing
from queueio.compare.sides.padded import PaddedOn, lengths, overlong, padding_of
from queueio.compare.sides.side import Side

COUNT = 60


def lists(n: Any) -> Any:
    return tf.range(n, n + n % 7)


def padded(
    make: Callable[[Any], Any] = lists, count: int = COUNT, length: int | None = None,
    value: int = 0, shuffle: bool = True, numbered: bool = True,
) -> Any:  # fmt: skip
    """Lists of different lengths in batches of eight, shuffled before."""

    def input_fn() -> tf.data.Dataset:
        made = tf.data.Dataset.range(count, output_type=tf.int32)
        made = made.shuffle(count) if shuffle else made
        made = made.map(lambda n: (n, make(n)))
        made = made.padded_batch(8, ([], [length]), (0, value))
        return made if numbered else made.map(lambda n, x: x)

    return input_fn


def by_a_queue() -> Any:
    number = tf.compat.v1.train.range_input_producer(COUNT, num_epochs=1).dequeue()
    return tf.compat.v1.train.batch(
        [number, lists(number)], 8, dynamic_pad=True, allow_smaller_final_batch=True
    )


def codes(old: Any, new: Any) -> list[str]:
    result = comparing(old, new, cost=False, order=False, ignore=["static-shape"])
    return [f.code for f in result.findings]


@pytest.mark.parametrize("numbered", [True, False])
def test_shuffled_sides_are_equal_whatever_their_batches_add(numbered: bool) -> None:
    assert codes(padded(numbered=numbered), padded(numbered=numbered)) == ["padding"]


def test_a_padding_queue_and_its_dataset_are_equal() -> None:
    assert codes(by_a_queue, padded()) == ["padding"]


def test_another_padding_value_than_zero_is_no_difference_where_both_have_it() -> None:
    assert codes(padded(value=-1), padded(value=-1)) == ["padding"]


def test_one_sides_fixed_order_is_no_difference() -> None:
    assert codes(padded(shuffle=False), padded()) == ["padding"]


def with_one_more(n: Any) -> Any:
    return tf.cond(n == 13, lambda: lists(n) + 1, lambda: lists(n))


def with_a_longer_one(n: Any) -> Any:
    return tf.cond(n == 13, lambda: tf.concat([lists(n), [5]], 0), lambda: lists(n))


FAULTS = {
    "changed values": (padded(with_one_more), "offset"),
    "a longer list": (padded(with_a_longer_one), "changed"),
    "a list left out": (padded(count=COUNT - 1), "missing"),
    "another padding value": (padded(value=-1), "padding-value"),
    "more padding than a batch needs": (padded(length=12), "padding-length"),
}


@pytest.mark.long
@pytest.mark.parametrize("name", FAULTS)
def test_true_differences_are_found(name: str) -> None:
    new, code = FAULTS[name]
    assert code in codes(padded(), new)


@pytest.mark.long
def test_padded_lists_of_random_numbers_do_not_end_in_a_crash() -> None:
    def noisy(n: Any) -> Any:
        return tf.random.uniform([n % 7])

    def input_fn() -> tf.data.Dataset:
        made = tf.data.Dataset.range(COUNT, output_type=tf.int32).shuffle(COUNT)
        return made.map(lambda n: (n, noisy(n))).padded_batch(4)

    result = comparing(input_fn, lambda: input_fn(), cost=False, order=False, draw_seconds=1)
    assert result.level != "different", str(result)


def test_padding_is_told_from_values_by_what_most_examples_end_in() -> None:
    assert padding_of([np.array([[1, 2, -1], [3, -1, -1]])]) == -1
    assert padding_of([np.array([[n, n + 1] for n in range(9)])]) == 0
    assert padding_of([np.array([[b"a", b""], [b"b", b""]], object)]) == b""
    assert padding_of([]) == 0


def test_a_batch_is_padded_further_only_if_all_of_its_examples_end_in_padding() -> None:
    assert overlong(np.array([[1, 2, 0], [3, 0, 0]]), 0)
    assert not overlong(np.array([[1, 2], [3, 0]]), 0)
    assert not overlong(np.array([[1, 0]]), 0)  # a batch of one may hold this


def test_a_batch_longer_than_any_before_stays_as_it_is() -> None:
    side = PaddedOn.__new__(PaddedOn)
    side.shapes, side.values = {0: (3,)}, {0: 7}
    assert side.padded(0, np.array([[1]])).tolist() == [[1, 7, 7]]
    assert side.padded(0, np.ones((1, 4))).tolist() == [[1, 1, 1, 1]]
    assert isinstance(side, Side)


def in_buckets(*bounds: int, epochs: int = 2) -> Any:
    """Lists of 1 to 20 numbers, shuffled or in ascending order where there are no bounds."""
    number = np.arange(400)

    def input_fn() -> tf.data.Dataset:
        order = number if bounds else np.argsort(number % 20, kind="stable")
        made = tf.data.Dataset.from_tensor_slices(order).repeat(epochs)
        if not bounds:
            return made.map(lambda n: (n, tf.range(1, 2 + n % 20))).padded_batch(10)
        made = made.shuffle(400).map(lambda n: (n, tf.range(1, 2 + n % 20)))
        sizes = [10] * (len(bounds) + 1)
        return made.bucket_by_sequence_length(lambda n, x: tf.size(x), list(bounds), sizes)

    return input_fn


@pytest.mark.long
def test_a_bucket_border_that_is_off_by_one_is_said() -> None:
    result = comparing(in_buckets(6, 12), in_buckets(7, 12), cost=False, order=False)
    said = [f.sentence for f in result.findings if f.code == "buckets"]
    assert len(said) == 2, str(result)
    assert "of up to 5 values and of 6 or more is in no batch of the old side" in said[0]
    assert "of up to 6 values and of 7 or more is in no batch of the new side" in said[1]
    assert result.ok  # the same examples, and no more padding


@pytest.mark.long
def test_the_same_buckets_have_the_same_borders() -> None:
    result = comparing(in_buckets(6, 12), in_buckets(6, 12), cost=False, order=False)
    assert "buckets" not in [f.code for f in result.findings], str(result)


@pytest.mark.long
def test_lists_that_are_in_order_are_in_no_buckets() -> None:
    result = comparing(in_buckets(), in_buckets(21), cost=False, order=False)
    assert "buckets" not in [f.code for f in result.findings], str(result)


@pytest.mark.parametrize("shape", [(2, 0), (0, 3), (2, 3, 0), (2, 0, 4)])
def test_a_batch_without_values_has_examples_of_no_length(shape: tuple[int, ...]) -> None:
    assert lengths(np.zeros(shape, np.int64), np.int64(0)).tolist() == [0] * shape[0]
