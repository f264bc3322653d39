"""A feed that the threads before a queue never see is told; one that has its effect is not."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import pytest
import tensorflow as tf

import queueio
from tests.runtime.conftest import warned

v1 = tf.compat.v1
told = functools.partial(warned, queueio.LostFeedWarning)
pytestmark = pytest.mark.usefixtures("watched")


@pytest.fixture(autouse=True)
def graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def batch_of(make: Any) -> Any:
    """Batches of three of what `make` makes of the numbers 0, 1, 2…, one after the other."""
    numbers = v1.train.range_input_producer(9, shuffle=False).dequeue()
    return v1.train.batch([make(numbers)], 3)


def test_a_default_before_the_queue_holds_whatever_is_fed():
    factor = v1.placeholder_with_default(1, [], name="factor")
    batch = batch_of(lambda number: number * factor)
    results, (text,) = told((batch, {factor: 10}), (batch, {factor: 10}))
    assert results == [[0, 1, 2], [3, 4, 5]]
    assert "factor:0 (test_feeds.py:" in text and "is fed in vain" in text
    assert "'batch' (test_feeds.py:" in text and "made with its default" in text
    assert "Use it behind the batch" in text


def test_a_choice_of_queues_before_a_queue_is_told_too():
    which = v1.placeholder_with_default(0, [])
    ones, twos = (v1.FIFOQueue(9, [tf.int32], [[]]) for _ in range(2))
    for queue, value in ((ones, 1), (twos, 2)):
        v1.train.add_queue_runner(v1.train.QueueRunner(queue, [queue.enqueue(value)]))
    chosen = v1.QueueBase.from_list(which, [ones, twos]).dequeue()
    chosen.set_shape([])
    results, texts = told((v1.train.batch([chosen], 2), {which: 1}))
    assert results == [[1, 1]] and len(texts) == 1


def test_the_way_out_works():
    factor = v1.placeholder_with_default(1, [])
    results, texts = told((batch_of(tf.identity) * factor, {factor: 10}))
    assert results == [[0, 10, 20]] and not texts


def test_the_default_itself_may_be_fed():
    factor = v1.placeholder_with_default(1, [])
    batch = batch_of(lambda number: number * factor)
    results, texts = told((batch, {factor: 1}), (batch, {factor: 2}))
    assert results == [[0, 1, 2], [3, 4, 5]] and len(texts) == 1


def test_a_batch_that_is_fed_is_no_feed_in_vain():
    batch = batch_of(tf.identity)
    results, texts = told((batch + 1, {batch: [7, 8, 9]}))
    assert results == [[8, 9, 10]] and not texts


def test_a_placeholder_in_a_queue_runners_thread_says_why_it_has_no_value():
    factor = v1.placeholder(tf.int32, [], name="factor")
    batch = batch_of(lambda number: number * factor)
    with v1.Session() as sess:
        coord = v1.train.Coordinator()
        threads = v1.train.start_queue_runners(sess, coord)
        with pytest.raises(tf.errors.OutOfRangeError) as raised:
            sess.run(batch, {factor: 10})
        coord.request_stop()
        with pytest.raises(tf.errors.InvalidArgumentError):
            coord.join(threads)
    assert "'factor' has no value in the thread of a queue runner" in str(raised.value)
    assert "without the feed_dict of any session call" in str(raised.value)
