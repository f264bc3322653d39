"""What a queue runner runs beside an enqueue, and no example is made of, cannot be left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import tensorflow as tf

import queueio
from queueio import train
from queueio.errors import NotLifted

v1 = tf.compat.v1
pytestmark = pytest.mark.usefixtures("control_flow")


def _filled(fill: Callable[[Any, Any], Any]) -> Any:
    """What comes out of a queue that a runner fills with numbers by `fill(queue, number)`."""
    number = train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    queue = v1.FIFOQueue(5, [tf.int32], [[]])
    v1.train.add_queue_runner(v1.train.QueueRunner(queue, [fill(queue, number)]))
    return queue.dequeue_many(1)


def _small(number: Any) -> Any:
    return v1.Assert(number < 3, ["too large", number])


def waited_for(queue: Any, number: Any) -> Any:
    with tf.control_dependencies([_small(number)]):
        return queue.enqueue([number])


def checked_for_nan(queue: Any, number: Any) -> Any:
    with tf.control_dependencies([v1.check_numerics(1 / tf.cast(number, tf.float32), "zero")]):
        return queue.enqueue([number])


def printed(queue: Any, number: Any) -> Any:
    with tf.control_dependencies([v1.Print(number, [number])]):
        return queue.enqueue([number])


def in_one_group(queue: Any, number: Any) -> Any:
    return tf.group(queue.enqueue([number]), _small(number))


@pytest.mark.parametrize("fill", [waited_for, checked_for_nan, printed, in_one_group])
def test_a_check_that_no_tensor_waits_for_is_refused_by_name(fill: Any) -> None:
    said = r"(checks what comes|prints) in each run of .*a tensor that is enqueued wait for it"
    with pytest.raises(NotLifted, match=said):
        queueio.lift(lambda: _filled(fill))


def test_a_check_in_the_branch_of_an_enqueue_is_refused() -> None:
    def fill(queue: Any, number: Any) -> Any:
        return v1.cond(number > 1, lambda: waited_for(queue, number), tf.no_op)

    with pytest.raises(NotLifted, match="checks what comes only where a condition holds"):
        queueio.lift(lambda: _filled(fill))


def test_one_that_the_tensor_waits_for_is_lifted() -> None:
    def fill(queue: Any, number: Any) -> Any:
        with tf.control_dependencies([_small(number)]):
            number = tf.identity(number)
        with tf.control_dependencies([number]):
            return queue.enqueue([number])

    seen = []
    with pytest.raises(tf.errors.InvalidArgumentError, match="too large"):
        for numbers in queueio.lift(lambda: _filled(fill)).to_dataset():
            seen += numbers.numpy().tolist()
    assert seen == [0, 1, 2]
