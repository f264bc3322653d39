"""A cond that cannot fail and has no effect is a select of the same bits; others stay conds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from queueio.compile.if_conversion import if_converted
from queueio.compile.vectorise import Chunked, vectorise
from queueio.graph.fragment import Fragment
from tests.compile.fragments import at_once, floats, fragment_of, one_by_one, same_bits

Build = Callable[..., Any]
IMAGES = floats(6, 5, 3)
CHOICES = np.linspace(0.1, 0.9, len(IMAGES)).astype(np.float32)


def _flip(x: tf.Tensor, p: tf.Tensor) -> Any:
    """As tf.image.random_flip_left_right has it."""
    return tf.cond(p < 0.5, lambda: tf.reverse(x, [1]), lambda: x)


def _two_results(x: tf.Tensor, p: tf.Tensor) -> Any:
    bright, dark = tf.cond(p < 0.5, lambda: (x + 1, x * 2), lambda: (x * 3, tf.zeros_like(x)))
    return [bright, dark + x]


def _one_after_the_other(x: tf.Tensor, p: tf.Tensor) -> Any:
    once = tf.cond(p < 0.3, lambda: tf.transpose(x, [0, 1, 2]) / 255.0, lambda: x - p)
    return tf.cond(p < 0.7, lambda: tf.reverse(once, [0, 1]), lambda: tf.reduce_mean(once) + once)


def _constants(x: tf.Tensor, p: tf.Tensor) -> Any:
    return tf.cond(p < 0.5, lambda: tf.constant([1.0, 2.0]), lambda: tf.stack([p, p]))


def _an_input_that_only_one_side_uses(x: tf.Tensor, p: tf.Tensor) -> Any:
    return [tf.cond(p > 0.5, lambda: x[1:3], lambda: tf.ones([2, 5, 3])), p]


FREE = [_flip, _two_results, _one_after_the_other, _constants, _an_input_that_only_one_side_uses]


def _check(build: Build) -> None:
    with tf.Graph().as_default():
        fragment = fragment_of(build, [IMAGES, CHOICES])
        expected = one_by_one(fragment, [IMAGES, CHOICES])
        free = if_converted(fragment)
        assert [type(p) for p in vectorise(free)] == [Chunked]
        got = at_once(free, [IMAGES, CHOICES])
    for i, example in enumerate(expected):
        for want, have in zip(example, got, strict=True):
            assert same_bits(want, have[i])


@pytest.mark.parametrize("build", FREE, ids=lambda f: f.__name__)
def test_a_select_gives_the_bits_of_a_cond_of_tf1(build: Build, v1_behaviour: None) -> None:
    _check(build)


@pytest.mark.parametrize("build", FREE, ids=lambda f: f.__name__)
def test_a_select_gives_the_bits_of_a_cond_of_tf2(build: Build) -> None:
    _check(build)


def _may_fail(x: tf.Tensor, p: tf.Tensor) -> Any:
    return tf.cond(p < 0.5, lambda: tf.debugging.check_numerics(x, "odd"), lambda: x)


def _divides_integers(x: tf.Tensor, p: tf.Tensor) -> Any:
    n = tf.cast(p, tf.int32)
    return tf.cond(p < 2, lambda: n, lambda: 7 // n)


def _calls_python(x: tf.Tensor, p: tf.Tensor) -> Any:
    def python() -> Any:
        return tf.ensure_shape(tf.numpy_function(lambda v: v, [x], tf.float32), x.shape)

    return tf.cond(p < 0.5, python, lambda: x)


def _of_unlike_shapes(x: tf.Tensor, p: tf.Tensor) -> Any:
    return tf.cond(p < 0.5, lambda: x[:1], lambda: x)


def _nested(x: tf.Tensor, p: tf.Tensor) -> Any:
    inner = lambda: tf.cond(p < 0.2, lambda: x, lambda: -x)  # noqa: E731
    return tf.cond(p < 0.5, inner, lambda: x + 1)


def _wide(x: tf.Tensor, p: tf.Tensor) -> Any:
    return _flip(tf.tile(x, [100, 100, 1]), p)


def _loops(x: tf.Tensor, p: tf.Tensor) -> Any:
    return tf.while_loop(lambda v: v < 2, lambda v: v + p, [p])[0]


LEFT_ALONE = [
    _may_fail,
    _divides_integers,
    _calls_python,
    _of_unlike_shapes,
    _nested,
    _wide,
    _loops,
]


@pytest.mark.parametrize("build", LEFT_ALONE, ids=lambda f: f.__name__)
def test_other_control_flow_of_tf1_is_left_alone(build: Build, v1_behaviour: None) -> None:
    with tf.Graph().as_default():
        fragment = fragment_of(build, [IMAGES, CHOICES])
        assert if_converted(fragment) is fragment


@pytest.mark.parametrize("build", LEFT_ALONE, ids=lambda f: f.__name__)
def test_other_control_flow_of_tf2_is_left_alone(build: Build) -> None:
    with tf.Graph().as_default():
        fragment = fragment_of(build, [IMAGES, CHOICES])
        assert if_converted(fragment) is fragment


def test_a_predicate_that_comes_in_through_an_identity_stays_an_input(v1_behaviour: None) -> None:
    with tf.Graph().as_default():
        wish = tf.identity(tf.compat.v1.placeholder(tf.bool, [], "wish"))
        x = tf.compat.v1.placeholder(tf.float32, [6, 5, 3], "x")
        out = tf.cond(wish, lambda: tf.reverse(x, [1]), lambda: x)
        free = if_converted(Fragment.between([x, wish], [out]))
        got = at_once(free, [IMAGES, CHOICES < 0.5])
    for image, choice, have in zip(IMAGES, CHOICES, got[0], strict=True):
        assert same_bits(image[:, ::-1] if choice < 0.5 else image, have)


def test_what_is_taken_by_reference_keeps_its_graph(v1_behaviour: None) -> None:
    with tf.Graph().as_default():
        scale = tf.compat.v1.get_variable("scale", [], use_resource=True)
        fragment = fragment_of(lambda x, p: [_flip(x, p), x * scale], [IMAGES, CHOICES])
        assert if_converted(fragment) is fragment


def test_the_distortions_of_the_cifar10_tutorial_take_chunks(v1_behaviour: None) -> None:
    def distorted(x: tf.Tensor, p: tf.Tensor) -> Any:
        image = tf.image.random_flip_left_right(tf.compat.v1.random_crop(x, [4, 4, 3]))
        image = tf.image.random_brightness(image, max_delta=63)
        image = tf.image.random_contrast(image, lower=0.2, upper=1.8)
        return [tf.image.per_image_standardization(image), p]

    with tf.Graph().as_default():
        pieces = vectorise(if_converted(fragment_of(distorted, [IMAGES, CHOICES])))
    assert [type(p) for p in pieces] == [Chunked]
