"""Repeats and drops the rows of batches at random, at a rate for each row.

Legacy:
    rows = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue() * [1, 10]
    [kept] = tf.contrib.training.resample_at_rate([rows], tf.zeros_like(rows, tf.float32))
    batch = tf.train.batch([rows], batch_size=4, enqueue_many=True)

Modern:
    rows = tf.data.Dataset.range(4, output_type=tf.int32).map(lambda n: n * [1, 10])
    def resampled(row, rate):
        count = tf.random.poisson([], rate, tf.int64)
        return tf.data.Dataset.from_tensors(row).repeat(count)
    kept = rows.unbatch().flat_map(lambda row: resampled(row, 0.0))
    dataset = rows.unbatch().batch(4, drop_remainder=True)

Emits:
    the dtypes and shapes of the inputs, with an unknown and possibly zero number of rows

Differs:
    Each row comes as often as a Poisson distribution of its rate says, in both forms. Draws
    differ, as between any two runs without a seed.

Raises:
    InvalidArgumentError: there are more rates than rows. Where there are fewer, the rows that have
    none never come.

`weighted_resample` sets each row's rate from its weight over a running mean of the weights, which
it keeps in the local variable `estimate_mean/estimated_mean` and two global ones below that name:
run both initialisers. That mean depends on the order in which batches come, so a pipeline with it
is not lifted.

Source:
    tf.contrib.training.resample_at_rate and weighted_resample of TensorFlow 1.15
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf
from tensorflow.python.training import moving_averages  # no public spelling

v1 = tf.compat.v1


def resample_at_rate(
    inputs: Sequence[Any],
    rates: Any,
    scope: str | None = None,
    seed: int | None = None,
    back_prop: bool = False,
) -> list[Any]:
    """Repeats each row of `inputs` as often as a draw says, whose mean is the row's rate.

    Args:
      inputs: tensors of shape [rows, ...].
      rates: floats of shape [rows]: how often each row comes on average.
      scope: name of the scope (default "resample_at_rate").
      seed: seed of the draws.
      back_prop: whether gradients flow through the choice of rows.

    Returns:
      A list like `inputs`, each with the same unknown number of rows.

    Raises:
      InvalidArgumentError: at run time, when an input has fewer rows than there are rates.
    """
    with v1.name_scope(scope, default_name="resample_at_rate", values=[*inputs, rates]):
        rates = tf.convert_to_tensor(rates, name="rates")
        counts = tf.cast(v1.random_poisson(rates, (), rates.dtype, seed=seed), tf.int32)
        chosen = _repeated(counts)
        if not back_prop:
            chosen = tf.stop_gradient(chosen)
        return [tf.gather(tensor, chosen) for tensor in inputs]


def weighted_resample(
    inputs: Sequence[Any],
    weights: Any,
    overall_rate: Any,
    scope: str | None = None,
    mean_decay: float = 0.999,
    seed: int | None = None,
) -> tuple[list[Any], Any]:
    """Repeats each row of `inputs` at a rate in proportion to its weight.

    Args:
      inputs: tensors of shape [rows, ...].
      weights: floats of shape [rows].
      overall_rate: how often a row of mean weight comes on average.
      scope: name of the scopes (default "weighted_resample", and "estimate_mean" for the mean).
      mean_decay: how slowly the running mean of the weights forgets.
      seed: seed of the draws.

    Returns:
      A pair: a list like `inputs`, each with an unknown, possibly zero, number of rows; and the
      rates ([rows], the dtype of `weights`) at which those rows were chosen. The mean is kept in
      a local and two global variables: run both initialisers.
    """
    with v1.name_scope(scope, "weighted_resample", inputs) as opened:
        with v1.variable_scope(scope, "estimate_mean", inputs):
            estimate = v1.get_local_variable(
                "estimated_mean", initializer=tf.cast(0, weights.dtype), dtype=weights.dtype
            )
            seen = tf.reduce_mean(weights)
            mean = moving_averages.assign_moving_average(estimate, seen, mean_decay)
        rates = weights * overall_rate / mean
        results = resample_at_rate([rates, *inputs], rates, scope=opened, seed=seed)
        return results[1:], results[0]


def _repeated(counts: Any, name: str | None = None) -> Any:
    """Each position of `counts` (int32 [n]) as often as its count says: [2, 0, 1] → [0, 0, 2]."""
    with v1.name_scope(name, "repeat_range", [counts]) as scope:
        counts = tf.convert_to_tensor(counts, name="counts")

        def body(rows: Any, i: Any) -> tuple[Any, Any]:
            return rows.write(i, tf.fill(_one_of(counts, i), i)), i + 1

        # Not tf.repeat: the graph is TF1's, a loop over a TensorArray of unequal rows.
        size = tf.shape(counts)[0]
        empty = tf.TensorArray(tf.int32, size=size, infer_shape=False)
        rows, written = v1.while_loop(lambda _, i: i < size, body, [empty, 0])
        return v1.cond(
            written > 0, rows.concat, lambda: tf.zeros(shape=[0], dtype=tf.int32), name=scope
        )


def _one_of(counts: Any, i: Any) -> Any:
    """`counts[i : i + 1]`, by the ops that TF1 made of it."""
    after = i + 1
    with v1.name_scope("strided_slice") as scope:
        first, last = tf.stack([i], name="stack"), tf.stack([after], name="stack_1")
        return tf.strided_slice(counts, first, last, tf.constant([1], name="stack_2"), name=scope)
