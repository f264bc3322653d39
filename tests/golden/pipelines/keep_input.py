"""keep_input: conditional enqueue."""

from __future__ import annotations

from typing import Any

from pipelines.registry import numbers, pipeline


@pipeline()
def keep_even(tf: Any) -> Any:
    n = numbers(tf, 9)
    return tf.train.maybe_batch([n, n * n], tf.equal(n % 2, 0), 2)


@pipeline()
def keep_even_keeps_the_remainder(tf: Any) -> Any:
    n = numbers(tf, 9)
    return tf.train.maybe_batch(
        {"n": n}, tf.equal(n % 2, 0), 2, allow_smaller_final_batch=True, name="even"
    )


@pipeline()
def keep_always(tf: Any) -> Any:
    return tf.train.maybe_batch([numbers(tf, 4)], True, 2)


@pipeline()
def keep_always_by_constant(tf: Any) -> Any:
    return tf.train.maybe_batch([numbers(tf, 4)], tf.constant(True), 2)


@pipeline()
def keep_always_by_an_integer(tf: Any) -> Any:
    return tf.train.maybe_batch([numbers(tf, 4)], 1, 2)


@pipeline()
def keep_rows_by_integers(tf: Any) -> Any:
    rows = tf.range(3) + 10 * numbers(tf, 2)
    return tf.train.maybe_batch([rows], [1, 0, 1], 2, enqueue_many=True)


@pipeline(steps=0)
def keep_never(tf: Any) -> Any:
    return tf.train.maybe_batch([numbers(tf, 4)], False, 2)


@pipeline()
def keep_rows(tf: Any) -> Any:
    rows = tf.range(4) + 10 * numbers(tf, 3)
    return tf.train.maybe_batch(
        [rows, tf.cast(rows, tf.float32)], tf.less(rows % 10, 3), 4, enqueue_many=True
    )


@pipeline()
def keep_whole_lots(tf: Any) -> Any:
    n = numbers(tf, 4)
    return tf.train.maybe_batch([tf.range(2) + 10 * n], n > 1, 2, enqueue_many=True)


@pipeline()
def keep_with_padding(tf: Any) -> Any:
    n = numbers(tf, 6)
    return tf.train.maybe_batch([tf.range(n)], n > 1, 2, dynamic_pad=True)


@pipeline(order="rows")
def keep_even_of_a_join(tf: Any) -> Any:
    n, m = numbers(tf, 6), numbers(tf, 4)
    keep = tf.placeholder_with_default(True, [])
    return tf.train.maybe_batch_join([[n], [10 + m]], keep, 2)


@pipeline(order="rows")
def keep_rows_of_a_join(tf: Any) -> Any:
    n, m = numbers(tf, 3), numbers(tf, 3)
    keep = tf.placeholder_with_default([True, False, True], [3])
    lists = [[tf.range(3) + 10 * n], [tf.range(3) + 100 + 10 * m]]
    return tf.train.maybe_batch_join(lists, keep, 3, enqueue_many=True)


@pipeline(order="rows")
def keep_even_shuffled(tf: Any) -> Any:
    n = numbers(tf, 12)
    return tf.train.maybe_shuffle_batch([n], 2, 10, 2, tf.equal(n % 2, 0))


@pipeline(order="rows")
def keep_rows_shuffled(tf: Any) -> Any:
    rows = tf.range(4) + 10 * numbers(tf, 3)
    return tf.train.maybe_shuffle_batch(
        [rows], 2, 20, 2, tf.less(rows % 10, 2), num_threads=2, seed=3, enqueue_many=True
    )


@pipeline(order="rows")
def keep_always_shuffled(tf: Any) -> Any:
    return tf.train.maybe_shuffle_batch([numbers(tf, 4)], 2, 10, 2, True, name="all")


@pipeline(order="rows")
def keep_of_a_shuffled_join(tf: Any) -> Any:
    n, m = numbers(tf, 4), numbers(tf, 4)
    keep = tf.placeholder_with_default(True, [])
    return tf.train.maybe_shuffle_batch_join(
        [{"n": n}, {"n": 10 + m}], 2, 10, 2, keep, allow_smaller_final_batch=True
    )
