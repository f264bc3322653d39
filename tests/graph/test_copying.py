"""An op is made once more on other inputs, with its own attributes."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from queueio.graph.copying import again, node_on


def built(make: Any) -> tf.Operation:
    with tf.Graph().as_default():
        return make(tf.compat.v1.placeholder(tf.float32, [2, 3], "x")).op


def test_an_input_that_python_calls_otherwise_is_given() -> None:
    op = built(lambda x: tf.reduce_sum(x, 1, keepdims=True))
    (found,) = again(op, [tf.constant([[1.0, 2.0]]), tf.constant(1)])
    assert found.numpy().tolist() == [[3.0]]


def test_a_list_of_inputs_is_given_as_a_list() -> None:
    op = built(lambda x: tf.concat([x, x], 0))
    (found,) = again(op, [tf.constant([1]), tf.constant([2, 3]), tf.constant(0)])
    assert found.numpy().tolist() == [1, 2, 3]


def test_another_attribute_wins_over_the_ops_own() -> None:
    op = built(lambda x: tf.reduce_sum(x, 1, keepdims=True))
    (found,) = again(op, [tf.constant([[1.0, 2.0]]), tf.constant(1)], keep_dims=False)
    assert found.numpy().tolist() == [3.0]


def test_all_outputs_come_in_their_order() -> None:
    op = built(lambda x: tf.split(x, 3, 1)[0])
    found = again(op, [tf.constant(0), tf.constant([7, 8, 9])])
    assert np.concatenate(found).tolist() == [7, 8, 9]


def test_a_node_is_free_of_its_old_surroundings() -> None:
    with tf.Graph().as_default(), tf.device("/gpu:3"):
        x = tf.constant(1.0, name="x")
        with tf.compat.v1.colocate_with(x.op):
            op = tf.identity(x, name="y").op
        kept, moved = node_on(op), node_on(op, ["z", "^w"], "renamed")
    assert list(kept.input) == ["x"]
    assert (kept.name, kept.device, "_class" in kept.attr) == ("y", "", False)
    assert (moved.name, list(moved.input)) == ("renamed", ["z", "^w"])
    assert op.device, "the op itself is as it was"


def test_what_python_calls_otherwise_is_given_by_its_name() -> None:
    squeezed = built(lambda x: tf.squeeze(x[:1], [0]))
    (found,) = again(squeezed, [tf.constant([[1.0, 2.0]])])
    assert found.numpy().tolist() == [1.0, 2.0]
    chosen = built(lambda x: tf.raw_ops.Select(condition=x > 0, x=x, y=-x))
    (found,) = again(chosen, [tf.constant([True, False]), tf.constant([1, 2]), tf.constant([3, 4])])
    assert found.numpy().tolist() == [1, 4]
