"""TensorFlow's random generator, Philox 4×32 in ten rounds, for many counters in one call.

A random op fills one tensor from one counter on. For thousands of examples, each of which draws a
number or two from a counter of its own, thousands of calls would cost more than what they feed.

Source:
    J. K. Salmon and others, Parallel random numbers: as easy as 1, 2, 3 (2011)
"""

from __future__ import annotations

import tensorflow as tf

_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)  # what is added to the two words of the key in each round
_ROUNDS = 10
_WORD = (1 << 32) - 1


def words(counters: tf.Tensor, key: tf.Tensor, count: int) -> tf.Tensor:
    """The first numbers of 32 bits that the generator gives from each counter on.

    Args:
      counters: uint64, shape (rows, 2): the low half, the high half.
      key: uint64, shape (1,).
      count: how many for each row.

    Returns:
      uint64, shape (rows, count).
    """
    blocks = tf.range((count + 3) // 4, dtype=tf.int64)
    low = counters[:, :1] + tf.cast(blocks, tf.uint64)
    carried = tf.cast(low < counters[:, :1], tf.uint64)
    high = counters[:, 1:] + carried
    state = (_low(low), _high(low), _low(high), _high(high))
    keys = (_low(key), _high(key))

    def one_round(
        made: tf.Tensor, state: tuple[tf.Tensor, ...], keys: tuple[tf.Tensor, ...]
    ) -> tuple[tf.Tensor, tuple[tf.Tensor, ...], tuple[tf.Tensor, ...]]:
        first, second = (state[2 * i] * _uint64(_MULTIPLIERS[i]) for i in range(2))
        mixed = (
            _xor(_xor(_high(second), state[1]), keys[0]), _low(second),
            _xor(_xor(_high(first), state[3]), keys[1]), _low(first),
        )  # fmt: skip
        return made + 1, mixed, tuple(_low(keys[i] + _uint64(_WEYL[i])) for i in range(2))

    _, state, _ = tf.while_loop(
        lambda made, *_: made < _ROUNDS, one_round, (tf.constant(0), state, keys)
    )
    return tf.reshape(tf.stack(state, 2), [tf.shape(counters)[0], -1])[:, :count]


def floats(drawn: tf.Tensor) -> tf.Tensor:
    """Words as float32 numbers from 0 to 1, without 1, as `RandomUniform` makes them."""
    bits = tf.bitwise.bitwise_or(
        tf.bitwise.bitwise_and(drawn, _uint64(0x7FFFFF)), _uint64(0x3F800000)
    )
    return tf.bitcast(tf.cast(bits, tf.uint32), tf.float32) - 1.0


def integers(drawn: tf.Tensor, least: tf.Tensor, limit: tf.Tensor) -> tf.Tensor:
    """Words as int32 numbers from `least` to `limit`, without it, as `RandomUniformInt` does."""
    span = tf.cast(tf.cast(limit, tf.int64) - tf.cast(least, tf.int64), tf.uint64)
    return tf.cast(tf.cast(least, tf.int64) + tf.cast(drawn % span, tf.int64), tf.int32)


def _uint64(value: int) -> tf.Tensor:
    return tf.constant(value, tf.uint64)


def _low(value: tf.Tensor) -> tf.Tensor:
    return tf.bitwise.bitwise_and(value, _uint64(_WORD))


def _high(value: tf.Tensor) -> tf.Tensor:
    return tf.bitwise.right_shift(value, _uint64(32))


def _xor(one: tf.Tensor, other: tf.Tensor) -> tf.Tensor:
    return tf.bitwise.bitwise_xor(one, other)
