"""Joins: several producers into one queue."""

from __future__ import annotations

from typing import Any

from pipelines.registry import lines, numbers, pipeline


def readers(tf: Any, count: int) -> list[Any]:
    """`count` readers that share one filename queue of three files."""
    files = ["data/lines-0.txt", "data/lines-1.txt", "data/numbers.txt"]
    queue = tf.train.string_input_producer(files, num_epochs=2, shuffle=False)
    return [tf.TextLineReader().read(queue) for _ in range(count)]


@pipeline()
def join_of_one(tf: Any) -> Any:
    return tf.train.batch_join([list(lines(tf))], 2)


@pipeline(order="rows")
def join_of_two_readers(tf: Any) -> Any:
    return tf.train.batch_join([list(r) for r in readers(tf, 2)], 2, capacity=4)


@pipeline(order="rows")
def join_keeps_the_remainder(tf: Any) -> Any:
    lists = [[numbers(tf, 4)], [10 + numbers(tf, 3)], [20 + numbers(tf, 2)]]
    return tf.train.batch_join(lists, 2, allow_smaller_final_batch=True)


@pipeline(order="rows")
def join_of_dicts(tf: Any) -> Any:
    dicts = [{"line": r.value, "key": r.key} for r in readers(tf, 2)]
    return tf.train.batch_join(dicts, 2, name="dicts")


@pipeline(order="rows")
def join_of_dicts_with_one_key(tf: Any) -> Any:
    return tf.train.batch_join([{"n": numbers(tf, 4)}, {"n": 10 + numbers(tf, 4)}], 2)


@pipeline(order="rows")
def join_enqueue_many(tf: Any) -> Any:
    n, m = numbers(tf, 3), numbers(tf, 2)
    lists = [[tf.range(3) + 10 * n], [tf.range(2) + 100 * m]]
    return tf.train.batch_join(lists, 4, enqueue_many=True, allow_smaller_final_batch=True)


@pipeline(order="rows")
def join_with_shapes_and_shared_name(tf: Any) -> Any:
    n, m = numbers(tf, 3), 10 + numbers(tf, 3)
    lists = [[tf.placeholder_with_default(tf.stack([x, x]), None)] for x in (n, m)]
    return tf.train.batch_join(lists, 2, shapes=[[2]], shared_name="joined")


@pipeline()
def join_with_padding(tf: Any) -> Any:
    n = numbers(tf, 5)
    return tf.train.batch_join([[tf.range(1, n + 2)]], 2, dynamic_pad=True)


@pipeline(steps=0)
def join_merges_static_shapes(tf: Any) -> Any:
    known = tf.zeros([2, 3])
    partly = tf.placeholder(tf.float32, [None, 3])
    return tf.train.batch_join([[known], [partly]], 4, dynamic_pad=True)


@pipeline(steps=0)
def join_takes_the_static_shape_of_the_first(tf: Any) -> Any:
    partly = tf.placeholder(tf.float32, [None, 3])
    return tf.train.batch_join([[partly], [tf.zeros([2, 3])]], 4, dynamic_pad=True)


@pipeline(order="rows")
def shuffle_join_of_two_readers(tf: Any) -> Any:
    lists = [list(r) for r in readers(tf, 2)]
    return tf.train.shuffle_batch_join(lists, 7, capacity=20, min_after_dequeue=4)


@pipeline(order="rows")
def shuffle_join_with_every_option(tf: Any) -> Any:
    dicts = [{"n": tf.range(2) + 10 * numbers(tf, 4)}, {"n": tf.range(2) + 100 * numbers(tf, 3)}]
    return tf.train.shuffle_batch_join(
        dicts,
        4,
        30,
        5,
        seed=4,
        enqueue_many=True,
        shapes=[[]],
        allow_smaller_final_batch=True,
        shared_name="mixed",
        name="mixed",
    )
