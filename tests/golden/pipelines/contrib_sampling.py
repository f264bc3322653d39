"""tf.contrib.training's samplers. Where a draw has one outcome only, the data is defined."""

from __future__ import annotations

from typing import Any

from pipelines.registry import numbers, pipeline


@pipeline()
def sample_even_numbers(tf: Any) -> Any:
    n = numbers(tf, 12)
    return tf.contrib.training.rejection_sample(
        [n, n * n], lambda example: tf.cast(tf.equal(example[0] % 2, 0), tf.float32), 2
    )


@pipeline()
def sample_one_tensor(tf: Any) -> Any:
    n = numbers(tf, 6)
    return tf.contrib.training.rejection_sample(
        [n], lambda example: tf.cast(example[0] > 1, tf.float32), 2, name="above_one"
    )


@pipeline()
def sample_rows_with_checks(tf: Any) -> Any:
    n = numbers(tf, 5)
    rows = tf.range(3) + 10 * n
    return tf.contrib.training.rejection_sample(
        [rows, tf.cast(rows, tf.float32)],
        lambda example: tf.cast(example[1] < 20.0, tf.float32),
        4, enqueue_many=True, runtime_checks=True, prebatch_capacity=7,
    )  # fmt: skip


@pipeline()
def sample_one_class(tf: Any) -> Any:
    n = numbers(tf, 12)
    return tf.contrib.training.stratified_sample(
        [n, n * n], n % 3, [0.0, 1.0, 0.0], 2, init_probs=[0.4, 0.3, 0.3]
    )


@pipeline()
def sample_classes_of_rows(tf: Any) -> Any:
    n = numbers(tf, 5)
    rows = tf.range(4) + 10 * n
    return tf.contrib.training.stratified_sample(
        [rows], rows % 2, [0.5, 0.5], 4, init_probs=[0.5, 0.5], enqueue_many=True,
        queue_capacity=9, name="halves",
    )  # fmt: skip


@pipeline(steps=3)
def sample_a_class_by_estimate(tf: Any) -> Any:
    return tf.contrib.training.stratified_sample(
        [tf.constant([5, 6])], tf.constant(1), [0.0, 1.0], 2
    )


@pipeline(order="rows")
def sample_by_threads(tf: Any) -> Any:
    n = numbers(tf, 24)
    return tf.contrib.training.stratified_sample(
        [n], n % 2, [1.0, 0.0], 3, init_probs=[0.6, 0.4], threads_per_queue=3
    )


@pipeline()
def resample_at_a_rate_of_none(tf: Any) -> Any:
    n = numbers(tf, 4)
    rows = tf.range(3) + 10 * n
    kept = tf.contrib.training.resample_at_rate([rows], tf.zeros([3]))
    return tf.train.batch([rows, tf.tile(tf.shape(kept[0]), [3])], 3, enqueue_many=True)


@pipeline()
def resample_then_batch(tf: Any) -> Any:
    n = numbers(tf, 6)
    rows = tf.range(3) + 10 * n
    rates = tf.constant([0.0, 1.5, 3.0])
    kept, rate = tf.contrib.training.resample_at_rate([rows, rates], rates, seed=7)
    return tf.train.batch(
        [kept, rate], 2, enqueue_many=True, shapes=[[], []], allow_smaller_final_batch=True
    )


@pipeline(steps=4)
def resample_by_weight(tf: Any) -> Any:
    n = numbers(tf, 6)
    rows = tf.range(3) + 10 * n
    weights = tf.cast(tf.range(3), tf.float32) + 0.5
    (kept,), rates = tf.contrib.training.weighted_resample([rows], weights, 1.5, seed=5)
    return tf.train.batch([kept, rates], 2, enqueue_many=True, shapes=[[], []])


@pipeline(steps=2, start=False)
def resample_in_doubles(tf: Any) -> Any:
    rows, weights = tf.constant([4, 5]), tf.constant([1.0, 3.0], tf.float64)
    resampled = tf.contrib.training.weighted_resample(
        [rows], weights, tf.constant(0.0, tf.float64), scope="doubles", mean_decay=0.9
    )
    return resampled


@pipeline()
def refuse_sample_of_scalars_as_rows(tf: Any) -> Any:
    return tf.contrib.training.rejection_sample(
        [tf.zeros([])], lambda _: tf.constant(1.0), 2, enqueue_many=True
    )


@pipeline()
def refuse_sample_of_unequal_rows(tf: Any) -> Any:
    return tf.contrib.training.rejection_sample(
        [tf.zeros([5, 1]), tf.zeros([4, 1])], lambda _: tf.constant(1.0), 2, enqueue_many=True
    )


@pipeline()
def refuse_sample_with_unequal_classes(tf: Any) -> Any:
    n = numbers(tf)
    return tf.contrib.training.stratified_sample([n], n % 2, [0.5, 0.5], 2, init_probs=[0.2] * 5)


@pipeline()
def refuse_sample_with_one_hot_labels(tf: Any) -> Any:
    n = numbers(tf)
    return tf.contrib.training.stratified_sample([n], tf.one_hot(n, 2), [0.5, 0.5], 2, [0.5, 0.5])


@pipeline()
def refuse_sample_of_a_bare_tensor(tf: Any) -> Any:
    return tf.contrib.training.stratified_sample(
        tf.zeros([1, 3]), tf.constant([1]), [0.5, 0.5], 2, [0.5, 0.5]
    )
