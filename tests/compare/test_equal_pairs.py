"""Where there is no fault, none is reported."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio.compare as comparing
from queueio.testing import assert_equivalent
from tests.turns import by_turns


def random_columns(rng: np.random.Generator) -> Any:
    count = int(rng.integers(2, 300))
    texts = [b"a\0" * int(n) for n in rng.integers(0, 5, count)]  # NULs at the end, many repeats
    floats = rng.normal(size=(count, 2))
    floats[rng.random((count, 2)) < 0.2] = np.nan
    columns = {
        "few": rng.integers(0, 3, count),
        "text": np.array(texts, object),
        "floats": floats.astype(rng.choice(["float16", "float32", "float64"])),
        "pixels": rng.integers(0, 255, (count, 3, 3)).astype(np.uint8),
        "flag": rng.random(count) < 0.5,
    }
    kept = {name: value for name, value in columns.items() if rng.random() < 0.6}
    kept = kept or {"few": columns["few"]}
    return kept if rng.random() < 0.7 else tuple(kept.values())


def random_side(rng: np.random.Generator, data: Any) -> Any:
    size, epochs = int(rng.integers(1, 33)), int(rng.integers(1, 4))
    shuffle, first = int(rng.choice([0, 0, 1, 10, 100, 1000])), bool(rng.random() < 0.5)

    def make() -> tf.data.Dataset:
        made = tf.data.Dataset.from_tensor_slices(data)
        if shuffle and first:
            made = made.shuffle(shuffle)
        made = made.repeat(epochs)
        if shuffle and not first:
            made = made.shuffle(shuffle)
        return made.batch(size)

    return make


@pytest.mark.long
@pytest.mark.parametrize("seed", by_turns(range(8)))
def test_no_false_alarm_in_160_pairs_of_datasets(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(20):
        data = random_columns(rng)
        make = random_side(rng, data)
        result = comparing(make, make, cost=False)
        told = {finding.code for finding in result.findings}
        assert result.ok and told <= {"order-unknown"}, f"seed {seed}\n{result}"


NESTS = {
    "flat": lambda a, b, c: {"image": a, "label": b, "weight": c},
    "features and label": lambda a, b, c: ({"weight": c, "image": a}, {"label": b}),
    "named tuple": lambda a, b, c: collections.namedtuple("Row", "weight label image")(c, b, a),
    "nested": lambda a, b, c: {"x": {"image": a}, "about": {"weight": c, "label": b}},
}


@pytest.mark.parametrize("new", NESTS)
@pytest.mark.parametrize("old", ["flat", "named tuple"])
def test_components_of_one_name_are_one_component_in_whatever_nests(old: str, new: str) -> None:
    image, label = np.arange(60.0).reshape(20, 3), np.arange(20) % 7
    data = image, label, label[::-1]
    sides = [tf.data.Dataset.from_tensor_slices(NESTS[n](*data)).batch(4) for n in (old, new)]
    result = comparing(*sides, cost=False)
    assert result.ok and result.level == "identical stream", str(result)
    assert [f.code for f in result.findings] == ([] if old == new else ["structure"])


BY_PLACE = {
    "features and label": lambda a, b, c: ({"größe": a, "weight": b}, c),
    "pairs": lambda a, b, c: ((a, b), c),
    "flat": lambda a, b, c: (a, b, c),
    "one of two features": lambda a, b, c: ({"größe": a}, b, c),
}


@pytest.mark.parametrize("new", BY_PLACE)
@pytest.mark.parametrize("old", BY_PLACE)
def test_a_place_in_a_tuple_is_no_name_in_another_nest(old: str, new: str) -> None:
    numbers = np.arange(30), np.arange(30) * 3, np.arange(30) % 4
    sides = [tf.data.Dataset.from_tensor_slices(BY_PLACE[n](*numbers)).batch(5) for n in (old, new)]
    result = comparing(*sides, cost=False)
    assert result.level == "identical stream", str(result)
    assert [f.code for f in result.findings] == ([] if old == new else ["structure"])


def queue_side(rng: np.random.Generator) -> tuple[Any, Any]:
    """A stock queue pipeline, and the dataset that a careful engineer writes for it."""
    count, size, epochs = (int(rng.integers(a, b)) for a, b in ((20, 800), (1, 20), (1, 3)))
    pool, smaller = int(rng.choice([0, 16, 100])), bool(rng.random() < 0.5)

    def old() -> Any:
        train = tf.compat.v1.train
        number = train.range_input_producer(count, num_epochs=epochs, shuffle=False).dequeue()
        pair = [number, tf.as_string(number)]
        if not pool:
            return train.batch(pair, size, capacity=64, allow_smaller_final_batch=smaller)
        return train.shuffle_batch(
            pair, size, pool + 3 * size, pool, allow_smaller_final_batch=smaller
        )

    def new() -> Any:
        made = tf.data.Dataset.range(count, output_type=tf.int32)
        made = made.map(lambda n: [n, tf.as_string(n)]).repeat(epochs)
        if pool:
            made = made.shuffle(pool + 2 * size)
        return made.batch(size, drop_remainder=not smaller)

    return old, new


@pytest.mark.long
@pytest.mark.parametrize("seed", by_turns(range(4)))
def test_no_false_alarm_in_40_pairs_with_queues(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    for _ in range(10):
        old, new = queue_side(rng)
        result = comparing(old, new, cost=False)
        # Which examples a shuffled stream drops at its end is chance, and may be noted as such.
        told = {f.code for f in result.findings}
        assert told <= {"remainder", "order-unknown"}, f"seed {seed}\n{result}"
        assert result.ok


def sparse_rows() -> tf.data.Dataset:
    made = tf.data.Dataset.range(1, 40)
    return made.map(_sparse)


def _sparse(n: tf.Tensor) -> tf.SparseTensor:
    places = tf.range(n % 5, dtype=tf.int64)[:, None]
    return tf.SparseTensor(places, tf.range(n, n + n % 5), [5])


@pytest.mark.long
def test_sparse_batches_are_equal_and_a_changed_entry_is_not() -> None:
    def changed() -> tf.data.Dataset:
        bump = tf.data.Dataset.range(1, 40).map(
            lambda n: tf.sparse.map_values(lambda v: tf.where(v == 17, v + 1, v), _sparse(n))
        )
        return bump.batch(8)

    same = assert_equivalent(lambda: sparse_rows().batch(8), lambda: sparse_rows().batch(8))
    assert same.level == "identical stream"
    assert comparing(lambda: sparse_rows().batch(8), changed, cost=False).level == "different"


@pytest.mark.long
@pytest.mark.parametrize("shuffled", [False, True])
def test_sparse_values_in_other_columns_are_other_examples(shuffled: bool) -> None:
    def moved() -> tf.data.Dataset:
        def later(row: tf.SparseTensor) -> tf.SparseTensor:
            return tf.SparseTensor(row.indices + 1, row.values, row.dense_shape)

        rows = sparse_rows().map(later)
        return (rows.shuffle(40) if shuffled else rows).batch(8)

    result = comparing(lambda: sparse_rows().batch(8), moved, cost=False)
    assert result.level == "different"
    assert "has the same values in other places" in result.findings[0].sentence


@pytest.mark.parametrize(("width", "level"), [(0, "identical examples"), (1, "different")])
def test_dense_shapes_are_compared_over_all_batches_where_they_are_their_largest_examples(
    width: int, level: str
) -> None:
    def make(more: int) -> Any:
        def own_width(n: tf.Tensor) -> tuple[tf.Tensor, tf.SparseTensor]:
            row = _sparse(n)
            shape = tf.reshape(tf.maximum(n % 5, 1) + more, [1])
            return n, tf.SparseTensor(row.indices, row.values, shape)

        rows = tf.data.Dataset.range(1, 40).shuffle(40).map(own_width)
        return lambda: rows.apply(tf.data.experimental.dense_to_ragged_batch(2))

    result = comparing(make(0), make(width), cost=False)
    assert result.level == level, str(result)


@pytest.mark.long
def test_shuffled_batches_without_remainder_are_not_called_random_for_their_labels() -> None:
    """Two examples of one label may be left out in one run, and two others in the next."""

    def make() -> tf.data.Dataset:
        numbers = tf.data.Dataset.range(62).shuffle(62).repeat(3)
        rows = numbers.map(lambda n: {"id": n, "label": tf.zeros_like(n)})
        return rows.batch(8, drop_remainder=True)

    result = comparing(make, make, cost=False)
    assert {f.code for f in result.findings} <= {"remainder"}, str(result)


@pytest.mark.long
@pytest.mark.parametrize("cached", [False, True])
def test_random_values_that_are_drawn_once_and_cached_are_not_identical(cached: bool) -> None:
    def make(cached: bool) -> Any:
        def flipped(n: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            return n, tf.where(tf.random.uniform([]) < 0.5, n, -n)

        rows = tf.data.Dataset.range(1, 201).map(flipped)
        return lambda: (rows.cache() if cached else rows).repeat(4).batch(8)

    result = comparing(make(False), make(cached), cost=False, draw_seconds=2.0)
    said = [f.sentence for f in result.findings if "repeats what it has drawn" in f.sentence]
    assert bool(said) == cached == (result.level == "different"), str(result)


def test_ragged_batches_are_equal_in_batches_of_any_size() -> None:
    def make(size: int) -> Any:
        rows = tf.ragged.constant([[1, 2], [], [3], [4, 5, 6], [7], []])
        return lambda: tf.data.Dataset.from_tensor_slices(rows).ragged_batch(size)

    assert assert_equivalent(make(2), make(2)).level == "identical stream"
    result = comparing(make(2), make(3), cost=False)
    assert [f.code for f in result.findings] == ["batch-size"]


def test_single_examples_match_batches_of_them() -> None:
    data = np.arange(12, dtype=np.float32).reshape(4, 3)
    single = tf.data.Dataset.from_tensor_slices(data)
    result = comparing(single.batch(2), single, cost=False)
    assert [f.code for f in result.findings] == ["batch-size"]
    assert "single examples" in result.findings[0].sentence


def test_a_sparse_batch_of_a_queue_is_equal_to_one_of_a_dataset() -> None:
    def queue() -> tf.SparseTensor:
        number = tf.compat.v1.train.range_input_producer(39, num_epochs=1, shuffle=False)
        one = _sparse(tf.cast(number.dequeue(), tf.int64) + 1)
        return tf.compat.v1.train.batch([one], 8, allow_smaller_final_batch=True)

    result = assert_equivalent(queue, lambda: sparse_rows().batch(8))
    assert result.level == "identical stream", str(result)
