"""The shuffle pool is told with an interval that holds it, or not at all."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
import queueio.compare as comparing
from queueio.compare.findings.order import epoch_borders, same_epochs, shuffling
from queueio.compare.mixing.order import (
    Mixing,
    _one_stream,
    _two_orders,
    borders,
    figure,
    positions,
)
from queueio.compare.mixing.pool import Interval, leaving
from queueio.compare.sides.dataset_side import Runs
from queueio.compare.sides.graph_side import _promised_pool
from tests.compare.memory import Memory

v1 = tf.compat.v1
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


@pytest.mark.parametrize("pool", [1, 5, 50, 500, 2000])
def test_numbers_leave_a_pool_as_they_do_when_it_is_kept_one_by_one(pool: int) -> None:
    def distance(order: Any) -> float:
        return float(np.abs(order - np.arange(2000)).mean())

    rng = np.random.default_rng(3)
    made = [leaving(pool, 2000, rng, 2000) for _ in range(40)]
    assert all(sorted(order) == list(range(2000)) for order in made)
    real = np.mean([distance(real_pool(pool, 2000, seed)) for seed in range(20)])
    assert np.mean([distance(order) for order in made]) == pytest.approx(real, rel=0.05)


@pytest.mark.long
@pytest.mark.parametrize("epochs", [1, 3])
def test_the_interval_holds_the_pool_in_95_of_100_streams(epochs: int) -> None:
    rng = np.random.default_rng(epochs)
    held = []
    while len(held) < 40:
        count, pool = int(rng.integers(100, 1500)), int(np.exp(rng.uniform(np.log(2), np.log(300))))
        total = count * epochs
        made = [leaving(pool, total, rng, total) % count for _ in range(2)]
        one, two = (order.astype(np.uint64) for order in made)
        mixing = Mixing(epochs, borders="blurred", total=total, size=count)
        if epochs == 1:
            _two_orders(mixing, one, two[:500])
        else:
            _one_stream(mixing, one)
        if (found := figure(mixing)) is not None:
            held.append(found.low <= pool <= found.high)
    assert sum(held) >= 38  # 95 in a hundred


@pytest.mark.parametrize("pool", [20, 200])
@pytest.mark.parametrize("epochs", [1, 2])
def test_a_pool_is_estimated_without_knowing_the_source(pool: int, epochs: int) -> None:
    result = comparing(numbers(pool, epochs), numbers(2 * pool, epochs), cost=False)
    for side, true in ((result.old, pool), (result.new, 2 * pool)):
        assert side.mixing is not None and side.mixing.pool is not None
        assert side.mixing.pool.value == pytest.approx(true, rel=0.4)


def test_the_unshuffled_side_is_taken_for_the_source() -> None:
    result = comparing(numbers(300), numbers(0), cost=False)
    assert [f.code for f in result.findings] == ["no-shuffle"]
    old, new = result.old.mixing, result.new.mixing
    assert old is not None and new is not None
    assert old.pool is not None and old.pool.value == pytest.approx(300, rel=0.2)
    assert new.tau == pytest.approx(1) and new.pool is None
    assert old.displacement is not None and 100 < old.displacement < 300


def seeded_queue() -> Any:
    train = tf.compat.v1.train
    number = train.range_input_producer(200, num_epochs=1, shuffle=False).dequeue()
    return train.shuffle_batch([number], 16, 98, 50, seed=3, allow_smaller_final_batch=True)


@pytest.mark.parametrize(
    ("pool", "codes"),
    [(98, ["seeded"]), (2, ["seeded", "weak-shuffle"]), (0, ["no-shuffle"])],
    ids=str,
)
def test_a_seed_that_both_sides_have_is_no_fault_but_too_small_a_pool_is(
    pool: int, codes: list[str]
) -> None:
    def dataset() -> tf.data.Dataset:
        made = tf.data.Dataset.range(200, output_type=tf.int32)
        return (made.shuffle(pool, seed=3) if pool else made).batch(16)

    result = comparing(seeded_queue, dataset, cost=False)
    assert sorted(f.code for f in result.findings) == codes, str(result)
    assert result.ok == (codes == ["seeded"])


def permuted(draws: bool) -> tf.data.Dataset:
    order = np.random.default_rng(7).permutation(4000)
    if draws:
        spec = tf.TensorSpec((), tf.int64)
        return tf.data.Dataset.from_generator(lambda: iter(order), output_signature=spec)
    return tf.data.Dataset.from_tensor_slices(order)


@pytest.mark.long
@pytest.mark.parametrize(
    ("new", "codes"),
    [
        (lambda: permuted(draws=False), ["no-shuffle"]),
        (lambda: permuted(draws=True), []),
        (lambda: tf.data.Dataset.range(4000).shuffle(300, seed=3), ["seeded"]),
    ],
    ids=["data in another order", "a generator", "a shuffle with a seed"],
)
def test_what_cannot_draw_has_one_order_whatever_it_is_like(new: Any, codes: list[str]) -> None:
    result = comparing(numbers(300), lambda: new().batch(32), cost=False)
    assert [f.code for f in result.findings] == codes, str(result)
    assert result.ok == ("no-shuffle" not in codes)


def test_few_examples_shuffled_with_a_seed_are_not_said_to_be_not_shuffled() -> None:
    def new() -> tf.data.Dataset:
        return tf.data.Dataset.range(40).shuffle(40, seed=3).batch(8)

    old = Memory({"id": np.arange(40)}, 8, pool=20, seed=2)
    result = comparing(old, new, cost=False, ignore=["structure", "dict-keys"])
    assert result.ok and "seeded" in [f.code for f in result.findings], str(result)


def test_shuffling_that_was_not_there_before_is_a_note_only() -> None:
    result = comparing(numbers(0), numbers(300), cost=False)
    assert result.ok and [f.code for f in result.findings] == ["shuffle-added"]


def test_examples_too_few_to_tell_an_order_are_not_said_to_be_shuffled() -> None:
    def new(most: int) -> tf.data.Dataset:  # six numbers come in one order twice by chance
        return tf.data.Dataset.range(most).repeat(1).batch(3)

    result = comparing(lambda: new(9), lambda: new(6), cost=False)
    assert [f.code for f in result.findings] == ["missing"], str(result)


def test_what_is_known_of_the_order_is_in_the_json() -> None:
    result = comparing(numbers(300), numbers(400), cost=False)
    mixing = json.loads(result.to_json(), parse_constant=pytest.fail)["old"]["mixing"]
    assert mixing["pool"]["low"] <= 300 <= mixing["pool"]["high"]


@pytest.mark.long
def test_a_buffer_that_keeps_the_queues_promise_is_no_fault() -> None:
    def old() -> Any:
        train = tf.compat.v1.train
        number = train.range_input_producer(4000, num_epochs=1, shuffle=False).dequeue()
        return train.shuffle_batch([number], 32, 1500, 200, allow_smaller_final_batch=True)

    made = tf.data.Dataset.range(4000, output_type=tf.int32)
    result = comparing(old, lambda: made.shuffle(201).batch(32), cost=False)
    assert result.ok, str(result)


@pytest.mark.parametrize(
    "make, least",
    [
        (lambda train: train.range_input_producer(600, 1, shuffle=False).dequeue(), 0),
        (lambda train: v1.TextLineReader().read(train.string_input_producer(["a"], 1))[1], 0),
        (lambda train: v1.WholeFileReader().read(train.string_input_producer(["a"], 1))[1], None),
        (lambda train: train.slice_input_producer([tf.range(600)], 1)[0], None),
    ],
    ids=["numbers", "records of shuffled files", "shuffled files", "shuffled slices"],
)
def test_it_is_known_whether_anything_but_threads_mixes_records(make: Any, least: int) -> None:
    with tf.Graph().as_default() as graph:
        v1.train.batch([make(v1.train)], 10, num_threads=3)
    assert _promised_pool(graph) == least


@pytest.mark.parametrize("promised, severity", [(0, "note"), (61, "worse"), (None, "worse")])
def test_an_order_that_racing_threads_made_need_not_be_made_again(
    promised: int | None, severity: str
) -> None:
    mixing = Mixing(pool=Interval(100, 90, 110), fixed=False, total=2000), Mixing(fixed=True)
    case: Any = SimpleNamespace(
        mixing=mixing, old=SimpleNamespace(promised_pool=promised, seeded=False), varies=False
    )
    (finding,) = shuffling(case)
    assert finding.severity == severity
    assert ("its threads come as they happen to" in finding.sentence) == (promised == 0)


WIDE = Mixing(pool=Interval(80, 27, 240), fixed=False, total=240)


@pytest.mark.parametrize(
    ("pool", "promised", "codes"),
    [
        (Interval(23, 17, 28), 101, ["weak-shuffle"]),
        (Interval(23, 17, 28), 1001, ["weak-shuffle"]),  # all 240 are kept back
        (Interval(23, 17, 28), 40, []),  # 28 is within what is near enough
        (Interval(23, 17, 28), None, []),
        (Interval(40, 20, 70), 200, []),  # of 240 examples, no pool that may hold 70 can be told
    ],
    ids=str,
)
def test_a_pool_is_held_against_what_the_old_queue_promises(
    pool: Interval, promised: int | None, codes: list[str]
) -> None:
    mixing = WIDE, Mixing(pool=pool, fixed=False, total=240)
    case: Any = SimpleNamespace(mixing=mixing, old=SimpleNamespace(promised_pool=promised))
    assert [finding.code for finding in shuffling(case)] == codes


@pytest.mark.long
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


@pytest.mark.long
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


@pytest.mark.long
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


@pytest.mark.long
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
    assert old.files_per_batch == 1 and new.files_per_batch > 3


def test_an_order_that_stays_is_no_shuffle_though_it_lies_as_a_pool_would_have_made_it() -> None:
    """So does what buckets by length deliver: the same each time."""
    order = leaving(10, 400, np.random.default_rng(4), 400)
    sides = Memory(np.arange(400)), Memory(np.arange(400), order=lambda rng, count: order)
    result = comparing(*sides, cost=False)
    assert result.new.mixing is not None and result.new.mixing.pool is not None
    assert [f.code for f in result.findings] == ["order"], str(result)


def test_an_interleave_over_the_borders_of_epochs_is_no_shuffle() -> None:
    def interleaved() -> tf.data.Dataset:
        files = tf.data.Dataset.range(5).repeat(2)
        records = files.interleave(lambda file: tf.data.Dataset.range(40 * file, 40 * file + 40), 2)
        return records.batch(32)

    result = comparing(numbers(60, 2, 200), interleaved, cost=False, stages=False)
    assert [finding.code for finding in result.findings] == ["no-shuffle"], str(result)


@pytest.mark.parametrize(("pool", "said"), [(3, False), (40, True)])
def test_borders_that_a_small_pool_leaves_sharp_by_chance_are_not_called_so(
    pool: int, said: bool
) -> None:
    """A pool of 3 does in 3! / 3**3 of all cases, more than one in five; one of 40 never does."""
    seen = Interval(pool, pool, pool)
    sharp, blurred = (Mixing(2, borders=how, pool=seen) for how in ("sharp", "blurred"))
    for mixing in (sharp, blurred), (blurred, sharp):
        case = SimpleNamespace(mixing=mixing, difference=SimpleNamespace(empty=True))
        assert bool(epoch_borders(case)) == said  # type: ignore[arg-type]


def in_memory(order: Any) -> Any:
    lanes = np.asarray(order, np.uint64)[:, None]
    return SimpleNamespace(count=len(lanes), read=lambda start, stop: lanes[start:stop])


def test_classes_that_are_sampled_from_have_no_epochs_together_though_each_has_its_own() -> None:
    """One class comes about as often as the other, and may come once less."""
    for seed in range(200):
        rng = np.random.default_rng(seed)
        which = rng.permutation(np.repeat([0, 1], [1000 + seed % 2 * 10, 1000]))
        order = np.zeros(len(which), int)
        for number in (0, 1):
            of_class = [rng.permutation(10) + 10 * number for _ in range(101)]
            order[which == number] = np.concatenate(of_class)[: (which == number).sum()]
        assert borders(in_memory(order), 100) == "blurred", seed


def test_epochs_of_which_the_last_one_is_cut_off_are_sharp() -> None:
    rng = np.random.default_rng(0)
    for count in range(210, 500, 7):
        order = np.concatenate([rng.permutation(100) for _ in range(5)])[:count]
        epochs = int(np.bincount(np.unique(order, return_counts=True)[1]).argmax())
        assert borders(in_memory(order), epochs) == "sharp", count


@pytest.mark.long
def test_a_small_pool_behind_an_interleave_over_the_borders_of_epochs_is_told() -> None:
    def interleaved(pool: int) -> Any:
        def make() -> tf.data.Dataset:
            files = tf.data.Dataset.range(5).repeat(3)
            rows = files.interleave(
                lambda file: tf.data.Dataset.range(80 * file, 80 * file + 80), 2
            )
            return rows.shuffle(pool).batch(32)

        return make

    small = comparing(interleaved(40), interleaved(8), cost=False, stages=False)
    assert [finding.code for finding in small.findings] == ["weak-shuffle"], str(small)
    assert small.new.mixing is not None and small.new.mixing.pool is not None
    assert 5 <= small.new.mixing.pool.value <= 12, str(small)


@pytest.mark.parametrize(("files", "said"), [(2, False), (40, True)])
def test_epochs_that_few_files_make_alike_by_chance_are_not_called_so(
    files: int, said: bool
) -> None:
    """Two files come in the order of the epoch before in each second case."""
    alike = Mixing(2, same_epochs=True)
    other = Mixing(2, parted=np.arange(files - 1) * 10)
    scan = SimpleNamespace(promised_pool=0)
    case = SimpleNamespace(mixing=(other, alike), old=scan)
    assert bool(same_epochs(case)) == said  # type: ignore[arg-type]
    alike.draws = False
    assert same_epochs(case)  # type: ignore[arg-type]


def test_an_epoch_alone_is_not_said_to_differ_from_others() -> None:
    one, two = (Memory({"id": np.arange(150)}, epochs=epochs) for epochs in (1, 2))
    assert "same-epochs" not in {f.code for f in comparing(one, two, cost=False).findings}


def test_an_order_of_which_a_filter_drops_other_examples_each_time_is_one_order() -> None:
    def some(seed: int, pool: int) -> Memory:
        def order(rng: np.random.Generator, count: int) -> Any:
            kept = np.nonzero(rng.random(count) < 0.96)[0]
            return kept[leaving(pool, len(kept), rng, len(kept))] if pool else kept

        return Memory({"id": np.arange(300)}, order=order, seed=seed, promised=pool)

    kept = comparing(some(1, 0), some(2, 0), cost=False)
    codes = {f.code for f in kept.findings}
    assert codes.isdisjoint({"order", "pool"}) and kept.old.mixing.pool is None, str(kept)
    lost = comparing(some(1, 50), some(2, 0), cost=False)
    assert "no-shuffle" in {f.code for f in lost.findings}, str(lost)


def test_files_read_again_and_missing_are_not_a_shuffle_that_was_lost() -> None:
    def files(parts: list[int], seed: int) -> Memory:
        numbers = np.concatenate([np.arange(80) + 80 * part for part in parts])
        data = {"id": np.arange(240)}
        return Memory(data, order=lambda rng, count: np.tile(numbers, 2), seed=seed)

    result = comparing(files([0, 1, 2], 1), files([0, 0, 1], 2), cost=False)
    assert {"pool", "no-shuffle"}.isdisjoint({f.code for f in result.findings}), str(result)
    assert result.old.mixing.pool is None and result.old.mixing.fixed
