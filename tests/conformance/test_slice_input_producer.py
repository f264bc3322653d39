"""train.slice_input_producer: one slice of every tensor of a list, together."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import train

v1 = tf.compat.v1


def test_an_empty_list_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one tensor"):
        train.slice_input_producer([])


def test_zero_epochs_are_refused() -> None:
    with pytest.raises(ValueError, match="0"):
        train.slice_input_producer([[1]], num_epochs=0)


def test_a_shorter_tensor_fails_where_it_ends(run: Any) -> None:
    slices = train.slice_input_producer([[1, 2, 3], [1, 2]], num_epochs=1, shuffle=False)
    outcome = run(slices)
    assert len(outcome.steps) == 2
    assert isinstance(outcome.end, tf.errors.InvalidArgumentError)


def test_slices_belong_together(drain: Any) -> None:
    numbers = tf.range(20)
    slices = train.slice_input_producer([numbers, numbers * numbers], num_epochs=2)
    got = [(int(a), int(b)) for a, b in drain(slices)]
    assert sorted(got) == sorted(2 * [(i, i * i) for i in range(20)])


def test_slices_in_order(drain: Any) -> None:
    slices = train.slice_input_producer([["a", "b"], [[1, 2], [3, 4]]], 2, shuffle=False)
    got = [(name, row.tolist()) for name, row in drain(slices)]
    assert got == [(b"a", [1, 2]), (b"b", [3, 4])] * 2


def test_the_result_is_a_list_with_a_dimension_less() -> None:
    slices = train.slice_input_producer([tf.zeros([5, 2, 3]), tf.zeros([5], tf.int64)])
    assert isinstance(slices, list)
    assert [s.shape.as_list() for s in slices] == [[2, 3], []]
    assert [s.dtype for s in slices] == [tf.float32, tf.int64]


def test_names(graph: Any) -> None:
    train.slice_input_producer([[1]], num_epochs=1, capacity=3, name="slices")
    (runner,) = graph.get_collection(v1.GraphKeys.QUEUE_RUNNERS)
    assert runner.name == "slices/input_producer"
    (summary,) = graph.get_collection(v1.GraphKeys.SUMMARIES)
    assert summary.op.name == "slices/input_producer/fraction_of_3_full"


def test_a_dict_is_refused_as_in_tf1_and_its_names_are_kept_by_a_line() -> None:
    columns = {"image": tf.zeros([2, 3]), "label": tf.zeros([2])}
    with pytest.raises(TypeError, match=r"values must be a sequence.*'image', 'label'") as raised:
        train.slice_input_producer(columns)
    right = str(raised.value).partition("right: ")[2]
    names = {"tf": v1, "data": columns}
    exec(right, names)
    assert {name: row.shape.as_list() for name, row in names["rows"].items()} == {
        "image": [3], "label": [],
    }  # fmt: skip
