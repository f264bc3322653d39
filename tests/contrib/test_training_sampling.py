"""Samplers: who is let in, how often a row comes, and what of it lifts."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import contrib, train

v1 = tf.compat.v1
training = contrib.training


def numbers(count: int) -> Any:
    return train.range_input_producer(count, num_epochs=1, shuffle=False).dequeue()


def drained(fetches: Any) -> list[Any]:
    """Every step on the queues, until the end."""
    found = []
    with v1.Session() as session:
        session.run([v1.local_variables_initializer(), v1.global_variables_initializer()])
        coord = train.Coordinator()
        threads = train.start_queue_runners(session, coord)
        try:
            while True:
                found.append(session.run(fetches))
        except tf.errors.OutOfRangeError:
            coord.request_stop()
            coord.join(threads)
    return found


def written(plan: Any) -> Any:
    scope: dict[str, Any] = {}
    exec(str(plan.to_source()), scope)
    return scope["input_fn"]()


def quarter(n: Any) -> Any:
    return tf.where(tf.equal(n % 4, 0), 1.0, 0.25)


def sampled() -> Any:
    return training.rejection_sample([numbers(800)], lambda example: quarter(example[0]), 5)


def shares(rows: list[int]) -> tuple[float, float]:
    """Of the numbers below 800: which part of the multiples of four came, and of the others."""
    fours = sum(n % 4 == 0 for n in rows)
    return fours / 200, (len(rows) - fours) / 600


@pytest.mark.long
def test_an_example_is_let_in_as_often_as_its_probability_says_in_every_form() -> None:
    with tf.Graph().as_default():
        steps = drained(sampled())
    assert isinstance(steps[0], list), "a list, also of one tensor"
    plan = queueio.lift(sampled)
    forms = [plan.to_dataset(), plan.to_dataset(vectorise=False), written(plan)]
    got = [[n for (batch,) in steps for n in batch]]
    for form in forms:
        got.append([int(n) for element in form for n in tf.nest.flatten(element)[0]])
    for rows in got:
        assert len(set(rows)) == len(rows), "nobody comes twice"
        fours, others = shares(rows)
        assert fours > 0.97  # at most one batch was not filled
        assert others == pytest.approx(0.25, abs=0.1)  # more than five deviations


def test_a_sampler_of_rows_takes_one_tensor_as_well() -> None:
    with tf.Graph().as_default():
        rows = numbers(3) + [0, 10]
        (batch,) = training.rejection_sample(
            [rows], lambda example: tf.cast(example[0] < 10, tf.float32), 3, enqueue_many=True
        )
        assert [step.tolist() for step in drained(batch)] == [[0, 1, 2]]


def test_what_is_no_probability_is_told_where_that_is_asked_for() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        impossible = v1.placeholder_with_default(1.5, [])
        training.rejection_sample(
            [tf.constant(1)], lambda _: impossible, 2, runtime_checks=True, name="sample"
        )
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run("sample/prob_with_checks:0")


def halves(**more: Any) -> Any:
    """Numbers of which a quarter is of class 1; half of each batch shall be."""
    n = numbers(1200)
    label = tf.cast(tf.equal(n % 4, 0), tf.int32)
    return training.stratified_sample([n], label, [0.5, 0.5], 10, **more)


@pytest.mark.long
def test_classes_come_in_the_shares_that_were_asked_for_in_every_form() -> None:
    def build() -> Any:
        return halves(init_probs=[0.75, 0.25])

    with tf.Graph().as_default():
        steps = drained(build())
    plan = queueio.lift(build)
    datasets = [list(plan.to_dataset(vectorise=form)) for form in (True, False)]
    datasets.append(list(written(plan)))
    got = [steps, *([(n, label) for (n,), label in form] for form in datasets)]
    for form in got:
        labels = np.concatenate([np.asarray(label) for _, label in form])
        firsts = [n[0] if isinstance(n, list) else n for n, _ in form]
        found = np.concatenate([np.asarray(n) for n in firsts])
        assert (labels == (found % 4 == 0)).all(), "each label stays with its number"
        assert len(labels) == pytest.approx(600, abs=90)
        assert labels.mean() == pytest.approx(0.5, abs=0.11)


def test_a_sampler_that_estimates_the_classes_is_refused_by_name() -> None:
    with pytest.raises(queueio.NotLifted, match=r"class_count|changes state"):
        queueio.lift(halves)


def test_a_class_that_the_data_has_not_cannot_be_asked_for() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        n = tf.constant(0)
        _, label = training.stratified_sample([n], n, [0.5, 0.5], 2, init_probs=[1.0, 0.0])
        coord = train.Coordinator()
        threads = train.start_queue_runners(session, coord)
        with pytest.raises(tf.errors.OpError, match="zero initial probability"):
            session.run(label)
        with pytest.raises(tf.errors.InvalidArgumentError, match="zero initial probability"):
            coord.request_stop()
            coord.join(threads)


def resampled() -> Any:
    rows = numbers(400) * 3 + [0, 1, 2]
    rates = tf.constant([0.0, 0.5, 2.0])
    kept, rate = training.resample_at_rate([rows, rates], rates)
    return train.batch(
        [kept, rate], 8, enqueue_many=True, shapes=[[], []], allow_smaller_final_batch=True
    )


@pytest.mark.long
def test_a_row_comes_as_often_as_its_rate_says_in_every_form() -> None:
    with tf.Graph().as_default():
        steps = drained(resampled())
    plan = queueio.lift(resampled)
    for form in (steps, list(plan.to_dataset()), list(plan.to_dataset(vectorise=False))):
        rows = np.concatenate([np.asarray(row) for row, _ in form])
        rates = np.concatenate([np.asarray(rate) for _, rate in form])
        assert (np.array([0.0, 0.5, 2.0])[rows % 3] == rates).all(), "rows stay together"
        counts = Counter((rows % 3).tolist())
        assert counts[0] == 0
        assert counts[1] == pytest.approx(200, abs=75)  # five deviations
        assert counts[2] == pytest.approx(800, abs=145)


def test_a_weight_twice_the_mean_brings_a_row_twice_as_often() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        rows, weights = tf.constant([0, 1, 2, 3]), tf.constant([1.0, 1.0, 2.0, 4.0])
        (kept,), rates = training.weighted_resample([rows], weights, 0.5, seed=3)
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        got = [session.run([kept, rates]) for _ in range(500)]
    counts = Counter(int(row) for some, _ in got for row in some)
    for row, rate in enumerate([0.25, 0.25, 0.5, 1.0]):
        assert counts[row] == pytest.approx(500 * rate, abs=6 * (500 * rate) ** 0.5)
    for some, rate in got:
        assert rate == pytest.approx(np.array([0.25, 0.25, 0.5, 1.0])[some], rel=1e-3)


def test_a_running_mean_of_weights_is_refused_by_name() -> None:
    def build() -> Any:
        rows = numbers(4) + [0, 10]
        (kept,), _ = training.weighted_resample([rows], tf.cast(rows, tf.float32), 1.0)
        return train.batch([kept], 2, enqueue_many=True, shapes=[[]])

    with pytest.raises(queueio.NotLifted, match=r"estimated_mean|AssignMovingAvg"):
        queueio.lift(build)


@pytest.mark.parametrize(("rates", "error"), [([9.0, 9.0], None), ([9.0] * 4, "not in")])
def test_a_row_without_a_rate_never_comes_and_a_rate_without_a_row_fails(
    rates: list[float], error: str | None
) -> None:
    with tf.Graph().as_default(), v1.Session() as sess:
        [kept] = training.resample_at_rate([tf.constant([5, 6, 7])], tf.constant(rates), seed=1)
        if error is None:
            assert set(sess.run(kept).tolist()) == {5, 6}
        else:
            with pytest.raises(tf.errors.InvalidArgumentError, match=error):
                sess.run(kept)
