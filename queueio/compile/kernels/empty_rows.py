"""Rows without values: of which TensorFlow's ops that take rows out of a tensor die.

An image without boxes, a sentence of no words. Where the row of a tensor of numbers holds nothing,
`Dataset.unbatch` and the enqueue_many of a queue end the process with SIGSEGV in TensorFlow 2.21;
TensorFlow 1.15 gave such rows like all others. Strings come through, and so do datasets of a
tensor's slices. (`dequeue_many` dies, too, where input ends within a batch of a shape that is known
to be empty.)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import tensorflow as tf


def may_be_empty(rows: Iterable[Any]) -> bool:
    """Whether one of these specs of rows is of numbers, and not known to hold any.

    Args:
      rows: the spec of each component of a row.
    """
    return any(
        isinstance(spec, tf.TensorSpec)
        and spec.dtype != tf.string
        and not spec.shape.num_elements()  # 0, or None where only the data tell
        for spec in rows
    )
