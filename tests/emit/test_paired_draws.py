"""What a seed keeps together stays together in a written module: draws, and shuffled lists."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from tests.loading import loaded

v1 = tf.compat.v1
EXAMPLES, SEED = 400, 7
RAMP = np.arange(24, dtype=np.float32).reshape(2, 4, 3)


def written(module: Any, path: Path) -> Any:
    module.write(path)
    return loaded(path).input_fn


def in_a_cond(number: Any, seed: int) -> Any:
    often = number % 3 > 0
    return tf.cond(often, lambda: tf.random.uniform([], seed=seed), lambda: tf.constant(0.0))


DRAWS: dict[str, Callable[[Any, int], Any]] = {
    "uniform": lambda number, seed: tf.random.uniform([3], seed=seed),
    "normal": lambda number, seed: tf.random.normal([2, 2], seed=seed),
    "truncated": lambda number, seed: v1.truncated_normal([5], seed=seed),
    "int": lambda number, seed: tf.random.uniform([], 0, 1000, tf.int32, seed=seed),
    "categorical": lambda number, seed: tf.random.categorical(tf.zeros([1, 50]), 2, seed=seed),
    "shuffle": lambda number, seed: tf.random.shuffle(tf.range(9), seed=seed),
    "flip": lambda number, seed: tf.image.random_flip_left_right(RAMP, seed=seed),
    "crop": lambda number, seed: v1.random_crop(RAMP, [2, 2, 3], seed=seed),
    "a cond": in_a_cond,
}


def numbers() -> Any:
    return v1.train.range_input_producer(EXAMPLES, num_epochs=1, shuffle=False).dequeue()


def busy(number: Any) -> Any:
    """`number`, after some work that lets calls of a map overtake one another."""
    start = tf.cast(number % 7, tf.float32) + tf.ones([48, 48])
    work = tf.reduce_sum(tf.linalg.matmul(tf.linalg.matmul(start, start), start))
    return number + tf.cast(work * 0.0, tf.int32)


def one_fragment(draw: Any) -> Any:
    number = numbers()
    return v1.train.batch([draw(number, SEED), draw(number, SEED), busy(number)], 10)


def two_fragments(draw: Any) -> Any:
    number = numbers()
    number, first = v1.train.batch([busy(number), draw(number, SEED)], 1)
    return v1.train.batch([first[0], draw(number[0], SEED), busy(number[0])], 10)


def two_streams(draw: Any) -> Any:
    numbered = [numbers(), numbers()]
    pairs = [v1.train.batch([draw(number, SEED), busy(number)], 1) for number in numbered]
    return v1.train.batch([pairs[0][0][0], pairs[1][0][0], pairs[0][1] + pairs[1][1]], 10)


PLACES = [
    *((one_fragment, kind) for kind in DRAWS), (two_fragments, "uniform"), (two_fragments, "flip"),
    (two_streams, "int"), (two_streams, "a cond"),
]  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(("place", "kind"), PLACES)
def test_two_draws_of_one_seed_are_alike_in_each_example(
    kind: str, place: Any, tmp_path: Path
) -> None:
    module = queueio.lift(lambda: place(DRAWS[kind])).to_source()
    drawn = list(written(module, tmp_path / "drawn.py")().as_numpy_iterator())
    first, second, _ = (np.concatenate(part) for part in zip(*drawn, strict=True))
    assert len(first) == EXAMPLES and len(np.unique(first, axis=0)) > 1
    torn = [i for i in range(EXAMPLES) if not np.array_equal(first[i], second[i])]
    assert torn == [], f"{len(torn)} of {EXAMPLES}"


@pytest.mark.long
def test_two_pipelines_of_a_program_draw_alike(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        ends = [
            v1.train.batch(
                [tf.random.uniform([2], seed=SEED) + tf.cast(busy(numbers()), "float")], 8
            )
            for _ in range(2)
        ]
        plans = [queueio.lift(end) for end in ends]
    sides = [written(p.to_source(), tmp_path / f"side_{i}.py") for i, p in enumerate(plans)]
    both = tf.data.Dataset.zip(tuple(side() for side in sides))
    assert all(np.array_equal(a, b) for a, b in both.as_numpy_iterator())


@pytest.mark.parametrize("threads", [1, 4])
def test_a_draw_by_itself_is_the_same_in_each_run_if_one_thread_made_it(
    threads: int, tmp_path: Path
) -> None:
    def build() -> Any:
        number = numbers()
        return v1.train.batch([number, tf.random.uniform([], seed=SEED)], 8, threads)

    module = queueio.lift(build).to_source()
    assert ("AUTOTUNE" in module.text.replace("prefetch(tf.data.AUTOTUNE", "")) == (threads > 1)
    runs = [list(written(module, tmp_path / "one.py")().as_numpy_iterator()) for _ in range(2)]
    if threads == 1:
        assert all(map(np.array_equal, *(np.concatenate([r[1] for r in run]) for run in runs)))


def test_a_note_says_that_draws_without_a_reader_are_others() -> None:
    def build() -> Any:
        return v1.train.batch([tf.random.uniform([3], seed=SEED)], 2)

    assert any("numbers themselves are others" in n for n in queueio.lift(build).to_source().notes)


def test_draws_of_two_graph_seeds_stay_independent(tmp_path: Path) -> None:
    def build() -> Any:
        number = numbers()
        drawn = []
        for graph_seed in (1, 2):
            v1.set_random_seed(graph_seed)
            drawn.append(tf.random.uniform([], seed=3))
        return v1.train.batch([number, *drawn], 8)

    input_fn = written(queueio.lift(build).to_source(), tmp_path / "independent.py")
    assert all((a != b).all() for _, a, b in input_fn().as_numpy_iterator())


def rows(kind: str, name: str) -> Any:
    """A list of ten rows, as programs make them."""
    texts = [f"{name}{i}" for i in range(10)]
    if kind == "constant":
        return texts
    if kind == "many":
        return [f"{name}{i}" for i in range(300)]
    return tf.strings.join(
        [tf.constant(name), tf.strings.as_string(tf.random.shuffle([0]) + tf.range(10))]
    )


def handed_out(kind: str, seed: int | None, name: str, how: str) -> Any:
    if how == "slices":
        return v1.train.slice_input_producer([rows(kind, name)], 4, seed=seed)[0]
    return v1.train.input_producer(rows(kind, name), num_epochs=4, seed=seed).dequeue()


STEPS = [
    (("constant", "slices"), ("constant", "rows")), (("many", "rows"), ("many", "slices")),
    (("computed", "slices"), ("constant", "slices")), (("computed", "rows"), ("constant", "rows")),
    (("constant", "slices"), ("computed", "rows")), (("computed", "rows"), ("computed", "rows")),
]  # fmt: skip


@pytest.mark.parametrize("kinds", STEPS, ids=str)
def test_lists_shuffled_by_one_seed_stay_in_step(kinds: Any, tmp_path: Path) -> None:
    def build() -> Any:
        lists = zip("ab", kinds, strict=True)
        return v1.train.batch([handed_out(kind, SEED, name, how) for name, (kind, how) in lists], 2)

    input_fn = written(queueio.lift(build).to_source(), tmp_path / "step.py")
    takes = "seed" in inspect.signature(input_fn).parameters
    for given in ({}, {"seed": 5}, {"seed": None}) if takes else ({},):
        drawn = list(input_fn(**given).as_numpy_iterator())
        ones, others = (np.concatenate(part).tolist() for part in zip(*drawn, strict=True))
        assert [one[1:] for one in ones] == [other[1:] for other in others], given
        assert ones != sorted(ones)


def three_lists(seeds: Any) -> Any:
    made = [
        handed_out("constant", seed, name, "slices")
        for seed, name in zip(seeds, "abc", strict=True)
    ]
    return v1.train.shuffle_batch(made, 2, 20, 4)


SEEDS = [(None,) * 3, (3, 3, 3), (3, 3, None), (3, None, 3), (4, 3, 3), (None, 3, 4)]


@pytest.mark.parametrize("seeds", SEEDS, ids=str)
def test_an_argument_serves_the_lists_that_one_seed_paired_and_no_others(
    seeds: Any, tmp_path: Path
) -> None:
    input_fn = written(queueio.lift(lambda: three_lists(seeds)).to_source(), tmp_path / "three.py")
    names = [n for n in inspect.signature(input_fn).parameters if n.startswith("seed")]
    for given in ({}, dict.fromkeys(names), {name: 11 + i for i, name in enumerate(names)}):
        drawn = list(input_fn(num_epochs=6, **given).as_numpy_iterator())
        lists = [[row[1:] for row in np.concatenate(part)] for part in zip(*drawn, strict=True)]
        for i, j in itertools.combinations(range(3), 2):
            paired = seeds[i] is not None and seeds[i] == seeds[j]
            assert (lists[i] == lists[j]) == paired, (given, i, j)


def test_the_argument_says_that_a_list_of_another_pipeline_is_kept_in_step() -> None:
    with tf.Graph().as_default():
        ends = [v1.train.batch([handed_out("constant", SEED, n, "slices")], 2) for n in "ab"]
        text = str(queueio.lift(ends[0]).to_source())
    assert "seed: int = 7" in text and "in step with another pipeline" in " ".join(text.split())
