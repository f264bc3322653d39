"""Which ops stand in a cond or loop of TF1's control flow, wherever the walk to them began."""

from __future__ import annotations

import tensorflow as tf

from queueio.graph.fragment import Fragment
from queueio.graph.v1_control_flow import control_flow_groups, depths

v1 = tf.compat.v1


def test_all_ops_of_a_loop_are_one_group_and_those_around_it_none(v1_behaviour: None) -> None:
    with tf.Graph().as_default():
        x = tf.identity(v1.placeholder(tf.float32, []), "before")
        loop = v1.while_loop(
            lambda i, last: tf.logical_and(i < 5, last < 0.9),
            lambda i, last: (i + 1, v1.random_uniform([])),  # of nothing that enters
            [0, 0.0],
        )
        fragment = Fragment.between([x.op.inputs[0]], [tf.add(loop[1], x, "after")])
    groups = control_flow_groups(fragment.ops)
    outside = {"before", "after", "while/Const", "while/Const_1"}  # where it begins
    assert {op.name for op in fragment.ops if op not in groups} == outside
    assert len(set(groups.values())) == 1


def test_a_cond_in_a_loop_is_deeper_than_the_loops_condition(v1_behaviour: None) -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [])

        def more(value: tf.Tensor) -> tf.Tensor:
            return v1.cond(value > 2, lambda: tf.add(value, 2, "deep"), lambda: value + 1)

        loop = v1.while_loop(lambda value: tf.less(value, 5, "condition"), more, [x])
        fragment = Fragment.between([x], [tf.identity(loop, "after")])
    found = {op.name.rpartition("/")[2]: deep for op, deep in depths(fragment.ops).items()}
    assert (found["condition"], found["deep"], found["after"]) == (1, 2, 0)
