"""train.add_queue_runner: puts a runner where start_queue_runners finds it."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio import train

v1 = tf.compat.v1


def runner() -> Any:
    queue = v1.FIFOQueue(5, tf.int32, [[]])
    return train.QueueRunner(queue, [queue.enqueue(1)])


def test_the_collection_is_queue_runners(graph: Any) -> None:
    mine = runner()
    train.add_queue_runner(mine)
    assert graph.get_collection("queue_runners") == [mine]


def test_another_collection_can_be_named(graph: Any) -> None:
    mine = runner()
    train.add_queue_runner(mine, collection="mine")
    assert graph.get_collection("mine") == [mine]
    assert graph.get_collection("queue_runners") == []


def test_a_runner_of_tensorflow_is_welcome(values: Any, numbers: Any) -> None:
    queue = v1.FIFOQueue(5, tf.int32, [[]])
    train.add_queue_runner(v1.train.QueueRunner(queue, [queue.enqueue(numbers(3))]))
    assert values(queue.dequeue()) == [0, 1, 2]
