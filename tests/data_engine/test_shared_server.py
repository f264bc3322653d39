"""Two sessions of one `tf.train.Server` have their queues, and so their epochs, in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

PROGRAM = """
import tensorflow as tf
from queueio import train

v1 = tf.compat.v1
server = v1.train.Server.create_local_server()

def pipeline():
    with tf.Graph().as_default() as graph:
        queue = train.range_input_producer(40, num_epochs=1, shuffle=False)
        return graph, train.batch([queue.dequeue()], 4), v1.local_variables_initializer()

def started(graph, batch, begin):
    session = v1.Session(server.target, graph=graph)
    session.run(begin or [])
    coord = train.Coordinator()
    threads = train.start_queue_runners(session, coord)
    return session, coord, threads, batch

def taken(runs):
    found, left = [], list(runs)
    while left:
        for run in list(left):
            try:
                found += run[0].run(run[3]).tolist()
            except tf.errors.OutOfRangeError:
                left.remove(run)
    return sorted(found)

graph, batch, begin = pipeline()
with graph.as_default():
    first = started(graph, batch, begin)
{then}
"""
ONE_GRAPH = """
    print(taken([first, started(graph, batch, None)]) == list(range(40)))
"""
TWO_GRAPHS = """
graph, batch, _ = pipeline()
with graph.as_default():
    print(taken([first, started(graph, batch, None)]) == list(range(40)))
"""
ONE_AFTER_THE_OTHER = """
    first[1].request_stop()
    first[0].close()
    print(taken([started(graph, batch, begin)]) == list(range(40)))
"""


def done(run_python: Callable[..., Any], then: str, engine: str) -> Any:
    env = {"QUEUEIO_ENGINE": engine, "QUEUEIO_SMALL_JOB": "0"}
    return run_python(PROGRAM.format(then=then), env=env)


@pytest.mark.long
@pytest.mark.parametrize("then", [ONE_GRAPH, TWO_GRAPHS], ids=["one graph", "two graphs"])
def test_the_second_is_refused_where_each_would_read_all(
    run_python: Callable[..., Any], then: str
) -> None:
    refused = done(run_python, then, "data")
    assert refused.returncode == 1
    assert "two sessions of 'grpc://" in refused.stderr
    assert "Set QUEUEIO_ENGINE=queue" in refused.stderr
    shared = done(run_python, then, "queue")  # as it says
    assert shared.stdout.split() == ["True"], shared.stderr


@pytest.mark.long
def test_one_after_the_other_is_none_beside_the_other(run_python: Callable[..., Any]) -> None:
    program = done(run_python, ONE_AFTER_THE_OTHER, "data")
    assert program.stdout.split() == ["True"], program.stderr
