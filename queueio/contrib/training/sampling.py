"""Makes batches of examples that are let in by chance, each with a probability of its own.

Legacy:
    value = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    accept_even = lambda tensors: tf.cast(tf.equal(tensors[0] % 2, 0), tf.float32)
    [batch] = tf.contrib.training.rejection_sample([value], accept_even, batch_size=3)

Modern:
    def accept_even(value):
        return tf.cast(tf.equal(value % 2, 0), tf.float32)
    numbers = tf.data.Dataset.range(6, output_type=tf.int32)
    accepted = numbers.filter(lambda value: tf.random.uniform([]) < accept_even(value))
    dataset = accepted.batch(3, drop_remainder=True)

Emits:
    per tensor its dtype and its shape with batch_size in front

Differs:
    What is let in is the same. `rejection_sample` always gives a list, also of one tensor.
    `stratified_sample` is `Dataset.rejection_resample` without its own estimate of the
    distribution; without `init_probs` it estimates that from labels that it takes for nothing
    else, so that a part of the examples is lost: give `init_probs`.

Raises:
    ValueError: the tensors disagree in their number of rows, the labels are not of rank 1 (with
    enqueue_many) or 0, the probabilities are not vectors of one length.
    InvalidArgumentError: at run time, when probabilities do not sum to one, labels are no classes,
    or a class that the data has not shall be in the batches.

With enqueue_many (and always in `stratified_sample`) a first queue turns rows into examples. An
example that was not let in is gone: batches come at the pace of the rarest class.

Source:
    tf.contrib.training.rejection_sample and stratified_sample of TensorFlow 1.15
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from queueio.stages.batching.batch import batch, maybe_batch

v1 = tf.compat.v1
_TOLERANCE = 1e-6
_SMOOTHING = 10


def rejection_sample(
    tensors: Sequence[Any],
    accept_prob_fn: Callable[[list[Any]], Any],
    batch_size: Any,
    queue_threads: int = 1,
    enqueue_many: bool = False,
    prebatch_capacity: int = 16,
    prebatch_threads: int = 1,
    runtime_checks: bool = False,
    name: str | None = None,
) -> list[Any]:
    """Collects examples into batches, each let in with the probability that a function gives.

    Args:
      tensors: a list of tensors: one example, or with `enqueue_many` a number of them as rows.
      accept_prob_fn: given the tensors of one example, a float32 scalar from 0 to 1.
      batch_size: how many examples make a batch.
      queue_threads: how many threads draw and fill the queue of the batches.
      enqueue_many: whether the tensors' first dimension counts examples.
      prebatch_capacity: how many examples wait to be drawn, with `enqueue_many`.
      prebatch_threads: how many threads fill the queue of those.
      runtime_checks: whether to check that each probability lies between 0 and 1.
      name: name of the variable scope (default "rejection_sample").

    Returns:
      A list like `tensors`, each with a leading dimension `batch_size`.

    Raises:
      ValueError: with `enqueue_many`, a tensor is a scalar or has another number of rows.
      InvalidArgumentError: at run time, with `runtime_checks`, for what is no probability.
    """
    with v1.variable_scope(name, "rejection_sample", tensors):
        example = _converted(tensors)
        if enqueue_many:
            for tensor in example:
                _check_rows(tensor, example[0].shape[:1])
            example = _one_by_one(example, prebatch_threads, prebatch_capacity)
        accepted = accept_prob_fn(example)
        if runtime_checks:
            checks = [v1.assert_less_equal(0.0, accepted), v1.assert_less_equal(accepted, 1.0)]
            accepted = tf.identity(_once(checks, accepted), name="prob_with_checks")
        drawn = maybe_batch(
            example,
            keep_input=_drawn() < accepted,
            batch_size=batch_size,
            num_threads=queue_threads,
        )
        return drawn if isinstance(drawn, list) else [drawn]


def stratified_sample(
    tensors: Sequence[Any],
    labels: Any,
    target_probs: Any,
    batch_size: Any,
    init_probs: Any = None,
    enqueue_many: bool = False,
    queue_capacity: int = 16,
    threads_per_queue: int = 1,
    name: str | None = None,
) -> tuple[list[Any], Any]:
    """Collects examples into batches in which each class has a given share, on average.

    Args:
      tensors: a list of tensors: one example, or with `enqueue_many` a number of them as rows.
      labels: the class of the example, an integer scalar, or with `enqueue_many` of each row.
      target_probs: float32 [classes]: the share of each class in the batches; its sum is 1.
      batch_size: how many examples make a batch.
      init_probs: float32 [classes]: the share of each class in the data; None to estimate it.
      enqueue_many: whether the first dimension of `tensors` and `labels` counts examples.
      queue_capacity: how many examples wait to be drawn.
      threads_per_queue: how many threads fill the queue of those, and that of the batches.
      name: name of the scope (default "stratified_sample").

    Returns:
      A pair: a list like `tensors`, each with a leading dimension `batch_size`, and the labels
      ([batch_size]).

    Raises:
      TypeError: `tensors` is no list.
      ValueError: shapes do not fit one another, or a shape that must be known is not.
      InvalidArgumentError: at run time: see the module.
    """
    with v1.name_scope(name, "stratified_sample", [*tensors, labels]):
        rows, labels = _converted(tensors), tf.convert_to_tensor(labels)
        target_probs = tf.convert_to_tensor(target_probs, dtype=tf.float32)
        if not enqueue_many:
            rows = [v1.expand_dims(tensor, 0) for tensor in rows]
            labels = v1.expand_dims(labels, 0)
        if init_probs is None:
            target_probs.shape.assert_is_fully_defined()
            init_probs = estimated(labels, target_probs.shape.num_elements())
        else:
            init_probs = tf.convert_to_tensor(init_probs, dtype=tf.float32)
        rows, labels, (init_probs, target_probs) = verified(
            rows, labels, [init_probs, target_probs]
        )
        accepted = _acceptance(_possible(init_probs, target_probs), target_probs)
        *example, label = _one_by_one([*rows, labels], threads_per_queue, queue_capacity)
        drawn = maybe_batch(
            [*example, label],
            keep_input=_drawn() < tf.gather(accepted, label),
            batch_size=batch_size,
            num_threads=threads_per_queue,
        )
        return drawn[:-1], drawn[-1]


def estimated(labels: Any, classes: int) -> Any:
    """The share of each class (float32 [classes]) in all labels seen so far, these included.

    Each class begins with a count of ten, so that none is impossible.
    """
    counts = v1.Variable(
        initial_value=[_SMOOTHING] * classes, trainable=False, name="class_count", dtype=tf.int64
    )
    seen = tf.reduce_sum(tf.one_hot(labels, classes, dtype=tf.int64), 0)
    total = counts.assign_add(seen)
    # A copy: another thread changes the variable between the two uses of it.
    total = total + 0
    return tf.cast(tf.math.truediv(total, tf.reduce_sum(total)), tf.float32)


def verified(rows: list[Any], labels: Any, shares: list[Any]) -> tuple[list[Any], Any, list[Any]]:
    """The same tensors, which wait for checks of their values and sizes.

    Args:
      rows: tensors of shape [examples, ...].
      labels: integers of shape [examples].
      shares: float32 [classes], as many in each.

    Raises:
      ValueError: what is known of the shapes does not fit.
    """
    shares = [_summing_to_one(share) for share in shares]
    classes = shares[0].shape.num_elements()
    if any(share.shape.num_elements() != classes for share in shares):
        raise ValueError(
            "Probability parameters must have the same length, one entry for each class: got"
            f" {[share.shape.num_elements() for share in shares]}."
        )
    labels.shape.assert_has_rank(1)
    for tensor in rows:
        _check_rows(tensor, labels.shape[:1])
    count = tf.shape(labels)[0]
    some = v1.assert_positive(count)
    labels = _once([some], labels)
    rows = [_once([some, v1.assert_equal(tf.shape(tensor)[0], count)], tensor) for tensor in rows]
    checks = [
        v1.assert_integer(labels),
        v1.assert_non_negative(labels),
        v1.assert_less(labels, tf.cast(classes, labels.dtype)),
    ]
    return rows, _once(checks, labels), shares


def _summing_to_one(share: Any) -> Any:
    share.shape.assert_is_fully_defined()
    share.shape.assert_has_rank(1)
    total = tf.reduce_sum(share)
    checks = [
        v1.assert_non_negative(share),
        v1.assert_less(total, 1.0 + _TOLERANCE),
        v1.assert_less(1.0 - _TOLERANCE, total),
    ]
    return _once(checks, share)


def _possible(init_probs: Any, target_probs: Any) -> Any:
    """`init_probs`, once it is sure that no class is wanted that the data has not."""
    absent_only_if_unwanted = tf.logical_or(tf.not_equal(init_probs, 0), tf.equal(target_probs, 0))
    check = v1.Assert(
        tf.reduce_all(absent_only_if_unwanted),
        [
            "All classes with zero initial probability must also have zero target probability: ",
            init_probs,
            target_probs,
        ],
    )
    return _once([check], init_probs)


def _acceptance(init_probs: Any, target_probs: Any) -> Any:
    """With which probability an example of each class is let in: the scarcest class always."""
    ratio = target_probs / init_probs
    ratio = tf.where(tf.math.is_nan(ratio), tf.zeros_like(ratio), ratio)
    accepted = ratio / tf.reduce_max(ratio)
    rejected = tf.reduce_sum((1 - accepted) * init_probs)
    told = "Proportion of examples rejected by sampler is high."
    return v1.cond(
        tf.less(rejected, 0.5),
        lambda: accepted,
        lambda: v1.Print(accepted, [accepted], message=told, first_n=10),
    )


def _drawn() -> Any:
    """A number from 0 to 1 (float32 scalar), by the ops that TF1 made of `random_uniform([])`."""
    with v1.name_scope("random_uniform") as scope:
        shape = tf.constant([], tf.int32, name="shape")
        least, most = tf.constant(0.0, name="min"), tf.constant(1.0, name="max")
        seed, seed2 = v1.get_seed(None)
        number = tf.raw_ops.RandomUniform(
            shape=shape, dtype=tf.float32, seed=seed or 0, seed2=seed2 or 0, name="RandomUniform"
        )
        return tf.raw_ops.Add(x=number * (most - least), y=least, name=scope)


def _once(checks: list[Any], tensor: Any) -> Any:
    """`tensor`, which waits for `checks`."""
    with (
        v1.name_scope(None, "control_dependency", [tensor]) as scope,
        v1.colocate_with(tensor),
        tf.control_dependencies(checks),
    ):
        return tf.identity(tensor, name=scope)


def _converted(tensors: Sequence[Any]) -> list[Any]:
    if tf.is_tensor(tensors) or not isinstance(tensors, (list, tuple)):
        raise TypeError(f"values must be a list of tensors, not {type(tensors).__name__}.")
    return [
        tensor if isinstance(tensor, tf.IndexedSlices) else tf.convert_to_tensor(tensor)
        for tensor in tensors
    ]


def _check_rows(tensor: Any, rows: Any) -> None:
    """ValueError if a tensor has no rows, or surely another number of them."""
    tensor.shape.with_rank_at_least(1)[:1].assert_is_compatible_with(rows)


def _one_by_one(rows: list[Any], threads: int, capacity: int) -> list[Any]:
    """One example out of a queue that `rows` go into."""
    taken = batch(rows, batch_size=1, num_threads=threads, capacity=capacity, enqueue_many=True)
    # TF1 goes through what `batch` gives, tensors in a list; through a single one it cannot.
    listed = taken if isinstance(taken, list) else [taken]
    return [v1.squeeze(tensor, [0]) for tensor in listed]
