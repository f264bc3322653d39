"""An index of a graph is made once where nothing can have rewired the graph in between."""

from __future__ import annotations

import threading
from typing import Any

import tensorflow as tf

from queueio import train
from queueio.graph.index import Index, index_of, unchanged

v1 = tf.compat.v1


def a_graph() -> Any:
    with tf.Graph().as_default() as graph:
        train.batch([train.range_input_producer(5).dequeue()], 2)
    return graph


def told(index: Index) -> Any:
    runs = [(e.op.name, e.threads, [q.op.name for q in e.enqueues]) for e in index.evaluators]
    return runs, [op.name for op in index.queues]


def test_within_unchanged_a_graph_is_looked_at_once_and_each_graph_for_itself() -> None:
    one, other = a_graph(), a_graph()
    with unchanged():
        index = index_of(one)
        assert index_of(one) is index
        assert index_of(other) is not index
        assert told(index_of(other)) == told(index) == told(Index(one))
    assert index_of(one) is not index


def test_an_op_or_a_runner_that_was_added_is_seen_within_it() -> None:
    graph = a_graph()
    with unchanged(), graph.as_default():
        index = index_of(graph)
        queue = tf.queue.FIFOQueue(3, [tf.int32], [[]])
        with unchanged():
            assert queue.queue_ref.op in index_of(graph).queues
        runner = train.QueueRunner(queue, [queue.enqueue(1)])
        assert runner not in index_of(graph).runners
        assert runner in index_of(graph, [runner]).runners
        train.add_queue_runner(runner)
        assert runner in index_of(graph).runners
        assert runner not in index.runners


def test_another_thread_looks_for_itself() -> None:
    graph, found = a_graph(), []
    with unchanged():
        index = index_of(graph)
        thread = threading.Thread(target=lambda: found.append(index_of(graph)))
        thread.start()
        thread.join()
    assert found[0] is not index
