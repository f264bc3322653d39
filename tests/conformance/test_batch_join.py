"""train.batch_join: several producers, each with a thread of its own."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import train

v1 = tf.compat.v1


def test_no_producers_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        train.batch_join([], 2)


def test_producers_of_nothing_are_refused() -> None:
    with pytest.raises(ValueError):
        train.batch_join([[], []], 2)


def test_dtypes_must_agree() -> None:
    with pytest.raises(TypeError, match=r"int32.*float32"):
        train.batch_join([[tf.constant(1)], [tf.constant(1.0)]], 2)


def test_shapes_must_agree() -> None:
    with pytest.raises(ValueError, match=r"2.*3"):
        train.batch_join([[tf.zeros([2])], [tf.zeros([3])]], 2)


def test_lengths_must_agree() -> None:
    with pytest.raises(ValueError):
        train.batch_join([[tf.zeros([]), tf.zeros([])], [tf.zeros([])]], 2)


def test_keys_must_agree() -> None:
    with pytest.raises(ValueError, match="keys"):
        train.batch_join([{"a": tf.zeros([])}, {"b": tf.zeros([])}], 2)


def test_sparse_and_dense_do_not_mix() -> None:
    sparse = tf.SparseTensor([[0]], [1], [2])
    with pytest.raises(ValueError, match=r"(?i)sparse"):
        train.batch_join([[sparse], [tf.constant([1])]], 2)


def test_eager_execution_is_refused(eager: None) -> None:
    with pytest.raises(ValueError, match="eager"):
        train.batch_join([[tf.constant(1)]], 2)


def test_every_example_of_every_producer_comes_once(examples: Any, numbers: Any) -> None:
    batch = train.batch_join([[numbers(9)], [100 + numbers(5)]], 2, capacity=3)
    got = examples(batch)
    assert sorted(got) == [*range(9), *range(100, 105)]
    assert [n for n in got if n < 100] == list(range(9))


def test_the_tail_is_kept_where_asked(values: Any, numbers: Any) -> None:
    lists = [[numbers(3)], [numbers(2)]]
    batches = values(train.batch_join(lists, 2, allow_smaller_final_batch=True))
    assert sorted(len(batch) for batch in batches) == [1, 2, 2]


def test_dicts_come_back_as_a_dict(drain: Any, numbers: Any) -> None:
    dicts = [{"n": n, "square": n * n} for n in (numbers(3), 10 + numbers(3))]
    for step in drain(train.batch_join(dicts, 2)):
        assert step["square"].tolist() == (step["n"] ** 2).tolist()


def test_sparse_tensors_of_all_producers_share_a_map(drain: Any, numbers: Any) -> None:
    def row(n: Any) -> Any:
        return tf.SparseTensor(tf.zeros([1, 1], tf.int64), tf.reshape(n, [1]), [1])

    steps = drain(train.batch_join([[row(numbers(4))], [row(10 + numbers(4))]], 2))
    got = sorted(value for step in steps for value in step.values.tolist())
    assert got == [0, 1, 2, 3, 10, 11, 12, 13]


@pytest.mark.parametrize("order", [1, -1])
def test_static_shapes_are_those_of_the_first_producer(order: int) -> None:
    lists = [[tf.zeros([2, 3])], [v1.placeholder(tf.float32, [None, 3])]][::order]
    batch = train.batch_join(lists, 4, dynamic_pad=True)
    assert batch.shape.as_list() == [4, *lists[0][0].shape.as_list()]


def test_names_and_one_enqueue_op_per_producer(graph: Any) -> None:
    batch = train.batch_join([[tf.constant(1)], [tf.constant(2)]], 2, capacity=6)
    assert batch.name == "batch_join:0"
    (runner,) = graph.get_collection(v1.GraphKeys.QUEUE_RUNNERS)
    names = [op.name for op in runner.enqueue_ops]
    assert names == ["batch_join/fifo_queue_enqueue", "batch_join/fifo_queue_enqueue_1"]
    (summary,) = graph.get_collection(v1.GraphKeys.SUMMARIES)
    assert summary.op.name == "batch_join/fraction_of_6_full"


@pytest.mark.parametrize(("first", "other"), [(1, 2), (2, 1)])
def test_producers_of_unlike_numbers_of_tensors_are_refused_with_the_numbers(
    first: int, other: int
) -> None:
    words = f"Inconsistent SparseTensors list.*gives {first} tensors and another one {other}"
    with pytest.raises(ValueError, match=words):
        train.batch_join([[tf.constant(1)] * first, [tf.constant(1)] * other], 2)
