"""A chunk's op refuses what the user's op refuses, at the same example (all fail in TF 1.15.5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import train

v1, raw = tf.compat.v1, tf.raw_ops
GOOD, ALL = 2, 6
OFFSETS = np.array([0, 3, -1, 1, 4, 0], np.int32)  # the third and the fifth lie outside of three
SAME, ONE = [b"abc"] * ALL, [b"xyz"] * GOOD + [b"x"] * (ALL - GOOD)


def _of_nothing(number: Any) -> Any:
    return tf.slice(number + tf.range(3), [tf.gather(OFFSETS, number)], [0])


def _of_no_rows(number: Any) -> Any:
    begin = tf.stack([tf.gather(OFFSETS, number), 0])
    return tf.slice(number + tf.zeros([3, 2], tf.int32), begin, [0, 2])


def _letters(number: Any, texts: list[bytes]) -> Any:
    return tf.io.decode_raw(tf.gather(tf.constant(texts), number), tf.uint8)


def _chosen_of_another_length(number: Any) -> Any:
    chosen = raw.Select(
        condition=number > 0, x=_letters(number, SAME), y=_letters(number, [b"x"] * ALL)
    )
    return tf.reshape(chosen, [3])


def _chosen_by_fewer(number: Any) -> Any:
    rows = tf.reshape(_letters(number, SAME), [-1, 1])
    return tf.reshape(raw.Select(condition=_letters(number, [b"x"] * ALL) > 0, x=rows, y=rows), [3])


def _any_rank(x: Any) -> Any:
    """The same, of which the graph does not tell the rank."""
    return tf.reshape(x, v1.placeholder_with_default(np.array([ALL], np.int32), [None]))


def _row(number: Any) -> Any:
    return _any_rank(number + tf.range(ALL))


ALWAYS: dict[str, Callable[[Any], Any]] = {
    "ArgMax": lambda n: raw.ArgMax(input=n + tf.range(ALL), dimension=-2),
    "ArgMax of a scalar": lambda n: tf.reshape(raw.ArgMax(input=n, dimension=-1), [-1]),
    "Assert": lambda n: _asserted(n + tf.range(3) >= 0, n),
    "ConcatV2": lambda n: tf.reshape(tf.concat([_row(n), _row(n)], -2), [2 * ALL]),
    "ExpandDims": lambda n: tf.reshape(tf.expand_dims(_row(n), -3), [ALL]),
    "Pack": lambda n: tf.reshape(tf.stack([_row(n), _row(n)], -3), [2 * ALL]),
    "ReverseV2": lambda n: tf.reshape(tf.reverse(_row(n), [-2]), [ALL]),
    "Select": _chosen_of_another_length,
    "Select by a vector": _chosen_by_fewer,
    "Split": lambda n: tf.reshape(tf.split(_row(n), 2, axis=-2)[0], [3]),
}


def _asserted(condition: Any, number: Any) -> Any:
    with tf.control_dependencies([v1.Assert(condition, [number])]):
        return tf.identity(number)


def batches_until_it_fails(compute: Callable[[Any], Any]) -> int:
    def build() -> Any:
        number = train.range_input_producer(ALL, num_epochs=1, shuffle=False).dequeue()
        return train.batch([compute(number)], 1, dynamic_pad=True)

    count = 0
    with pytest.raises(tf.errors.InvalidArgumentError):
        for _ in queueio.lift(build).to_dataset():
            count += 1
    return count


@pytest.mark.parametrize("compute", [_of_nothing, _of_no_rows])
def test_an_offset_of_an_empty_slice_is_looked_at(compute: Callable[[Any], Any]) -> None:
    assert batches_until_it_fails(compute) == GOOD


@pytest.mark.parametrize("name", ALWAYS)
def test_no_op_takes_the_examples_of_a_chunk_for_an_axis_or_spreads_one(name: str) -> None:
    assert batches_until_it_fails(ALWAYS[name]) == 0


def test_a_choice_between_two_of_one_shape_is_made_as_before() -> None:
    def build() -> Any:
        number = train.range_input_producer(ALL, num_epochs=1, shuffle=False).dequeue()
        rows = tf.reshape(number + tf.range(6), [3, 2])
        odd = tf.equal(number % 2, 1)
        chosen = [
            raw.Select(condition=odd, x=number, y=-number),
            raw.Select(condition=odd, x=rows, y=-rows),
            raw.Select(condition=tf.equal(tf.range(3), number), x=rows, y=-rows),
            raw.Select(condition=rows > 4, x=rows, y=tf.zeros([3, 2], tf.int32)),
        ]
        return train.batch(chosen, ALL)

    (batch,) = queueio.lift(build).to_dataset()
    numbers = np.arange(ALL)
    rows = (numbers[:, None] + np.arange(6)).reshape(ALL, 3, 2)
    odd = numbers % 2 == 1
    here = numbers[:, None] == np.arange(3)
    expected = [
        np.where(odd, numbers, -numbers),
        np.where(odd[:, None, None], rows, -rows),
        np.where(here[:, :, None], rows, -rows),
        np.where(rows > 4, rows, 0),
    ]
    for got, want in zip(batch, expected, strict=True):
        np.testing.assert_array_equal(got, want)
