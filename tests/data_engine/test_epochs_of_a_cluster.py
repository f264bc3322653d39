"""Workers of a cluster share what counts their epochs, or each has one, as in TF 1.15.5."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.processes import environment, python

# Both workers have initialised before one begins, so that no count is lost. The files that they
# read have eight lines each.
SCRIPT = """
import json, socket, sys
import tensorflow as tf

def free():
    with socket.socket() as made:
        made.bind(("localhost", 0))
        return "localhost:%d" % made.getsockname()[1]

cluster = tf.train.ClusterSpec({"ps": [free()], "worker": [free(), free()]})
ps = tf.train.Server(cluster, "ps", 0)
workers = [tf.train.Server(cluster, "worker", task) for task in range(2)]

def device(task):
    own = "/job:worker/task:%d" % task
    if sys.argv[1] == "own":
        return own
    return tf.train.replica_device_setter(cluster=cluster, worker_device=own)

def batch():
    if sys.argv[2] == "rows":
        number = tf.train.slice_input_producer([list(range(8))], num_epochs=20)[0]
    else:
        names = tf.train.string_input_producer(["a.txt"], num_epochs=20)
        number = tf.string_to_number(tf.TextLineReader().read(names)[1])
    if sys.argv[2] != "own queue":
        return tf.train.batch([number], 4)
    queue = tf.FIFOQueue(40, [number.dtype], [[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue([number])]))
    return queue.dequeue_many(4)

sessions = []
for task, server in enumerate(workers):
    with tf.Graph().as_default() as graph:
        with tf.device(device(task)):
            taken = batch()
        session = tf.Session(server.target)
        session.run(tf.local_variables_initializer())
        sessions.append((graph, session, taken))
coord = tf.train.Coordinator()
threads = []
for graph, session, _ in sessions:
    with graph.as_default():
        threads += tf.train.start_queue_runners(session, coord)
examples = 0
for _, session, taken in sessions:
    try:
        while True:
            examples += len(session.run(taken))
    except tf.errors.OutOfRangeError:
        pass
coord.request_stop()
coord.join(threads)
print(json.dumps(examples))
"""


@pytest.mark.long
@pytest.mark.parametrize("engine", ["queue", "data"])
@pytest.mark.parametrize("what", ["lines", "rows", "own queue"])
@pytest.mark.parametrize(("where", "examples"), [("ps", 160), ("own", 320)])
def test_workers_read_so_many_epochs_as_their_counter_lets_them(
    where: str, examples: int, what: str, engine: str, tmp_path: Path
) -> None:
    tmp_path.joinpath("a.txt").write_text("".join(f"{n}\n" for n in range(8)))
    tmp_path.joinpath("script.py").write_text(SCRIPT)
    done = python(
        "-m", "queueio", "run", "--engine", engine, "script.py", where, what, cwd=tmp_path,
        env=environment(QUEUEIO_SMALL_JOB="0"),
    )  # fmt: skip
    assert json.loads(done.stdout) == examples, done.stderr
    falls_back = engine == "data" and where == "ps"
    assert ("it counts epochs on '/job:ps/task:0'" in done.stderr) == falls_back
