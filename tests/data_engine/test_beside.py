"""Examples that a program takes out of a batch's queue itself, beside the batches."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

BOTH = """
import threading
import queueio.v1 as tf

number = tf.train.range_input_producer(33, num_epochs=1, shuffle=False).dequeue()
batch = tf.train.batch([number], 5, capacity=50{more})
queue = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)[-1].queue
one, size = queue.dequeue(), queue.size()
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    call = sess.make_callable([batch, batch + 1])
    early = []
    waits = threading.Thread(target=lambda: early.append(int(sess.run(one))))
    waits.start()
    threads = tf.train.start_queue_runners(sess, coord)
    waits.join()
    for thread in threads[:-1]:
        if "close_on_stop" not in thread.name:
            thread.join()
    print(early, sess.run(batch), sess.run(one), sess.run(size), sess.run(batch))
    print(*call(), sess.run(size), sess.run(batch, {{batch: [7] * 5}}), sess.run(one))
    for taken in {ends}:
        try:
            while True:
                print(sess.run(taken))
        except tf.errors.OutOfRangeError as error:
            print("the natural end" in str(error), "batch/queueio" in str(error), error.op.name)
            print(str(error).partition("(requested")[2].partition(")")[0])
    coord.request_stop()
    coord.join(threads)
"""


@pytest.mark.parametrize("ends", ["[one, batch]", "[batch, one]"])
@pytest.mark.parametrize("more", ["", ", allow_smaller_final_batch=True"], ids=["whole", "smaller"])
def test_examples_and_batches_come_in_the_order_of_the_calls_and_end_as_on_the_queues(
    more: str, ends: str, run_python: Run
) -> None:
    runs = [
        run_python(BOTH.format(more=more, ends=ends), env={"QUEUEIO_ENGINE": engine})
        for engine in ("queue", "data")
    ]
    assert [run.returncode for run in runs] == [0, 0], runs[1].stderr
    assert "[0] [1 2 3 4 5] 6" in runs[0].stdout
    assert runs[1].stdout == runs[0].stdout
    assert "FallbackWarning" in runs[1].stderr


BEHIND = """
import queueio.v1 as tf

number = tf.train.range_input_producer(6000, num_epochs=1, shuffle=False).dequeue()
batch = tf.train.batch([number], 5)
one = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)[-1].queue.dequeue()
queue = tf.FIFOQueue(3, tf.int32, [(5,)])
tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(batch)]))
taken = queue.dequeue()
found = []
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    try:
        while True:
            found += [*sess.run(taken), sess.run(one)]
    except tf.errors.OutOfRangeError:
        pass
    for rest in (one, taken):
        try:
            while True:
                found += list(sess.run([rest])[0].reshape([-1]))
        except tf.errors.OutOfRangeError:
            print(sorted(found) == list(range(len(found))), 6000 - len(found) < 5)
    coord.request_stop()
    coord.join(threads)
"""


@pytest.mark.long
def test_a_runner_of_the_programs_own_takes_batches_beside_it(run_python: Run) -> None:
    run = run_python(BEHIND, env={"QUEUEIO_ENGINE": "data"})
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines()[-1] == "True True"


LATE = """
import time
import queueio.v1 as tf

number = tf.train.range_input_producer(6000, num_epochs=1, shuffle=False).dequeue()
batch = tf.train.batch([number], 5)
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    print(sess.run(batch))
    late = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)[-1].queue.dequeue(name="late")
    try:
        print(sess.run(late))
    except Exception as error:
        print(type(error).__name__, "'late'" in str(error), "before start_queue" in str(error))
    print(sess.run(batch))
    coord.request_stop()
    coord.join(threads)
"""


@pytest.mark.parametrize("small_job", ["0", "10000"], ids=["tf.data", "queues"])
def test_what_takes_examples_and_was_made_after_the_start_is_refused(
    small_job: str, run_python: Run
) -> None:
    run = run_python(LATE, env={"QUEUEIO_ENGINE": "data", "QUEUEIO_SMALL_JOB": small_job})
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == ["[0 1 2 3 4]", "NotLifted True True", "[5 6 7 8 9]"]


WAITS = """
import os, time
os.environ["QUEUEIO_STALL_SECONDS"] = "0.4"
import queueio.v1 as tf

def slowly():
    time.sleep(0.5)
    return 7

number = tf.py_func(slowly, [], tf.int64)
number.set_shape([])
batch = tf.train.batch([number], 3)
one = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)[-1].queue.dequeue()
with tf.Session() as sess:
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    print(sess.run(batch), sess.run(one))
    coord.request_stop()
    coord.join(threads)
"""


@pytest.mark.long
def test_a_call_that_waits_for_slow_examples_is_not_told_that_nobody_makes_them(
    run_python: Run,
) -> None:
    run = run_python(WAITS, env={"QUEUEIO_ENGINE": "data"})
    assert run.stdout.split() == ["[7", "7", "7]", "7"], run.stderr
    assert "not started" not in run.stderr
