"""The batches before an example that fails are delivered, however many are made at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import train

v1 = tf.compat.v1
GOOD, ALL = 13, 20


def _in_python(number: Any) -> Any:
    def asked(value: Any) -> Any:
        if value >= GOOD:
            raise ValueError("the fourteenth")
        return np.int32(value)

    known = v1.py_func(asked, [number], tf.int32)
    known.set_shape([])
    return known


def _decoded(number: Any) -> Any:
    good = tf.image.encode_png(tf.zeros([2, 2, 3], tf.uint8))
    image = tf.image.decode_png(tf.where(number < GOOD, good, tf.constant(b"no picture")), 3)
    image.set_shape([2, 2, 3])
    return image


def _split(number: Any) -> Any:
    text = tf.where(number < GOOD, tf.as_string(number) + " 7", tf.constant("x y"))
    parts = tf.strings.to_number(v1.string_split([text]).values)
    parts.set_shape([2])
    return parts


def _looped(number: Any) -> Any:
    with tf.control_dependencies([v1.assert_less(number, GOOD)]):
        return tf.while_loop(lambda n, _: n < number, lambda n, y: (n + 1, y + n), [0, 0])[1]


@pytest.mark.parametrize("compute", [_in_python, _decoded, _split, _looped])
@pytest.mark.parametrize("size", [1, 2, 5])
def test_every_batch_before_it_comes(compute: Callable[[Any], Any], size: int) -> None:
    def build() -> Any:
        number = train.range_input_producer(ALL, num_epochs=1, shuffle=False).dequeue()
        return train.batch([number, compute(number)], size)

    seen: list[int] = []
    with pytest.raises(tf.errors.InvalidArgumentError):
        for numbers, _ in queueio.lift(build).to_dataset():
            seen += numbers.numpy().tolist()
    assert seen == list(range(GOOD // size * size))
