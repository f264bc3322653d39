"""A runner that names no op is not blamed for its queue, and not left out where it may fill it."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import pytest
import tensorflow as tf

from queueio.runtime.diagnosis import by_hand
from queueio.runtime.topology import Topology

v1 = tf.compat.v1


class FromAGenerator(v1.train.QueueRunner):
    """Its constructor does not call QueueRunner's."""

    def __init__(self) -> None:
        pass


@pytest.mark.parametrize("collected", [True, False])
def test_who_waits_for_its_queue_is_told_to_start_it(collected: bool) -> None:
    with tf.Graph().as_default() as graph, v1.Session() as session:
        queue = v1.FIFOQueue(5, [tf.int32], [[]], name="fed")
        queue.enqueue([v1.placeholder(tf.int32, [])], name="put")
        if collected:
            v1.train.add_queue_runner(FromAGenerator())
        told = said_of("fed", graph, session)
    assert "Nobody runs the enqueue op 'put'" in told
    assert ("FromAGenerator" in told) is collected
    right = "start_queue_runners(sess=sess" if collected else "sess.run('put'"
    assert f"right: {right}" in told.replace("threads = tf.train.", "")


def said_of(name: str, graph: Any, session: Any) -> str:
    call: Any = SimpleNamespace(session=session, thread=threading.get_ident())
    topology = Topology(graph)
    return by_hand.not_fed(name, topology.producers[name], call, topology).text
