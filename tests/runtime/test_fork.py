"""A fork with queue threads running is warned about: the child's queues will never fill."""

from __future__ import annotations

import pytest

PROGRAM = """
import os, subprocess, threading, warnings
import tensorflow as tf
import queueio
from queueio import train
v1 = tf.compat.v1

def fork():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
    return [str(w.message) for w in caught if w.category is queueio.StallWarning]

with tf.Graph().as_default():
    number = train.range_input_producer(10).dequeue()
    with v1.Session() as sess:
        print(len(fork()))
        with queueio.running(sess):
            sess.run(number)
            (text,) = fork()
            print(text)
            with warnings.catch_warnings():
                warnings.simplefilter("error", queueio.StallWarning)
                subprocess.run(["true"])  # is no fork of Python's
        print(len(fork()))
"""


@pytest.mark.long
def test_a_fork_beside_running_queue_threads_is_warned_about(run_python):
    done = run_python(PROGRAM, timeout=40)
    none, text, none_again = done.stdout.splitlines()[0], done.stdout, done.stdout.splitlines()[-1]
    assert (none, none_again) == ("0", "0"), done.stderr
    assert "os.fork() while 2 queue runner threads are running" in text
    assert 'multiprocessing.get_context("spawn")' in text


IN_THE_CHILD = """
import os, signal, threading, warnings
import tensorflow as tf
import queueio
from queueio import train
v1 = tf.compat.v1

with tf.Graph().as_default(), v1.Session() as sess:
    batch = train.batch([train.range_input_producer(10).dequeue()], 4)
    with queueio.running(sess):
        sess.run(batch)
        warnings.simplefilter("ignore")
        child = os.fork()
        if child == 0:
            warnings.simplefilter("always")
            warnings.showwarning = lambda text, *_: (print(text, flush=True), os._exit(0))
            while True:
                sess.run(batch)
        killer = threading.Timer(20, os.kill, (child, signal.SIGKILL))
        killer.start()
        os.waitpid(child, 0)
        killer.cancel()
"""


@pytest.mark.long
def test_a_call_that_hangs_in_a_forked_process_is_told_that_it_was_forked(run_python):
    done = run_python(IN_THE_CHILD, timeout=60, env={"QUEUEIO_STALL_SECONDS": "0.4"})
    assert "was forked from one in which sessions had run" in done.stdout, done.stderr
    assert "inter_op_parallelism_threads" not in done.stdout
