"""A MetaGraph exported under the data engine works where there is no queueio."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import settings, train

v1 = tf.compat.v1

WITHOUT_QUEUEIO = """
import sys
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.train.import_meta_graph("model.meta")
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    try:
        while True:
            print(session.run("batch:0").tolist())
    except tf.errors.OutOfRangeError:
        coordinator.request_stop()
    coordinator.join(threads)
assert not [name for name in sys.modules if name.startswith("queueio")]
"""


def test_plain_queue_runners_run_an_exported_metagraph(
    tmp_path: Path, run_python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    with tf.Graph().as_default() as graph, queueio.engine("data"):
        numbers = train.range_input_producer(7, num_epochs=1, shuffle=False).dequeue()
        train.batch([numbers], 3, allow_smaller_final_batch=True)
        v1.train.export_meta_graph(str(tmp_path / "model.meta"))
        assert len(graph.get_collection(v1.GraphKeys.QUEUE_RUNNERS)) == 2
    done = run_python(WITHOUT_QUEUEIO)
    assert done.stdout.split("\n")[:3] == ["[0, 1, 2]", "[3, 4, 5]", "[6]"], done.stderr[-2000:]
    assert done.returncode == 0


@pytest.mark.parametrize("own", [False, True])
def test_the_data_engine_runs_again_what_it_exported(tmp_path: Path, own: bool) -> None:
    """Strict: no queue may be left to the queues, for the ops that tf.data worked by."""
    exported = str(tmp_path / "model.meta")
    with tf.Graph().as_default(), queueio.engine("data"), v1.Session() as session:
        number = train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
        if own:
            queue = tf.queue.FIFOQueue(20, [tf.int32], shapes=[[]])
            train.add_queue_runner(train.QueueRunner(queue, [queue.enqueue(number)]))
            batch = queue.dequeue_many(4)
            session.run(v1.local_variables_initializer())
            with queueio.running(session):  # what fills it is built only now
                session.run(batch)
        else:
            batch = train.batch([number], 4)
        v1.train.export_meta_graph(exported)
    with (
        tf.Graph().as_default(),
        settings.override(engine="data", strict=True),
        v1.Session() as session,
    ):
        v1.train.import_meta_graph(exported)
        session.run(v1.local_variables_initializer())
        with queueio.running(session):
            assert np.concatenate([session.run(batch.name) for _ in range(2)]).tolist() == [
                *range(8)
            ]
