"""Queue runners made by hand, and queues in chains."""

from __future__ import annotations

from typing import Any

from pipelines.registry import lines, numbers, pipeline


@pipeline()
def runner_by_hand(tf: Any) -> Any:
    n = numbers(tf, 4)
    queue = tf.FIFOQueue(3, [tf.int32], [[]], name="mine")
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(n)]))
    return queue.dequeue()


@pipeline(order="steps")
def runner_with_four_threads(tf: Any) -> Any:
    n = numbers(tf, 9)
    queue = tf.FIFOQueue(3, [tf.int32], [[]])
    runner = tf.train.queue_runner.QueueRunner(queue=queue, enqueue_ops=[queue.enqueue(n)] * 4)
    tf.train.queue_runner.add_queue_runner(runner)
    return queue.dequeue()


@pipeline()
def runner_with_ops_of_its_own(tf: Any) -> Any:
    queue = tf.FIFOQueue(3, [tf.int32], [[]])
    close = queue.close(name="shut")
    cancel = queue.close(cancel_pending_enqueues=True, name="drop")
    runner = tf.train.QueueRunner(
        queue,
        [queue.enqueue(numbers(tf, 4))],
        close,
        cancel,
        queue_closed_exception_types=(tf.errors.OutOfRangeError, tf.errors.CancelledError),
    )
    tf.train.add_queue_runner(runner)
    return queue.dequeue()


@pipeline(steps=0)
def runner_in_another_collection(tf: Any) -> Any:
    queue = tf.FIFOQueue(3, [tf.int32], [[]])
    runner = tf.train.QueueRunner(queue, [queue.enqueue(1)])
    tf.train.add_queue_runner(runner, collection="mine")
    return queue.dequeue()


@pipeline(order="rows")
def runner_of_a_chain(tf: Any) -> Any:
    key, value = lines(tf, epochs=2)
    pool = tf.RandomShuffleQueue(20, 3, [tf.string, tf.string], [[], []])
    tf.train.add_queue_runner(tf.train.QueueRunner(pool, [pool.enqueue([key, value])] * 2))
    examples = pool.dequeue()
    return tf.train.batch(examples, 4, allow_smaller_final_batch=True)


@pipeline(order="rows")
def priorities_in_a_chain(tf: Any) -> Any:
    n = numbers(tf, 5)
    ranked = tf.PriorityQueue(9, [tf.int32], [[]])
    fill = ranked.enqueue([tf.cast(-n, tf.int64), n])
    tf.train.add_queue_runner(tf.train.QueueRunner(ranked, [fill]))
    return tf.train.batch(ranked.dequeue(), 1)


@pipeline()
def variable_in_the_preprocessing(tf: Any) -> Any:
    scale = tf.get_variable("scale", initializer=3)
    return tf.train.batch([numbers(tf, 4) * scale], 2)


@pipeline()
def table_in_the_preprocessing(tf: Any) -> Any:
    _, value = lines(tf, ["data/words.txt"])
    words = tf.lookup.KeyValueTensorInitializer(
        tf.constant(["cat", "dog"]), tf.constant([4, 5], tf.int64)
    )
    table = tf.lookup.StaticHashTable(words, -1)
    return tf.train.batch([value, table.lookup(value)], 2)
