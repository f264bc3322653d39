"""train.input_producer: the rows of a tensor."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import train

v1 = tf.compat.v1


def test_rows_of_unknown_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="element_shape"):
        train.input_producer(v1.placeholder(tf.int32, [None, None]))


def test_a_scalar_has_no_rows() -> None:
    with pytest.raises(ValueError, match="rank"):
        train.input_producer(tf.constant(1))


def test_an_element_shape_that_contradicts_the_rows_is_refused() -> None:
    with pytest.raises(ValueError, match="3"):
        train.input_producer([[1, 2]], element_shape=[3])


def test_num_epochs_must_be_positive() -> None:
    with pytest.raises(ValueError, match="0"):
        train.input_producer([[1, 2]], num_epochs=0)


def test_rows_come_in_order_epoch_after_epoch(values: Any) -> None:
    queue = train.input_producer([[1, 2], [3, 4]], num_epochs=2, shuffle=False)
    assert values(queue.dequeue()) == [[1, 2], [3, 4], [1, 2], [3, 4]]


def test_element_shape_stands_in_for_an_unknown_one(values: Any) -> None:
    rows = v1.placeholder_with_default([[1, 2], [3, 4]], [None, None])
    queue = train.input_producer(rows, element_shape=[2], num_epochs=1, shuffle=False)
    assert queue.shapes == [tf.TensorShape([2])]
    assert values(queue.dequeue()) == [[1, 2], [3, 4]]


def test_a_shuffled_epoch_has_each_row_once(values: Any) -> None:
    queue = train.input_producer(list(range(9)), num_epochs=3)
    got = values(queue.dequeue())
    assert [sorted(got[i : i + 9]) for i in (0, 9, 18)] == [list(range(9))] * 3
    assert got[:9] != got[9:18] or got[9:18] != got[18:]


def test_a_seed_makes_the_order_the_same_again(session: Any, graph: Any) -> None:
    for _ in range(2):
        train.input_producer(list(range(9)), seed=3)
    first, second = (op for op in graph.get_operations() if op.type == "RandomShuffle")
    assert session.run(first.outputs[0]).tolist() == session.run(second.outputs[0]).tolist()


def test_names_runner_and_summary(graph: Any) -> None:
    queue = train.input_producer(
        [1.0], capacity=4, shared_name="all", summary_name="full", name="rows"
    )
    op = queue.queue_ref.op
    assert (op.name, op.get_attr("shared_name"), op.get_attr("capacity")) == (
        "rows/rows",
        b"all",
        4,
    )
    (runner,) = graph.get_collection(v1.GraphKeys.QUEUE_RUNNERS)
    assert [op.name for op in runner.enqueue_ops] == ["rows/rows_EnqueueMany"]
    (summary,) = graph.get_collection(v1.GraphKeys.SUMMARIES)
    assert summary.op.name == "rows/full"


def test_without_a_summary_name_there_is_no_summary(graph: Any) -> None:
    train.input_producer([1.0])
    assert graph.get_collection(v1.GraphKeys.SUMMARIES) == []


def test_a_cancel_op_of_its_own_is_what_the_runner_uses(graph: Any) -> None:
    cancel = tf.no_op()
    train.input_producer([1.0], cancel_op=cancel)
    assert graph.get_collection(v1.GraphKeys.QUEUE_RUNNERS)[0].cancel_op is cancel


def test_eager_execution_is_refused(eager: None) -> None:
    with pytest.raises(RuntimeError, match="eager"):
        train.input_producer([1.0])
