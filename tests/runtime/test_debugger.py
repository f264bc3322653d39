"""Under a debugger's session, which gives back errors as results, threads end as they should."""

from __future__ import annotations

import pytest

PROGRAM = """
import tempfile
import tensorflow as tf
from tensorflow.python.debug import DumpingDebugWrapperSession
import queueio
from queueio import train
v1 = tf.compat.v1

for engine in ("queue", "data"):
    with queueio.engine(engine), tf.Graph().as_default(), v1.Session() as inner:
        number = train.range_input_producer(10, num_epochs=1, shuffle=False).dequeue()
        batch = train.batch([number], 4)
        inner.run(v1.local_variables_initializer())
        sess = DumpingDebugWrapperSession(inner, tempfile.mkdtemp())
        coord = train.Coordinator()
        threads = train.start_queue_runners(sess, coord)
        came = [sess.run(batch) for _ in range(3)]
        coord.request_stop()
        coord.join(threads)
        print(engine, [each.tolist() for each in came[:2]], type(came[2]).__name__)
"""


@pytest.mark.long
def test_the_end_of_the_input_closes_the_queue(run_python):
    done = run_python(PROGRAM, timeout=60, env={"QUEUEIO_SMALL_JOB": "0"})
    ends = [
        f"{engine} [[0, 1, 2, 3], [4, 5, 6, 7]] OutOfRangeError" for engine in ("queue", "data")
    ]
    assert done.stdout.splitlines() == ends, done.stderr
