"""The shuffle pool is estimated, whichever side is known; the buffer that matches is solved for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
import queueio.compare as comparing
from queueio.compare.dataset_side import Runs
from queueio.compare.order import positions
from queueio.compare.pool import Distances, Interval, apart, pool_interval, solve, typical

pytest.importorskip("scipy", reason="judging the order needs scipy")


def numbers(pool: int, epochs: int = 1, count: int = 4000) -> Any:
    def make() -> tf.data.Dataset:
        made = tf.data.Dataset.range(count).repeat(epochs)
        return (made.shuffle(pool) if pool else made).batch(32)

    return make


def real_pool(pool: int, count: int, seed: int) -> np.ndarray:  # type: ignore[type-arg]
    """Source positions by output position, from a pool kept example by example."""
    rng = np.random.default_rng(seed)
    held: list[int] = []
    out = []
    for number in range(count):
        held.append(number)
        if len(held) == pool:
            out.append(held.pop(int(rng.integers(len(held)))))
    rest = rng.permutation(len(held))
    return np.array(out + [held[i] for i in rest])


@pytest.mark.parametrize("pool", [5, 50, 500, 2000])
def test_the_simulation_without_a_pool_agrees_with_a_pool(pool: int) -> None:
    law = Distances(2000)
    real = np.mean([np.abs(real_pool(pool, 2000, s) - np.arange(2000)).mean() for s in range(5)])
    assert law.from_source(pool) == pytest.approx(real, rel=0.1)


def test_solving_inverts_the_law() -> None:
    law = Distances(10_000)
    for pool in (2, 30, 700, 9000):
        assert solve(law.from_source, law.from_source(pool), 10_000) == pytest.approx(
            pool, rel=0.02
        )


@pytest.mark.parametrize("pool", [24, 118, 194])
def test_the_interval_of_a_short_stream_holds_its_pool_and_alarms_nobody(pool: int) -> None:
    law = Distances(243)
    found = []
    for seed in range(0, 80, 2):
        one, two = (np.argsort(real_pool(pool, 243, s)) for s in (seed, seed + 1))
        steps = apart((one - two)[np.argsort(two)])
        found.append(pool_interval(steps, lambda p: law.between(p, p), 243, typical))
    held = sum(i.low <= pool <= i.high for i in found)
    assert held >= 35  # of 40: 95 in a hundred
    assert not any(a.below(b, 0.6) for a in found for b in found)


@pytest.mark.parametrize("pool", [20, 200])
@pytest.mark.parametrize("epochs", [1, 2])
def test_a_pool_is_estimated_without_knowing_the_source(pool: int, epochs: int) -> None:
    result = comparing(numbers(pool, epochs), numbers(2 * pool, epochs), cost=False)
    for side, true in ((result.old, pool), (result.new, 2 * pool)):
        assert side.mixing is not None and side.mixing.pool is not None
        # A quarter of a second run gives it to 7 in a hundred (one standard deviation).
        assert side.mixing.pool.value == pytest.approx(true, rel=0.4)


def test_the_unshuffled_side_is_taken_for_the_source() -> None:
    result = comparing(numbers(300), numbers(0), cost=False)
    assert [f.code for f in result.findings] == ["no-shuffle"]
    old, new = result.old.mixing, result.new.mixing
    assert old is not None and new is not None
    assert old.pool is not None and old.pool.value == pytest.approx(300, rel=0.2)
    assert new.tau is not None and new.tau.value == pytest.approx(1)
    assert old.displacement is not None and old.displacement.low < old.displacement.high


def test_shuffling_that_was_not_there_before_is_a_note_only() -> None:
    result = comparing(numbers(0), numbers(300), cost=False)
    assert result.ok and [f.code for f in result.findings] == ["shuffle-added"]


def test_a_buffer_that_keeps_the_queues_promise_is_no_fault() -> None:
    def old() -> Any:
        train = tf.compat.v1.train
        number = train.range_input_producer(4000, num_epochs=1, shuffle=False).dequeue()
        return train.shuffle_batch([number], 32, 1500, 200, allow_smaller_final_batch=True)

    made = tf.data.Dataset.range(4000, output_type=tf.int32)
    result = comparing(old, lambda: made.shuffle(201).batch(32), cost=False)
    assert result.ok, str(result)


def test_files_in_another_order_do_not_look_like_a_large_pool() -> None:
    def shuffled(pool: int) -> Any:
        files = tf.data.Dataset.range(4).shuffle(4)
        made = files.flat_map(lambda i: tf.data.Dataset.range(i * 2500, (i + 1) * 2500))
        return made.shuffle(pool).batch(50)

    result = comparing(lambda: shuffled(300), lambda: shuffled(60), cost=False)
    assert [f.code for f in result.findings] == ["weak-shuffle"]
    for side, true in ((result.old, 300), (result.new, 60)):
        assert side.mixing is not None and side.mixing.pool is not None
        assert side.mixing.pool.value == pytest.approx(true, rel=0.25)


def test_a_second_run_for_the_order_is_short() -> None:
    delivered = 0

    def counted(value: Any) -> Any:
        nonlocal delivered
        delivered += 1
        return value

    def make() -> tf.data.Dataset:
        made = tf.data.Dataset.range(16_000).shuffle(100).batch(50)
        made = made.map(lambda v: tf.numpy_function(counted, [v], tf.int64))
        return made.map(lambda v: tf.ensure_shape(v, [None]))

    result = comparing(make, numbers(100, count=16_000), cost=False)
    assert result.old.mixing is not None and result.old.mixing.pool is not None
    assert result.old.mixing.pool.value == pytest.approx(100, rel=0.25)
    assert delivered < 1.5 * 320  # batches: all of them, then 40 and what tf.data reads ahead


def test_a_lifted_side_is_set_up_once_for_all_its_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    iterators = 0
    made = tf.data.Dataset.__iter__

    def counted(self: Any) -> Any:
        nonlocal iterators
        iterators += 1
        return made(self)

    def old() -> Any:
        train = tf.compat.v1.train
        number = train.range_input_producer(4000, num_epochs=1, shuffle=False).dequeue()
        return train.shuffle_batch([number], 32, 700, 500, allow_smaller_final_batch=True)

    plan = queueio.lift(old)
    monkeypatch.setattr(tf.data.Dataset, "__iter__", counted)
    result = comparing(old, plan, cost=False)
    assert result.ok and result.level == "identical examples"
    assert result.new.mixing is not None and result.new.mixing.fixed is False  # it ran twice
    assert iterators == 1


def test_the_runs_of_one_iterator_are_told_apart() -> None:
    runs = Runs(tf.data.Dataset.range(7).shuffle(7).batch(2))
    for _ in range(3):
        assert runs.between
        assert sorted(np.concatenate(list(runs.run())).tolist()) == list(range(7))
    next(runs.run())
    assert not runs.between  # one that was left cannot be gone on with


def test_the_gap_between_repeats_is_given() -> None:
    result = comparing(numbers(50, 2), numbers(500, 2), cost=False)
    old = result.old.mixing
    assert old is not None and old.repeat_distance is not None
    assert 3000 < old.repeat_distance[0] <= old.repeat_distance[1] < 4200


def test_repeats_are_matched_in_turn() -> None:
    a = np.array([5, 7, 5, 9], np.uint64)
    b = np.array([9, 5, 5, 8], np.uint64)
    assert positions(a, b).tolist() == [3, 0, 2, -1]


def test_an_interval_is_below_another_only_if_surely_so() -> None:
    assert Interval(10, 8, 12).below(Interval(100, 80, 120), 0.6)
    assert not Interval(50, 30, 70).below(Interval(100, 80, 120), 0.6)


def test_files_per_batch_are_counted_from_the_keys() -> None:
    keys = np.array([f"f{n // 100}:{n % 100}".encode() for n in range(400)], object)
    made = tf.data.Dataset.from_tensor_slices((keys, np.arange(400)))
    result = comparing(made.batch(50), made.shuffle(400).batch(50), cost=False)
    old, new = result.old.mixing, result.new.mixing
    assert old is not None and old.files_per_batch is not None
    assert new is not None and new.files_per_batch is not None
    assert old.files_per_batch.value == 1
    assert new.files_per_batch.low > 3
