"""What is said to succeed succeeds, whatever comes and whatever is drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from queueio.graph.failing import cannot_fail

v1 = tf.compat.v1
Build = Callable[[Any], Any]


def _drawn(least: int, limit: int) -> Build:
    return lambda image: tf.slice(
        image, [v1.random_uniform([], least, limit, tf.int32), 0, 0], [5, 4, 3]
    )


def _remainder(of: int) -> Build:
    def build(image: Any) -> Any:
        offset = v1.random_uniform([3], maxval=tf.int32.max, dtype=tf.int32) % [of, 1, 1]
        return tf.slice(image, offset, [5, 4, 3])

    return build


def _through_int64(image: Any) -> Any:
    row = tf.reshape(tf.cast(v1.random_uniform([1], 0, 4, tf.int32), tf.int64), [])
    return tf.slice(image, tf.stack([row, 0, 0]), tf.constant([5, 4, 3], tf.int64))


def _through_bytes(image: Any) -> Any:
    row = tf.cast(tf.cast(v1.random_uniform([], 250, 259, tf.int32), tf.uint8), tf.int32)
    return tf.slice(image, [row, 0, 0], [5, 4, 3])


SAFE: dict[str, Build] = {
    "random_crop": lambda image: v1.random_crop(image, [5, 4, 2]),
    "random_crop of one size": lambda image: v1.random_crop(image, [8, 4, 3]),
    "a drawn row": _drawn(0, 4),
    "a remainder": _remainder(4),
    "a drawn row as int64": _through_int64,
    "a remainder of a number": lambda image: tf.cast(image[0, 0, 0], tf.int32) % 7,
    "a quotient": lambda image: tf.cast(image[0, 0, 0], tf.int32) // -3,
    "a quotient of floats": lambda image: image[0, 0, 0] // image[1, 1, 1],
}
UNSAFE: dict[str, Build] = {
    "a drawn row below": _drawn(-1, 4),
    "a drawn row beyond": _drawn(0, 5),
    "a remainder beyond": _remainder(5),
    "a row that wraps around": _through_bytes,
    "an example's own row": lambda image: tf.slice(
        image, tf.stack([tf.cast(image[0, 0, 0], tf.int32), 0, 0]), [5, 4, 3]
    ),
    "a remainder of nothing": lambda image: tf.cast(image[0, 0, 0], tf.int32) % 0,
    "a quotient by what comes": lambda image: 7 // tf.cast(image[0, 0, 0], tf.int32),
}


def _built(build: Build) -> tuple[Any, Any]:
    image = v1.placeholder(tf.float32, [8, 4, 3])
    return image, build(image)


@pytest.mark.parametrize("name", SAFE)
def test_what_cannot_fail_does_not_in_two_hundred_draws(name: str) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        image, made = _built(SAFE[name])
        assert cannot_fail(made.op)
        for seed in range(200):
            pixels = np.random.default_rng(seed).normal(0, 100, [8, 4, 3])
            session.run(made, {image: pixels})


@pytest.mark.parametrize("name", UNSAFE)
def test_what_may_fail_is_not_said_to_succeed(name: str) -> None:
    """Each of them does fail, for some draw or image."""
    with tf.Graph().as_default(), v1.Session() as session:
        image, made = _built(UNSAFE[name])
        assert not cannot_fail(made.op)
        with pytest.raises(tf.errors.InvalidArgumentError):
            for seed in range(200):
                pixels = np.random.default_rng(seed).integers(0, 9, [8, 4, 3])
                session.run(made, {image: pixels})
