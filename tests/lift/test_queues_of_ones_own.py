"""Queues that a program makes itself: their plans deliver what came out of them in TF 1.15.5."""

from __future__ import annotations

from itertools import chain
from typing import Any

import pytest
import tensorflow as tf

import queueio
from queueio import io, train


def filled(queue: Any, *enqueues: Any) -> Any:
    train.add_queue_runner(train.QueueRunner(queue, list(enqueues)))
    return queue


def count(size: int) -> Any:
    return train.range_input_producer(size, 1, shuffle=False).dequeue()


def batches_of(dataset: Any) -> list[Any]:
    return [tf.nest.map_structure(lambda t: t.numpy().tolist(), batch) for batch in dataset]


def as_source(plan: Any) -> Any:
    made: dict[str, Any] = {"__name__": "made"}
    exec(str(plan.to_source()), made)
    return made["input_fn"]()


def by_priority() -> Any:
    queue = io.PriorityQueue(20, [tf.int32], [[]])
    value = count(9)
    filled(queue, queue.enqueue([tf.cast(value, tf.int64), value]))
    return queue.dequeue_up_to(4)[1]


def test_what_a_priority_queue_has_left_at_its_end_never_comes() -> None:
    expected = [[0, 1, 2, 3], [4, 5, 6, 7]]  # of TF 1.15.5, which ends with "insufficient elements"
    plan = queueio.lift(by_priority)
    for dataset in (plan.to_dataset(), plan.to_dataset(vectorise=False), as_source(plan)):
        assert batches_of(dataset) == expected
    assert plan.to_dataset().element_spec.shape.is_compatible_with([4])


def test_a_batch_that_a_priority_queue_never_holds_is_refused() -> None:
    def build() -> Any:
        queue = io.PriorityQueue(3, [tf.int32], [[]])
        value = count(9)
        return filled(queue, queue.enqueue([tf.cast(value, tf.int64), value])).dequeue_many(4)

    with pytest.raises(queueio.NotLifted, match=r"waits for ever: it takes 4 .* holds 3 at most"):
        queueio.lift(build)


def without_a_limit() -> Any:
    queue = io.RandomShuffleQueue(-1, 5, [tf.int32], [[]])
    return filled(queue, queue.enqueue(count(20))).dequeue_many(4)


@pytest.mark.parametrize("vectorise", [True, False])
def test_a_shuffle_queue_without_a_capacity_gives_all(vectorise: bool) -> None:
    dataset = queueio.lift(without_a_limit).to_dataset(vectorise=vectorise)
    assert sorted(chain(*batches_of(dataset))) == list(range(20))


def test_a_shuffle_queue_without_a_capacity_is_written_down() -> None:
    plan = queueio.lift(without_a_limit)
    text = " ".join(str(plan.to_source()).split())
    assert "the queue held 5 or more, without a limit" in text
    assert sorted(chain(*batches_of(as_source(plan)))) == list(range(20))


def test_producers_of_which_one_puts_in_a_sparse_tensor_and_one_a_number_are_refused() -> None:
    def build() -> Any:
        queue = io.FIFOQueue(9, [tf.int64], [[]])
        rows = [tf.sparse.from_dense(tf.fill([2], count(3))) for _ in range(2)]
        handles = [
            tf.raw_ops.AddSparseToTensorsMap(
                sparse_indices=row.indices,
                sparse_values=row.values,
                sparse_shape=row.dense_shape,
                shared_name="rows",
            )
            for row in rows
        ]
        filled(queue, queue.enqueue(handles[0]), queue.enqueue(handles[1] + 0))
        return tf.raw_ops.TakeManySparseFromTensorsMap(
            sparse_handles=queue.dequeue_many(2), dtype=tf.int32, shared_name="rows"
        )[1]

    with pytest.raises(queueio.NotLifted, match=r"producers put SparseTensorSpec.* and TensorSpec"):
        queueio.lift(build)
