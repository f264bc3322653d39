"""A batch that is taken and thrown away by a cond is told; what a cond may do to one is not."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import pytest
import tensorflow as tf

import queueio
from queueio import settings
from queueio.runtime.threads.start import running
from tests.runtime.conftest import warned

v1 = tf.compat.v1
told = functools.partial(warned, queueio.DataLossWarning)
pytestmark = pytest.mark.usefixtures("watched")


@pytest.fixture(autouse=True)
def cond_v1() -> Iterator[None]:
    """A graph with the conds of TF1, as queueio.v1 makes them."""
    before = v1.control_flow_v2_enabled()
    v1.disable_control_flow_v2()
    with tf.Graph().as_default():
        yield
    if before:
        v1.enable_control_flow_v2()


def batch_from(first: int) -> Any:
    """Batches of two of the numbers from `first` on."""
    number = v1.train.range_input_producer(20, shuffle=False).dequeue()
    return v1.train.batch([number + first], 2)


@pytest.mark.parametrize("before", [tf.identity, lambda batch: tf.cast(batch, tf.int64) * 1])
def test_both_batches_are_taken_and_one_is_thrown_away(before):
    training = v1.placeholder(tf.bool, [])
    train, test = before(batch_from(0)), before(batch_from(100))
    batch = v1.cond(training, lambda: train, lambda: test)
    results, (text,) = told((batch, {training: True}), (batch, {training: False}))
    assert results == [[0, 1], [102, 103]]  # so did TF 1.15.5: 100 and 101 are lost
    assert "takes 'batch' (test_chosen_batches.py:" in text and "'batch_1'" in text
    assert "throws away the one that tf.cond does not choose" in text
    assert "tf.placeholder_with_default(t, t.shape)" in text


def test_the_way_out_takes_from_one_queue_only():
    train, test = ((batch, -batch) for batch in (batch_from(0), batch_from(100)))
    x, y = (v1.placeholder_with_default(t, t.shape) for t in train)
    both = tf.stack([x, y])
    with v1.Session() as sess, running(sess):
        assert sess.run(both).tolist() == [[0, 1], [0, -1]]
        fed = sess.run(both, dict(zip((x, y), sess.run(list(test)), strict=True)))
        assert fed.tolist() == [[100, 101], [-100, -101]]
        assert sess.run(both).tolist() == [[2, 3], [-2, -3]]  # nothing was taken meanwhile


def test_a_cond_over_one_batch_throws_nothing_away():
    flip = v1.placeholder(tf.bool, [])
    train, test = batch_from(0), batch_from(100)
    batch = v1.cond(flip, lambda: train + test, lambda: train - test)
    results, texts = told((batch, {flip: False}))
    assert results == [[-100, -100]] and not texts


def test_a_batch_that_is_used_beside_the_cond_is_not_lost():
    training = v1.placeholder(tf.bool, [])
    train, test = batch_from(0), batch_from(100)
    total = v1.cond(training, lambda: train, lambda: test) + train + test
    assert not told((total, {training: True}))[1]


def test_strict_makes_it_an_error():
    training = v1.placeholder(tf.bool, [])
    train, test = batch_from(0), batch_from(100)
    batch = v1.cond(training, lambda: train, lambda: test)
    with settings.override(strict=True), pytest.raises(tf.errors.DataLossError, match="throws"):
        told((batch, {training: True}))
