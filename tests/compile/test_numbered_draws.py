"""Seeded draws by an example's number are the draws that a session gave in turn, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from queueio.compile.numbered_draws import by_number, numbered
from queueio.compile.pipeline import map_chunks
from queueio.compile.placement import must_pass_in_order
from queueio.graph.fragment import Fragment
from tests.compile.fragments import floats, fragment_of, one_by_one, same_bits
from tests.turns import by_turns

v1, raw = tf.compat.v1, tf.raw_ops
ROWS = 23
SEEDS = [(0, 1), (87654321, 42), (-5, -(2**62)), (2**63 - 1, 7)]
SHAPES = [[], [1], [3], [2, 5], [0, 2], [17, 9, 3]]
KINDS = [
    *(("RandomUniform", kind) for kind in ("float16", "bfloat16", "float32", "float64")),
    *(("RandomStandardNormal", kind) for kind in ("float16", "float32", "float64")),
    *(("TruncatedNormal", kind) for kind in ("float32", "float64")),
    *(("RandomUniformInt", kind) for kind in ("int32", "int64")),
]


def _draw(name: str, kind: str, shape: list[int], seeds: tuple[int, int]) -> tf.Tensor:
    given: dict[str, Any] = {"shape": tf.constant(shape, tf.int32)}
    given |= {"seed": seeds[0], "seed2": seeds[1]}
    if name == "RandomUniformInt":
        given |= {"minval": tf.constant(-7, kind), "maxval": tf.constant(1000, kind)}
    else:
        given["dtype"] = tf.as_dtype(kind)
    made: tf.Tensor = getattr(raw, name)(**given)
    return made


def _chunked(fragment: Fragment, rows: list[np.ndarray], size: int) -> list[np.ndarray]:
    """What chunks of `size` give, all rows after one another."""
    chunks = numbered(tf.data.Dataset.from_tensor_slices(tuple(rows)).batch(size))
    got = map_chunks(chunks, fragment)
    columns = [list(column) for column in zip(*got.as_numpy_iterator(), strict=True)]
    return [np.concatenate(column) for column in columns]


def _same(build: Callable[..., Any], rows: list[np.ndarray], size: int) -> Fragment:
    with tf.Graph().as_default():
        fragment = fragment_of(build, rows)
        expected = one_by_one(fragment, rows)
        drawing = by_number(fragment)
    got = _chunked(drawing, rows, size)
    for i, example in enumerate(expected):
        for want, have in zip(example, got, strict=True):
            assert same_bits(want, have[i]), i
    return drawing


@pytest.mark.long
@pytest.mark.parametrize("size", [1, 7, 64])
@pytest.mark.parametrize(("name", "kind"), by_turns(KINDS))
def test_the_nth_example_gets_the_nth_draw_of_every_op_shape_and_seed(
    name: str, kind: str, size: int
) -> None:
    def build(x: tf.Tensor) -> list[tf.Tensor]:
        cases = [(shape, seeds) for shape in SHAPES for seeds in SEEDS]
        return [x, *(_draw(name, kind, shape, seeds) for shape, seeds in cases)]

    drawing = _same(build, [floats(2)[:1].repeat(ROWS, 0)], size)
    assert not must_pass_in_order(drawing)


@pytest.mark.long
def test_draws_and_what_is_computed_with_them_take_chunks_together() -> None:
    def build(x: tf.Tensor) -> tf.Tensor:
        v1.set_random_seed(3)
        image = v1.image.random_flip_left_right(x) * v1.random_uniform([], 0.5, 1.5)
        return v1.image.random_brightness(image, 0.4) + v1.random_normal([4, 5, 3], seed=9)

    _same(build, [floats(4, 5, 3).repeat(3, 0)[:ROWS]], 8)


def _in_a_cond(x: tf.Tensor) -> tf.Tensor:
    with tf.control_dependencies([x]):
        drawn = v1.cond(x[0] < 0.5, lambda: v1.random_uniform([], seed=4), lambda: tf.constant(0.5))
    return drawn + x


def _in_a_loop(x: tf.Tensor) -> tf.Tensor:
    def more(i: tf.Tensor, total: tf.Tensor) -> Any:
        return i + 1, total + v1.random_uniform([], seed=4)

    times = tf.cast(x[0] * 5, tf.int32)
    return v1.while_loop(lambda i, _: i < times, more, [0, x[0]])[1]


def _made_anew_in_a_loop(x: tf.Tensor) -> tf.Tensor:
    def more(i: tf.Tensor, last: tf.Tensor) -> Any:
        return i + 1, v1.random_uniform([], seed=4)

    count, last = v1.while_loop(lambda i, last: last < 0.9, more, [0, 0.0])
    return x + tf.cast(count, tf.float32) + last


def _in_the_condition_of_a_loop(x: tf.Tensor) -> tf.Tensor:
    def more(i: tf.Tensor) -> tf.Tensor:
        return v1.random_uniform([], seed=4) < 0.6

    return v1.while_loop(more, lambda i: i + x, [x])


def _of_the_examples_own_size(x: tf.Tensor) -> tf.Tensor:
    size = tf.cast(x[0] * 5, tf.int32) + 1
    return tf.reduce_sum(v1.random_uniform([size], seed=4))


def _between_bounds_of_the_example(x: tf.Tensor) -> tf.Tensor:
    limit = tf.cast(x[0] * 5, tf.int32) + 1
    return raw.RandomUniformInt(shape=[2], minval=0, maxval=limit, seed=1, seed2=2)


@pytest.mark.parametrize(
    "build",
    [
        _in_a_cond,
        _in_a_loop,
        _made_anew_in_a_loop,
        _in_the_condition_of_a_loop,
        _of_the_examples_own_size,
        _between_bounds_of_the_example,
    ],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("control_flow", [1, 2])
def test_draws_that_depend_on_the_example_stay_as_they_are(
    build: Callable[..., Any], control_flow: int, request: pytest.FixtureRequest
) -> None:
    if control_flow == 1:
        request.getfixturevalue("v1_behaviour")
    with tf.Graph().as_default():
        fragment = fragment_of(build, [floats(2)])
        assert by_number(fragment) is fragment


def test_draws_without_a_seed_need_no_number() -> None:
    with tf.Graph().as_default():
        fragment = fragment_of(lambda x: x + v1.random_uniform([]), [floats(2)])
        assert by_number(fragment) is fragment


@pytest.mark.parametrize("bounds", [(5, 3), (5, 5), (0, -1), (7, -(2**31))])
@pytest.mark.parametrize("kind", ["int32", "int64"])
def test_draws_between_bounds_that_no_number_lies_between_fail_as_in_a_session(
    kind: str, bounds: tuple[int, int]
) -> None:
    def build(row: tf.Tensor) -> tf.Tensor:
        least, limit = (tf.constant(bound, kind) for bound in bounds)
        drawn = raw.RandomUniformInt(shape=[2], minval=least, maxval=limit, seed=1, seed2=2)
        return row + tf.cast(drawn, tf.float32)

    _fails_as_in_a_session(build, [floats()])


def test_draws_by_an_algorithm_that_processors_lack_fail_as_in_a_session() -> None:
    def build(number: tf.Tensor) -> tf.Tensor:
        counter = tf.stack([number, tf.constant(0, tf.uint64)])
        key = tf.constant([3], tf.uint64)
        return raw.StatelessRandomUniformIntV2(
            shape=[2], key=key, counter=counter, alg=2, minval=1, maxval=9
        )

    _fails_as_in_a_session(build, [np.arange(3, dtype=np.uint64)])


def _fails_as_in_a_session(build: Callable[..., Any], rows: list[np.ndarray]) -> None:
    with tf.Graph().as_default():
        fragment = fragment_of(build, rows)
        with pytest.raises(tf.errors.OpError) as told:
            one_by_one(fragment, rows)
        drawing = by_number(fragment)
    given = tf.data.Dataset.from_tensor_slices(tuple(rows)).batch(2)
    chunks = given if drawing is fragment else numbered(given)
    with pytest.raises(type(told.value)):
        list(map_chunks(chunks, drawing))
