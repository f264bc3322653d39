"""A program may end while its queue runners are at work: no thread of theirs outlives it."""

from __future__ import annotations

import re

import pytest

PROGRAM = """
import atexit, threading, time

def left():
    named = [t.name for t in threading.enumerate()]
    print([name for name in named if name.startswith(("QueueRunner", "queueio-"))], flush=True)

atexit.register(left)  # before queueio's: it is called after it
import tensorflow as tf
import queueio
from queueio import train
v1 = tf.compat.v1

def slowly():
    time.sleep({seconds})
    return 1

with tf.Graph().as_default():
    wide = v1.FIFOQueue(10**9, [tf.int32], shapes=[[]])
    full = v1.FIFOQueue(3, [tf.int32], shapes=[[]])
    work = v1.py_func(slowly, [], tf.int64) if {seconds} else 1
    train.add_queue_runner(train.QueueRunner(wide, [wide.enqueue(1)] * 2))
    train.add_queue_runner(train.QueueRunner(full, [full.enqueue(tf.cast(work, tf.int32))]))
    sess = v1.Session()
    coord = train.Coordinator() if {coord} else None
    for runner in v1.get_collection("queue_runners"):
        runner.create_threads(sess, coord, daemon=True, start=True)
    sess.run([wide.dequeue(), full.dequeue()])
    print("done", flush=True)
    {last}
"""


@pytest.mark.parametrize("last", ["", "raise ValueError('of its own')", "sess.close()"])
@pytest.mark.parametrize("coord", [True, False])
@pytest.mark.parametrize("seconds", [0, 0.3])
def test_a_program_that_ends_with_its_runners_at_work_ends_clean(
    run_python, last: str, coord: bool, seconds: float
) -> None:
    done = run_python(PROGRAM.format(coord=coord, last=last, seconds=seconds), timeout=60)
    assert done.stdout.splitlines() == ["done", "[]"], done.stderr
    told = [line for line in done.stderr.splitlines() if re.match(r"\S*Error", line)]
    assert told == (["ValueError: of its own"] if "raise" in last else [])
    assert done.returncode == ("raise" in last)


PRESSED_TWICE = """
    import os, signal
    def press(after):
        timer = threading.Timer(after, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.daemon = True  # python waits for others before what is called at exit
        timer.start()
    press(0.3)  # the runner sleeps
    try:
        time.sleep(5)
    finally:
        press(0.3)
"""


@pytest.mark.long
def test_ctrl_c_while_the_runners_are_stopped_ends_the_wait_without_a_word(run_python) -> None:
    done = run_python(PROGRAM.format(coord=True, last=PRESSED_TWICE, seconds=1.5), timeout=60)
    assert done.returncode in (-2, 130)
    assert "end_threads" not in done.stderr
    assert "Exception ignored" not in done.stderr


FORKED = """
import os
import tensorflow as tf
import queueio.train
with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    sess.run(tf.constant(1))
    child = os.fork()
    if child:
        assert os.waitpid(child, 0)[1] == 0
    print("done", flush=True)
"""


def test_no_socket_is_left_unclosed_at_the_end_of_a_program_or_of_its_child(run_python) -> None:
    begin = "import warnings\nwarnings.simplefilter('always', ResourceWarning)\n"
    done = run_python(begin + FORKED, timeout=60)
    assert done.stdout.splitlines() == ["done", "done"], done.stderr
    assert "socket" not in done.stderr


BUILDING = """
import time
import tensorflow as tf
from queueio import train
from queueio.data_engine.iterator_runner import IteratorRunner

stock = IteratorRunner._begin

def slowly(self, session, record):  # as for a thousand columns, or on a busy machine
    until = time.monotonic() + 3
    while time.monotonic() < until:
        with tf.Graph().as_default():
            for _ in range(50):
                tf.constant(1)
    stock(self, session, record)
    print("built", flush=True)

IteratorRunner._begin = slowly
v1 = tf.compat.v1
with tf.Graph().as_default():
    batch = train.batch([train.range_input_producer(9).dequeue()], 2)
    sess = v1.Session()
    train.start_queue_runners(sess, train.Coordinator())
    {last}
"""


@pytest.mark.parametrize("last", ["raise ValueError('of its own')", "sess.close(); sess.run(1)"])
def test_a_program_that_fails_while_a_dataset_is_built_ends_with_its_own_error(
    run_python, last: str
) -> None:
    told = "RuntimeError: Attempted to use" if "close" in last else "ValueError: of its own"
    env = {"QUEUEIO_ENGINE": "data", "QUEUEIO_SMALL_JOB": "0"}
    done = run_python(BUILDING.format(last=last), timeout=90, env=env)
    assert done.returncode == 1, done.stderr
    assert told in done.stderr.splitlines()[-1]
