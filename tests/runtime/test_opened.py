"""Ops that queueio adds to a program's graph come beside whatever else its threads do with it."""

from __future__ import annotations

import threading
from typing import Any

import tensorflow as tf

from queueio.runtime.diagnosis.queues import opened

v1 = tf.compat.v1


def test_a_graph_is_written_down_before_or_after_ops_are_added_and_not_meanwhile() -> None:
    """A run that went on after a kill died of a KeyError in one of a hundred MonitoredSessions.

    Its hook writes the graph down while the queue runners' threads take up where they stood.
    """
    graph, written = tf.Graph(), []

    def write() -> None:
        written.append(graph.as_graph_def(add_shapes=True))

    thread = threading.Thread(target=write, daemon=True)
    with opened(graph, "ours/"):
        tf.constant(1)
        thread.start()
        thread.join(0.3)
        assert not written
        tf.constant(2)
    thread.join(60)
    assert [node.name for node in written[0].node] == ["ours/Const", "ours/Const_1"]


def test_ops_are_added_while_another_thread_runs_and_makes_its_own() -> None:
    graph, seen, failed = tf.Graph(), [], []
    with graph.as_default():
        number = tf.constant(7) + tf.constant(1)
    begun = threading.Event()

    def work() -> None:
        try:
            with graph.as_default(), v1.Session() as session:
                begun.set()
                for _ in range(60):
                    seen.append(session.run(number.name))
                    tf.add(number, 1)
        except Exception as error:
            failed.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    begun.wait(60)
    made: list[Any] = []
    for _ in range(60):
        with opened(graph, "ours/"):
            made.append(tf.constant(3))
    thread.join(60)
    assert (failed, seen, len(made)) == ([], [8] * 60, 60)
