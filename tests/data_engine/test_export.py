"""A MetaGraph exported under the data engine works where there is no queueio."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import tensorflow as tf

import queueio
from queueio import train

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
