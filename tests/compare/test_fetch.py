"""The second pass fetches what differs, no more, and a sample of what is too much."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio.compare as comparing

ids = np.arange(60_000)


@pytest.mark.long
def test_the_second_pass_ends_when_all_that_differs_is_found() -> None:
    delivered = 0

    def counted(value: Any) -> Any:
        nonlocal delivered
        delivered += 1
        return value

    def made(values: Any) -> tf.data.Dataset:
        return tf.data.Dataset.from_tensor_slices((values, ids)).batch(25)

    def old() -> tf.data.Dataset:
        def pass_on(x: Any, y: Any) -> Any:
            return tf.ensure_shape(tf.numpy_function(counted, [x], tf.int64), [None]), y

        return made(ids).map(pass_on)

    other = ids.copy()
    other[7] = 70_000
    result = comparing(old, lambda: made(other), cost=False)
    assert [f.code for f in result.findings] == ["changed"]
    assert delivered < 2400 + 800  # batches: one run, then the first and what tf.data reads ahead


class Counted:
    """A shuffled dataset of some values that counts the batches of 25 that it delivers."""

    def __init__(self, values: Any, pool: int = 500, names: int = 10_000) -> None:
        self.values, self.pool, self.names, self.batches = values, pool, names, 0
        self.ids = np.arange(len(values))

    def __call__(self) -> tf.data.Dataset:
        def pass_on(x: Any, y: Any) -> Any:
            return tf.ensure_shape(tf.numpy_function(self.count, [x], tf.int64), [None]), y

        made = tf.data.Dataset.from_tensor_slices((self.ids % self.names, self.values))
        return made.shuffle(self.pool).batch(25).map(pass_on)

    def count(self, value: Any) -> Any:
        self.batches += 1
        return value


def floats(changed: int = 0) -> Any:
    values = np.random.default_rng(5).random((10_000, 6))
    values[10_000 - changed :, 2] += 1
    return values


@pytest.mark.long
@pytest.mark.parametrize(
    ("changed", "pool", "names"),
    [(0, 500, 10_000), (1, 500, 10_000), (1, 500, 10), (3000, 500, 10_000), (0, 50, 10)],
)
def test_a_side_runs_twice_at_most(changed: int, pool: int, names: int) -> None:
    """One run that is compared, one for the order, what differs, and what chance left out."""
    old, new = Counted(floats(), 500, names), Counted(floats(changed), pool, names)
    result = comparing(old, new, cost=False)
    expected = ["changed"] if changed else ["weak-shuffle"] if pool < 500 else []
    assert [f.code for f in result.findings] == expected
    assert old.batches <= 800 and new.batches <= 800


@pytest.mark.long
def test_every_example_of_three_thousand_may_be_changed() -> None:
    old, new = Counted(floats()[:3000]), Counted(floats(10_000)[:3000])
    result = comparing(old, new, cost=False)
    assert [(f.code, f.count) for f in result.findings] == [("changed", 3000)]


@pytest.mark.long
def test_where_there_is_no_room_for_all_that_differs_none_is_called_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("queueio.compare.reading.fetch.BYTES", 1 << 20)
    names = np.array([b"%d" % n for n in range(10_000)], object)

    def named(values: Any, seed: int) -> tf.data.Dataset:
        order = np.random.default_rng(seed).permutation(10_000)
        return tf.data.Dataset.from_tensor_slices((names[order], values[order])).batch(100)

    result = comparing(named(floats(), 1), named(floats(10_000), 2), cost=False)
    assert [f.code for f in result.findings] == ["changed"]
    assert "(of 10,000 that differ)" in result.findings[0].sentence


@pytest.mark.long
@pytest.mark.parametrize(
    "orders",
    [
        ([115, 1], [115, 1]),
        ([115, 1], [1, 115]),
        ([1, 115], [115, 1]),  # values of the one are ids of the other
        ([0, 60], [119, 118]),
        ([7, 8], [9, 8]),
    ],
    ids=str,
)
def test_of_more_differences_than_are_listed_a_sample_is_matched_rightly(
    orders: tuple[list[int], list[int]],
) -> None:
    def shuffled(first: list[int], more: int) -> Any:
        order = np.array(first + [b for b in range(120) if b not in first])
        mine = ids.reshape(120, 500)[order].reshape(-1)

        def make() -> tf.data.Dataset:
            made = tf.data.Dataset.from_tensor_slices({"id": mine, "value": mine % 1000 + more})
            return made.batch(500)

        return make

    result = comparing(shuffled(orders[0], 0), shuffled(orders[1], 7), cost=False, order=False)
    (finding,) = result.findings
    assert finding.evidence and all(e.component == "value" for e in finding.evidence)
    assert all(e.new - e.old == 7 for e in finding.evidence)
    assert "(of 60,000 that differ)" in finding.sentence
    assert result.verdict.endswith(
        "More than 20,000 examples differ, so only a sample was looked at."
    )


def test_no_run_but_those_that_measure_its_cost_may_wait_for_tf_data_s_tuner(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its thread may sleep for as long as the run took when it should end with it."""
    tuned = []
    numpy_of = tf.data.Dataset.as_numpy_iterator

    def noted(dataset: tf.data.Dataset) -> Any:
        tuned.append(dataset.options().autotune.enabled is not False)
        return numpy_of(dataset)

    monkeypatch.setattr(tf.data.Dataset, "as_numpy_iterator", noted)
    made = tf.data.Dataset.range(100).batch(10)
    assert comparing(made, made, cost=False).ok
    assert tuned and not any(tuned)
    assert comparing(made, made).ok
    assert any(tuned)
