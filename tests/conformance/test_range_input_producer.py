"""train.range_input_producer: the integers from 0 to limit - 1."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import train

v1 = tf.compat.v1


def test_zero_epochs_are_refused() -> None:
    with pytest.raises(ValueError, match="0"):
        train.range_input_producer(3, num_epochs=0)


def test_eager_execution_is_refused(eager: None) -> None:
    with pytest.raises(RuntimeError, match="eager"):
        train.range_input_producer(3)


def test_integers_in_order(values: Any) -> None:
    queue = train.range_input_producer(3, num_epochs=2, shuffle=False)
    assert values(queue.dequeue()) == [0, 1, 2, 0, 1, 2]


def test_a_shuffled_epoch_has_each_integer_once(values: Any) -> None:
    got = values(train.range_input_producer(10, num_epochs=2).dequeue())
    assert [sorted(got[:10]), sorted(got[10:])] == [list(range(10))] * 2


def test_the_limit_may_be_a_tensor(values: Any) -> None:
    limit = v1.placeholder_with_default(3, [])
    assert values(train.range_input_producer(limit, 1, False).dequeue()) == [0, 1, 2]


def test_elements_are_int32_scalars() -> None:
    element = train.range_input_producer(3).dequeue()
    assert (element.dtype, element.shape.as_list()) == (tf.int32, [])


def test_names_capacity_and_summary(graph: Any) -> None:
    queue = train.range_input_producer(3, None, True, None, 5, "shared", "mine")
    assert (queue.name, queue.queue_ref.op.get_attr("shared_name")) == ("mine", b"shared")
    (summary,) = graph.get_collection(v1.GraphKeys.SUMMARIES)
    assert summary.op.name == "mine/fraction_of_5_full"
