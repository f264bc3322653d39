"""train.shuffle_batch: examples drawn from a pool."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import train

v1 = tf.compat.v1


def test_capacity_must_exceed_the_minimum() -> None:
    with pytest.raises(ValueError, match="capacity 3 must be bigger than min_after_dequeue 3"):
        train.shuffle_batch([tf.constant(1)], 2, capacity=3, min_after_dequeue=3)


def test_eager_execution_is_refused(eager: None) -> None:
    with pytest.raises(ValueError, match="eager"):
        train.shuffle_batch([tf.constant(1)], 2, 10, 3)


def test_nothing_to_batch_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one tensor"):
        train.shuffle_batch([], 2, 10, 3)


def test_a_shape_that_is_not_fully_defined_is_refused_by_name() -> None:
    words = v1.placeholder(tf.string, [None], name="words")
    with pytest.raises(ValueError, match=r"(?s)All shapes must be fully defined.*words"):
        train.shuffle_batch([words], 2, 10, 3)


def test_every_example_comes_once(examples: Any, numbers: Any) -> None:
    got = examples(train.shuffle_batch([numbers(40)], 4, 20, 10))
    assert sorted(got) == list(range(40))
    assert got != list(range(40))


def test_an_example_never_comes_before_it_was_read(examples: Any, numbers: Any) -> None:
    """With capacity c, the k-th example out is one of the first k + c in."""
    capacity = 8
    got = examples(train.shuffle_batch([numbers(60)], 1, capacity, 3))
    assert all(n <= k + capacity for k, n in enumerate(got))


def test_the_tail_is_kept_where_asked(values: Any, numbers: Any) -> None:
    batch = train.shuffle_batch([numbers(9)], 4, 20, 5, allow_smaller_final_batch=True)
    assert batch.shape.as_list() == [None]
    assert sorted(len(step) for step in values(batch)) == [1, 4, 4]


def test_the_minimum_no_longer_holds_when_the_input_has_ended(examples: Any, numbers: Any) -> None:
    got = examples(train.shuffle_batch([numbers(6)], 2, 100, 90))
    assert sorted(got) == list(range(6))


def test_examples_stay_together(drain: Any, numbers: Any) -> None:
    n = numbers(20)
    for step in drain(train.shuffle_batch({"n": n, "square": n * n}, 5, 30, 10, num_threads=2)):
        assert step["square"].tolist() == (step["n"] ** 2).tolist()


def test_enqueue_many_takes_rows(examples: Any, numbers: Any) -> None:
    rows = tf.range(3) + 10 * numbers(2)
    got = examples(train.shuffle_batch([rows], 3, 20, 2, enqueue_many=True))
    assert sorted(got) == [0, 1, 2, 10, 11, 12]


def test_a_dict_with_one_key_stays_a_dict(drain: Any, numbers: Any) -> None:
    (step,) = drain(train.shuffle_batch({"n": numbers(2)}, 2, 10, 1))
    assert sorted(step["n"]) == [0, 1]


def test_sparse_tensors_come_back_sparse(drain: Any, numbers: Any) -> None:
    n = numbers(6)
    row = tf.SparseTensor(tf.zeros([1, 1], tf.int64), tf.reshape(n, [1]), [1])
    for step in drain(train.shuffle_batch([n, row], 2, 10, 3)):
        assert step[0].tolist() == step[1].values.tolist()


def test_names_queue_and_summary(graph: Any) -> None:
    batch = train.shuffle_batch([tf.constant(1)], 2, 12, 3, seed=5, shared_name="all")
    assert batch.name == "shuffle_batch:0"
    queue = graph.get_operation_by_name("shuffle_batch/random_shuffle_queue")
    attributes = ("capacity", "min_after_dequeue", "shared_name", "seed2")
    assert [queue.get_attr(a) for a in attributes] == [12, 3, b"all", 5]
    (summary,) = graph.get_collection(v1.GraphKeys.SUMMARIES)
    assert summary.op.name == "shuffle_batch/fraction_over_3_of_9_full"


def test_the_summary_counts_only_what_is_over_the_minimum(session: Any, graph: Any) -> None:
    train.shuffle_batch([tf.constant(1)], 2, 6, 2)
    (summary,) = graph.get_collection(v1.GraphKeys.SUMMARIES)
    (runner,) = graph.get_collection(v1.GraphKeys.QUEUE_RUNNERS)
    levels = []
    for _ in range(5):
        session.run(runner.enqueue_ops[0])
        levels.append(v1.Summary.FromString(session.run(summary)).value[0].simple_value)
    assert levels == [0, 0, 0.25, 0.5, 0.75]
