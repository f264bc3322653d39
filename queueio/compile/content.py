"""What strings hold, for a chunk of examples whose strings are of one length.

A string that is only decoded into numbers need not become one: its bytes are numbers already.
"""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

PLAIN = frozenset({
    tf.bfloat16, tf.float16, tf.float32, tf.float64, tf.int8, tf.int16, tf.int32, tf.int64,
    tf.uint8, tf.uint16,
})  # fmt: skip
"""Numbers that are what their bytes are."""


class Content(NamedTuple):
    """The bytes of a string for each example, uint8 [C, length]."""

    bytes: tf.Tensor

    def decoded(self, dtype: tf.DType) -> tf.Tensor:
        """What `DecodeRaw` makes of the strings, [C, numbers]; fails where it does."""
        if dtype == tf.uint8:
            return self.bytes
        if dtype.size == 1:
            return tf.bitcast(self.bytes, dtype)
        count, length = tf.unstack(tf.shape(self.bytes))
        apart = tf.reshape(self.bytes, [count, length // dtype.size, dtype.size])
        return tf.bitcast(apart, dtype)


def is_only_decoded(users: tuple[tf.Operation, ...]) -> bool:
    """Whether a string whose only users these are is wanted as numbers."""
    return bool(users) and all(
        user.type == "DecodeRaw"
        and user.get_attr("little_endian")
        and user.outputs[0].dtype in PLAIN
        for user in users
    )
