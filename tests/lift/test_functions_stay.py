"""To look at the functions of a graph changes nothing in them."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf
from tensorflow.core.framework import node_def_pb2

import queueio
from queueio import train
from queueio.graph.session_state import _numbers, _state
from queueio.graph.traits import TRAITS, traits_of_node

v1 = tf.compat.v1


@pytest.mark.parametrize("op_type", ["Cast", "RandomUniform", *sorted(TRAITS)[::40], "PrintV2"])
def test_a_node_that_was_asked_about_holds_what_it_held(op_type: str) -> None:
    node = node_def_pb2.NodeDef(name="node", op=op_type)
    traits_of_node(node)
    _state(node.op, _numbers(node))
    assert node == node_def_pb2.NodeDef(name="node", op=op_type)


def _cond(x: Any) -> Any:
    return tf.cond(x < 4, lambda: tf.cast(x, tf.float32) * 2, lambda: tf.cast(x, tf.float32) - 9)


def _while(x: Any) -> Any:
    return tf.while_loop(lambda n, _: n < x, lambda n, y: (n + 1, y * 2), [0, 1])[1]


def _case(x: Any) -> Any:
    cases = [(x < 3, lambda: x * 2), (x < 5, lambda: x + 7)]
    return tf.case(cases, default=lambda: tf.zeros_like(x))


def _map(x: Any) -> Any:
    return tf.map_fn(lambda y: y * x, tf.range(3))


@pytest.mark.parametrize("compute", [_cond, _while, _case, _map], ids=lambda f: f.__name__)
def test_ops_with_functions_give_in_chunks_what_they_give_one_by_one(compute: Any) -> None:
    def build() -> Any:
        number = train.range_input_producer(9, num_epochs=1, shuffle=False).dequeue()
        return train.batch([compute(number)], batch_size=3)

    plan = queueio.lift(build)
    expected = [compute(tf.constant(number)).numpy().tolist() for number in range(9)]
    assert [row.tolist() for b in plan.to_dataset() for row in b.numpy()] == expected
