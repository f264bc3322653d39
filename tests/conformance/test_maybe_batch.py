"""train.maybe_batch: only the examples that keep_input lets in."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import train

v1 = tf.compat.v1


def test_a_vector_needs_enqueue_many() -> None:
    with pytest.raises(ValueError, match="enqueue_many"):
        train.maybe_batch([tf.constant(1)], [True, False], 2)


def test_a_matrix_is_refused() -> None:
    with pytest.raises(ValueError, match="keep_input"):
        train.maybe_batch([tf.zeros([2])], [[True], [False]], 2, enqueue_many=True)


def test_an_unknown_rank_is_refused() -> None:
    with pytest.raises(ValueError, match="keep_input"):
        train.maybe_batch([tf.constant(1)], v1.placeholder(tf.bool), 2)


def test_a_number_that_is_only_known_later_is_refused() -> None:
    with pytest.raises(TypeError, match="bool"):
        train.maybe_batch([tf.constant(1)], v1.placeholder(tf.int32, []), 2)


@pytest.mark.parametrize("decided", [True, False])
def test_what_is_computed_from_constants_alone_adds_no_cond(decided: bool) -> None:
    keep = tf.logical_and(tf.constant(decided), tf.constant(True))
    train.maybe_batch([tf.zeros([])], keep, 2)
    types = {op.type for op in v1.get_default_graph().get_operations()}
    assert types.isdisjoint({"Switch", "Merge", "If", "StatelessIf"})


def test_a_scalar_decides_on_each_example(values: Any, numbers: Any) -> None:
    n = numbers(9)
    assert values(train.maybe_batch([n], tf.equal(n % 2, 0), 2)) == [[0, 2], [4, 6]]


def test_a_scalar_decides_on_all_rows_at_once(values: Any, numbers: Any) -> None:
    n = numbers(3)
    rows = tf.range(2) + 10 * n
    assert values(train.maybe_batch([rows], n > 0, 2, enqueue_many=True)) == [[10, 11], [20, 21]]


def test_a_vector_decides_row_by_row(values: Any, numbers: Any) -> None:
    rows = tf.range(4) + 10 * numbers(2)
    batch = train.maybe_batch([rows], rows % 10 < 2, 2, enqueue_many=True)
    assert values(batch) == [[0, 1], [10, 11]]


def test_the_tail_is_kept_where_asked(values: Any, numbers: Any) -> None:
    n = numbers(9)
    batch = train.maybe_batch([n], tf.equal(n % 2, 0), 2, allow_smaller_final_batch=True)
    assert values(batch) == [[0, 2], [4, 6], [8]]


def test_a_dict_with_one_key_stays_a_dict(drain: Any, numbers: Any) -> None:
    n = numbers(4)
    (step,) = drain(train.maybe_batch({"n": n}, n > 1, 2))
    assert step["n"].tolist() == [2, 3]


def test_sparse_tensors_under_a_scalar(drain: Any, numbers: Any) -> None:
    n = numbers(6)
    row = tf.SparseTensor(tf.cast(tf.reshape(n, [1, 1]), tf.int64), tf.reshape(n, [1]), [6])
    steps = drain(train.maybe_batch([row], n > 1, 2))
    assert [step.values.tolist() for step in steps] == [[2, 3], [4, 5]]


def test_sparse_tensors_under_a_vector(drain: Any, numbers: Any) -> None:
    n = numbers(3)
    rows = tf.SparseTensor([[0, 1], [1, 0]], tf.stack([n, -n]), [2, 2])
    keep = v1.placeholder_with_default([False, True], [2])
    steps = drain(train.maybe_batch([rows], keep, 3, enqueue_many=True))
    assert [step.values.tolist() for step in steps] == [[0, -1, -2]]


@pytest.mark.parametrize("true", [True, 1])
def test_a_constant_true_adds_nothing_to_the_graph(graph: Any, true: Any) -> None:
    train.maybe_batch([tf.constant(1)], true, 2)
    assert not {"Switch", "Merge", "If"} & {op.type for op in graph.get_operations()}


def test_a_constant_false_fills_nothing(graph: Any) -> None:
    train.maybe_batch([tf.constant(1)], False, 2)
    assert not [op for op in graph.get_operations() if "Enqueue" in op.type]


def test_keep_input_is_the_second_parameter_and_names_are_those_of_batch(graph: Any) -> None:
    keep = v1.placeholder(tf.bool, [])
    assert train.maybe_batch([tf.constant(1)], keep, 2).name == "batch:0"
    assert graph.get_operation_by_name("batch/fifo_queue")
