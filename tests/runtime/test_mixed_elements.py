"""Parts of different elements that look like one are told; what may be meant is not."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest
import tensorflow as tf

import queueio

v1 = tf.compat.v1
pytestmark = pytest.mark.usefixtures("watched")


@pytest.fixture
def graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def pairs() -> Any:
    """A queue that holds ten pairs (n, -n), to be filled by hand."""
    queue = v1.FIFOQueue(10, [tf.int32, tf.int32], shapes=[[], []])
    queue.enqueue_many([tf.range(10), -tf.range(10)], name="fill")
    return queue


def told(*steps: Any) -> list[str]:
    """Run the steps one by one in a session, and return the warnings about torn elements."""
    with v1.Session() as sess, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sess.run([v1.global_variables_initializer(), "fill"])
        for step in steps:
            sess.run(step)
    return [str(w.message) for w in caught if w.category is queueio.TornElementWarning]


def test_two_calls_in_turn_for_image_and_label_are_told_with_the_line(graph):
    image, label = pairs().dequeue()
    scores = tf.cast(image, tf.float32) * 2.0
    (text,) = told(scores, label, scores, label, scores, label)
    assert "two calls in turn took" in text and "from different elements" in text
    assert "fifo_queue_Dequeue:0" in text and "fifo_queue_Dequeue:1" in text
    assert "test_mixed_elements.py:" in text and "image, label = pairs().dequeue()" in text
    assert "sess.run([images, labels])" in text


def test_two_dequeues_in_one_call_are_told_if_each_gives_another_part(graph):
    queue = pairs()
    (text,) = told([queue.dequeue()[0], queue.dequeue()[1]])
    assert "one call took" in text and "fifo_queue_Dequeue_1:1" in text
    assert "right: images, labels = queue.dequeue()" in text  # they are fetched together already


def test_the_key_of_one_read_and_the_value_of_another_are_told(graph):
    names = v1.FIFOQueue(10, tf.string, shapes=[[]])
    names.enqueue_many([["a", "b", "c"]], name="fill")
    reader = v1.IdentityReader()
    (text,) = told({"key": reader.read(names)[0], "value": reader.read(names)[1]})
    assert "ReaderRead" in text and "right: key, value = reader.read(queue)" in text


def test_where_warnings_are_errors_the_call_does_not_take_anything(graph):
    queue = pairs()
    torn, size = [queue.dequeue()[0], queue.dequeue()[1]], queue.size()
    with v1.Session() as sess, warnings.catch_warnings():
        warnings.simplefilter("error", queueio.TornElementWarning)
        sess.run("fill")
        with pytest.raises(queueio.TornElementWarning):
            sess.run(torn)
        assert sess.run(size) == 10


def test_parts_taken_together_are_not_told(graph):
    image, label = pairs().dequeue()
    assert told([image, label], [image, label], image + label, [label, image]) == []


def test_a_look_at_one_part_now_and_then_is_not_told(graph):
    image, label = pairs().dequeue()
    assert told(image, label, [image, label], image, image, label, label) == []


def test_several_whole_elements_in_a_step_are_not_told(graph):
    queue = pairs()
    towers = [sum(queue.dequeue()) for _ in range(3)]
    assert told(towers, towers) == []


def test_a_joint_and_a_marginal_sample_are_not_told(graph):
    queue = pairs()
    joint, (_, marginal) = queue.dequeue(), queue.dequeue()
    assert told([*joint, marginal], [*joint, marginal]) == []


def test_steps_that_train_on_one_part_each_are_not_told(graph):
    """As the two halves of a generative model may do."""
    image, label = pairs().dequeue()
    seen = v1.get_variable("seen", initializer=0)
    halves = [v1.assign_add(seen, image), v1.assign_add(seen, label)]
    assert told(*halves, *halves) == []


def test_a_fed_part_is_not_taken(graph):
    image, label = pairs().dequeue()
    other = v1.placeholder_with_default(label, [])
    with v1.Session() as sess, warnings.catch_warnings():
        warnings.simplefilter("error", queueio.TornElementWarning)
        sess.run("fill")
        for _ in range(3):
            sess.run(image)
            sess.run(other, {other: 1})
