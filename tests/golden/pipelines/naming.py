"""Names, scopes and collections that checkpoints, summaries and get_tensor_by_name rely on."""

from __future__ import annotations

from typing import Any

from pipelines.registry import lines, numbers, pipeline


@pipeline()
def batch_with_every_name(tf: Any) -> Any:
    return tf.train.batch([numbers(tf, 4)], 2, shared_name="shared", name="mine", capacity=5)


@pipeline()
def second_calls(tf: Any) -> Any:
    one = tf.train.batch([numbers(tf, 4)], 2)  # the shortest, so that it ends the run
    two = tf.train.batch([numbers(tf, 9)], 2)
    named = tf.train.batch([numbers(tf, 9)], 2, name="named")
    again = tf.train.batch([numbers(tf, 9)], 2, name="named")
    return {"one": one, "two": two, "named": named, "again": again}


@pipeline()
def nested_scopes(tf: Any) -> Any:
    with tf.name_scope("input"):
        with tf.variable_scope("train"):
            key, value = lines(tf)
            batch = tf.train.batch([key, value], 2)
        with tf.name_scope("again"):
            other = tf.train.batch([numbers(tf, 6)], 2)
    return {"keys": batch[0], "lines": batch[1], "other": other}


@pipeline(order="rows")
def second_calls_of_shuffle_batch(tf: Any) -> Any:
    one = tf.train.shuffle_batch([tf.zeros_like(numbers(tf, 4))], 2, 8, 1)
    two = tf.train.shuffle_batch([tf.zeros_like(numbers(tf, 9))], 2, 8, 1)
    return [one, two]


@pipeline(steps=0)
def one_graph_of_everything(tf: Any) -> Any:
    with tf.name_scope("queues"):
        n = numbers(tf, 5)
        key, value = lines(tf)
    joined = tf.train.batch_join([[n], [n + 1]], 2)
    mixed = tf.train.shuffle_batch_join([[key, value], [key, value]], 2, 20, 5)
    maybe = tf.train.maybe_batch([n], n > 2, 2)
    maybe_mixed = tf.train.maybe_shuffle_batch([n], 2, 20, 5, n > 2, num_threads=2)
    maybe_joined = tf.train.maybe_batch_join([[n], [n]], n > 2, 2)
    maybe_both = tf.train.maybe_shuffle_batch_join([[n], [n]], 2, 20, 5, n > 2)
    return [joined, mixed[0], mixed[1], maybe, maybe_mixed, maybe_joined, maybe_both]


@pipeline(steps=0)
def device_scopes(tf: Any) -> Any:
    with tf.device("/cpu:0"):
        batch = tf.train.batch([numbers(tf, 5)], 2)
    return batch
