"""SparseTensors through the batch functions: they travel as handles of a sparse map."""

from __future__ import annotations

from typing import Any

from pipelines.registry import numbers, pipeline


def row(tf: Any, n: Any) -> Any:
    """A sparse vector of length 6 whose entry n is n."""
    index = tf.cast(tf.reshape(n, [1, 1]), tf.int64)
    return tf.SparseTensor(index, tf.reshape(n, [1]), tf.constant([6], tf.int64))


def table(tf: Any, n: Any) -> Any:
    """A sparse 3 x 4 matrix with n, n + 1 in rows 0 and 2."""
    indices = tf.constant([[0, 1], [2, 3]], tf.int64)
    return tf.SparseTensor(indices, tf.stack([n, n + 1]), tf.constant([3, 4], tf.int64))


@pipeline()
def sparse_batch(tf: Any) -> Any:
    n = numbers(tf, 5)
    return tf.train.batch([n, row(tf, n)], 2)


@pipeline()
def sparse_batch_alone(tf: Any) -> Any:
    return tf.train.batch([row(tf, numbers(tf, 5))], 2, allow_smaller_final_batch=True)


@pipeline()
def sparse_batch_of_a_dict(tf: Any) -> Any:
    n = numbers(tf, 4)
    tensors = {"a": table(tf, n), "b": n, "c": row(tf, n)}
    return tf.train.batch(tensors, 2, name="mixed", shared_name="mixed")


@pipeline()
def sparse_batch_of_a_dict_with_one_key(tf: Any) -> Any:
    return tf.train.batch({"only": row(tf, numbers(tf, 4))}, 2)


@pipeline()
def sparse_enqueue_many(tf: Any) -> Any:
    return tf.train.batch([table(tf, numbers(tf, 3))], 2, enqueue_many=True)


@pipeline()
def sparse_with_padding(tf: Any) -> Any:
    n = numbers(tf, 4)
    return tf.train.batch([row(tf, n), tf.range(n)], 2, dynamic_pad=True)


@pipeline(order="rows")
def sparse_join(tf: Any) -> Any:
    n, m = numbers(tf, 4), numbers(tf, 4)
    return tf.train.batch_join([[n, row(tf, n)], [m, row(tf, m)]], 2)


@pipeline(order="rows")
def sparse_join_enqueue_many(tf: Any) -> Any:
    lists = [[table(tf, numbers(tf, 2))], [table(tf, 10 + numbers(tf, 2))]]
    return tf.train.batch_join(lists, 3, enqueue_many=True)


@pipeline()
def sparse_keep_even(tf: Any) -> Any:
    n = numbers(tf, 8)
    return tf.train.maybe_batch([n, row(tf, n % 6)], tf.equal(n % 2, 0), 2)


@pipeline()
def sparse_keep_always(tf: Any) -> Any:
    return tf.train.maybe_batch([row(tf, numbers(tf, 4))], True, 2)


@pipeline()
def sparse_keep_whole_lots(tf: Any) -> Any:
    n = numbers(tf, 4)
    return tf.train.maybe_batch([table(tf, n)], n > 1, 3, enqueue_many=True)


@pipeline()
def sparse_keep_rows(tf: Any) -> Any:
    n = numbers(tf, 3)
    keep = tf.placeholder_with_default([True, False, True], [3])
    return tf.train.maybe_batch([table(tf, n), tf.fill([3], n)], keep, 2, enqueue_many=True)


@pipeline(order="rows")
def sparse_keep_of_a_join(tf: Any) -> Any:
    n, m = numbers(tf, 4), numbers(tf, 4)
    keep = tf.placeholder_with_default(True, [])
    return tf.train.maybe_batch_join([[row(tf, n)], [row(tf, m)]], keep, 2)


@pipeline(order="rows")
def sparse_shuffle(tf: Any) -> Any:
    n = numbers(tf, 6)
    return tf.train.shuffle_batch([n, row(tf, n)], 2, 10, 3)


@pipeline(order="rows")
def sparse_shuffle_join(tf: Any) -> Any:
    n, m = numbers(tf, 6), numbers(tf, 4)
    dicts = [{"n": n, "row": row(tf, n)}, {"n": m, "row": row(tf, m)}]
    return tf.train.shuffle_batch_join(dicts, 2, 20, 3, allow_smaller_final_batch=True)


@pipeline(order="rows")
def sparse_shuffle_keep_even(tf: Any) -> Any:
    n = numbers(tf, 8)
    return tf.train.maybe_shuffle_batch([row(tf, n % 6)], 2, 20, 3, tf.equal(n % 2, 0))


@pipeline()
def sparse_of_parsed_examples(tf: Any) -> Any:
    queue = tf.train.string_input_producer(["data/examples-0.tfrecord"], 1, False)
    _, record = tf.TFRecordReader().read(queue)
    parsed = tf.parse_single_example(record, {"tags": tf.VarLenFeature(tf.string)})
    return tf.train.batch(parsed, 2, allow_smaller_final_batch=True)
