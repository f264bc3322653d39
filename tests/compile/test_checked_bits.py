"""What waits for a check is rewritten as a session rewrites it, and still waits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from queueio.compile.in_session import in_session
from queueio.compile.pipeline import map_chunks
from queueio.graph.fragment import Fragment

v1 = tf.compat.v1


def checked() -> Fragment:
    """A quotient that waits for a check, beside one that does not, and what only passes."""
    with tf.Graph().as_default():
        number, key = v1.placeholder(tf.float32, []), v1.placeholder(tf.string, [])
        quotient = number / 3.0
        with tf.control_dependencies([v1.assert_less(number, 100.0)]):
            waiting = tf.identity(quotient)
        return Fragment.between([number, key], [key, quotient, waiting])


def on_chunks(fragment: Fragment, numbers: Any) -> list[list[float]]:
    keys = [str(number) for number in numbers]
    rows = tf.data.Dataset.from_tensor_slices((np.float32(numbers), keys)).batch(len(keys))
    return [
        [column.numpy().tolist() for column in chunk[1:]] for chunk in map_chunks(rows, fragment)
    ]


def test_what_waits_for_a_check_has_the_bits_that_a_session_computes() -> None:
    fragment = checked()
    numbers = [2 / 3, 5.3, 7.7, 11.0]
    expected = []
    with v1.Session(graph=fragment.graph) as session:
        for number in numbers:
            values = dict(zip(fragment.inputs, (number, "key"), strict=True))
            expected.append(session.run(list(fragment.outputs[1:]), values))
    (got,) = on_chunks(in_session(fragment), numbers)
    assert list(zip(*got, strict=True)) == [tuple(map(float, row)) for row in expected]


def test_the_check_is_still_made_when_what_waits_for_it_was_rewritten() -> None:
    rewritten = in_session(checked())
    _, free, waiting = (output.op.control_inputs for output in rewritten.outputs)
    assert waiting and not free
    with pytest.raises(tf.errors.InvalidArgumentError, match="assert"):
        on_chunks(rewritten, [1.0, 200.0])
