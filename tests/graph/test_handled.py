"""Which ops have to do with handles: looked at once, however often a graph is asked."""

from __future__ import annotations

import gc
import random
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import tensorflow as tf

from queueio.graph import handled
from queueio.graph.traversal import is_handle

v1 = tf.compat.v1


def additions() -> list[Callable[[], Any]]:
    """What graphs grow by, with handles and without, in conds and as references."""

    def read() -> None:
        v1.TextLineReader().read(v1.train.string_input_producer(["a"]))

    def in_a_cond() -> None:
        queue = tf.queue.FIFOQueue(4, [tf.int32], shapes=[[]])
        v1.cond(tf.constant(True), lambda: queue.enqueue(1), tf.no_op)

    return [
        lambda: tf.constant(1) + 2,
        lambda: tf.queue.FIFOQueue(4, [tf.int32]).dequeue(),
        lambda: v1.Variable(1.0, use_resource=False).assign_add(2.0),
        lambda: v1.Variable(1.0, use_resource=True).assign_add(2.0),
        read,
        in_a_cond,
    ]


@pytest.mark.parametrize("seed", range(5))
def test_a_graph_that_grows_between_two_questions_is_answered_as_one_looked_at_anew(
    seed: int,
) -> None:
    rng = random.Random(seed)
    with tf.Graph().as_default() as graph:
        for _ in range(8):
            for add in rng.choices(additions(), k=rng.randrange(4)):
                add()
            wanted = [
                op for op in graph.get_operations()
                if any(map(is_handle, [*op.inputs, *op.outputs]))
            ]  # fmt: skip
            assert handled.handling(graph) == wanted


def test_each_op_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    look = handled._has_to_do

    def looking(op: Any) -> bool:
        seen.append(op)
        return look(op)

    monkeypatch.setattr(handled, "_has_to_do", looking)
    with tf.Graph().as_default() as graph:
        for _ in range(3):
            tf.queue.FIFOQueue(4, [tf.int32]).dequeue()
            for _ in range(2):
                handled.handling(graph)
    assert seen == graph.get_operations()


def test_a_graph_that_was_looked_at_can_be_freed() -> None:
    graph = tf.Graph()
    with graph.as_default():
        tf.queue.FIFOQueue(4, [tf.int32]).dequeue()
    assert handled.handling(graph)
    there = weakref.ref(graph)
    del graph
    gc.collect()
    assert there() is None
