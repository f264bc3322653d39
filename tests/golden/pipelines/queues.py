"""The queue classes themselves, driven step by step."""

from __future__ import annotations

from typing import Any

from pipelines.registry import Script, pipeline


@pipeline()
def fifo_queue(tf: Any) -> Any:
    queue = tf.FIFOQueue(5, [tf.int32, tf.string], [[], [1]], shared_name="fifo", name="fifo")
    one = queue.enqueue([0, ["x"]], name="one")
    more = queue.enqueue_many([[1, 2, 3], [["a"], ["b"], ["c"]]])
    size, closed = queue.size(), queue.is_closed()
    take = queue.dequeue()
    return Script(
        [one, more, size, take, queue.dequeue_many(2), queue.close(), closed, size]
        + [queue.dequeue_up_to(4), take, queue.dequeue_many(1), one, queue.close()]
    )


@pipeline()
def fifo_queue_with_names(tf: Any) -> Any:
    queue = tf.FIFOQueue(5, [tf.int32, tf.float32], [[], [2]], names=["n", "xy"])
    fill = queue.enqueue_many({"n": [1, 2, 3], "xy": tf.zeros([3, 2])})
    return Script([fill, queue.dequeue(), queue.dequeue_many(2), queue.size()])


@pipeline()
def fifo_queue_without_shapes(tf: Any) -> Any:
    queue = tf.FIFOQueue(5, tf.int32)
    fill = [queue.enqueue([[1, 2]]), queue.enqueue([3])]
    return Script([fill[0], fill[1], queue.dequeue(), queue.dequeue(), queue.size()])


@pipeline()
def fifo_queue_refuses_other_shapes(tf: Any) -> Any:
    queue = tf.FIFOQueue(5, tf.int32, [[2]])
    value = tf.placeholder_with_default([1, 2, 3], None)
    return Script([queue.enqueue([value]), queue.size()])


@pipeline()
def fifo_queue_refuses_unequal_counts(tf: Any) -> Any:
    queue = tf.FIFOQueue(5, [tf.int32, tf.int32], [[], []])
    value = tf.placeholder_with_default([1, 2, 3], None)
    return Script([queue.enqueue_many([value, [1, 2]]), queue.size()])


@pipeline()
def random_shuffle_queue(tf: Any) -> Any:
    queue = tf.RandomShuffleQueue(
        capacity=10, min_after_dequeue=2, dtypes=[tf.int32], shapes=[()], seed=5, name="pool"
    )
    fill = queue.enqueue_many([[7, 7, 7, 7]])
    return Script(
        [fill, queue.size(), queue.dequeue(), queue.dequeue_many(1), queue.close()]
        + [queue.dequeue_up_to(9), queue.size(), queue.dequeue()]
    )


@pipeline()
def padding_fifo_queue(tf: Any) -> Any:
    queue = tf.PaddingFIFOQueue(5, [tf.int32, tf.string], [[None], [None, 2]], name="pad")
    short = queue.enqueue([[1], [["a", "b"]]])
    long = queue.enqueue([[1, 2, 3], [["c", "d"], ["e", "f"]]])
    return Script(
        [short, long, queue.size(), queue.dequeue_many(2), short, queue.dequeue()]
        + [long, queue.close(), queue.dequeue_up_to(3)]
    )


@pipeline()
def priority_queue(tf: Any) -> Any:
    queue = tf.PriorityQueue(10, [tf.string], [[]], name="ranked")
    priorities = tf.constant([3, 1, 2], tf.int64)
    fill = queue.enqueue_many([priorities, ["three", "one", "two"]])
    return Script(
        [fill, queue.dequeue(), queue.enqueue([tf.constant(0, tf.int64), "zero"])]
        + [queue.dequeue_many(3), queue.size()]
    )


@pipeline()
def queue_of_a_list(tf: Any) -> Any:
    queues = [tf.FIFOQueue(3, tf.int32, [[]], name=name) for name in ("left", "right")]
    either = tf.QueueBase.from_list(tf.constant(1), queues)
    fill = [queue.enqueue(value) for value, queue in enumerate(queues)]
    return Script([fill, either.dequeue(), queues[0].size(), queues[1].size()])


@pipeline()
def queue_closed_with_cancelling(tf: Any) -> Any:
    queue = tf.FIFOQueue(2, tf.int32, [[]])
    fill = queue.enqueue_many([[1, 2]])
    close = queue.close(cancel_pending_enqueues=True, name="cancel")
    return Script([fill, close, queue.enqueue(3), queue.dequeue_many(2), queue.dequeue()])


@pipeline(steps=0)
def queue_static_shapes(tf: Any) -> Any:
    queue = tf.FIFOQueue(2, [tf.int32, tf.float32], [[3], [2, 2]])
    size = tf.placeholder(tf.int32, [])
    return [
        queue.dequeue(),
        queue.dequeue_many(2),
        queue.dequeue_many(size),
        queue.dequeue_up_to(2),
    ]
