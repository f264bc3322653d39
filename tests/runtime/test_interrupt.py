"""Ctrl-C works while sess.run is blocked, whoever listens for signals."""

from __future__ import annotations

import random

import pytest

PRELUDE = """
import os, signal, threading, time
import tensorflow as tf
import queueio
from queueio import train
v1 = tf.compat.v1
v1.logging.set_verbosity(v1.logging.FATAL)

def press(after):
    threading.Timer(after, lambda: os.kill(os.getpid(), signal.SIGINT)).start()

def report(started, error):
    runners = [t for t in threading.enumerate() if t.name.startswith("QueueRunnerThread")]
    fast = time.monotonic() - started < 2
    print(type(error).__name__, "fast" if fast else "slow", len(runners), flush=True)

def interrupted(wait):
    press(0.5)
    started = time.monotonic() + 0.5
    try:
        wait()
    except BaseException as error:
        report(started, error)

def pipeline():
    empty = v1.FIFOQueue(3, [tf.int32], shapes=[[]])
    full = v1.FIFOQueue(3, [tf.int32], shapes=[[]])
    train.add_queue_runner(train.QueueRunner(full, [full.enqueue(1)] * 2))
    return empty.dequeue(), full
"""

BLOCKED = """
with tf.Graph().as_default():
    empty, full = pipeline()
    with v1.Session() as sess:
        coord = train.Coordinator()
        threads = train.start_queue_runners(sess, coord)
        sess.run(full.dequeue())
        press(0.5)
        started = time.monotonic() + 0.5
        try:
            try:
                sess.run(empty)
            finally:
                coord.request_stop()
                coord.join(threads)
        except BaseException as error:
            report(started, error)

with tf.Graph().as_default():
    empty, full = pipeline()
    with v1.Session() as sess:
        press(0.5)
        started = time.monotonic() + 0.5
        try:
            with queueio.running(sess):
                sess.make_callable(empty)()
        except BaseException as error:
            report(started, error)

# a step that merely takes long is not cancelled: its queues still work afterwards
with tf.Graph().as_default():
    empty, full = pipeline()
    slow = v1.py_func(lambda: (time.sleep(0.1), 5)[1], [], tf.int64)
    with v1.Session() as sess, queueio.running(sess):
        press(0.05)
        try:
            sess.run(slow)
            time.sleep(1)
        except KeyboardInterrupt:
            time.sleep(0.5)
            print("still", sess.run(full.dequeue()), flush=True)
"""


@pytest.mark.long
def test_a_blocked_run_ends_in_keyboard_interrupt_with_its_threads_joined(run_python):
    done = run_python(PRELUDE + BLOCKED, timeout=60)
    assert done.stdout.splitlines() == [
        "KeyboardInterrupt fast 0",
        "KeyboardInterrupt fast 0",
        "still 1",
    ], done.stderr


GATHERING = """
with tf.Graph().as_default():
    gradients = v1.ConditionalAccumulator(tf.float32, shape=[]).take_grad(2)
    with v1.Session() as sess:
        interrupted(lambda: sess.run(gradients))
"""


def test_a_wait_for_gradients_ends_as_well(run_python):
    done = run_python(PRELUDE + GATHERING, timeout=30)
    assert done.stdout.splitlines() == ["KeyboardInterrupt fast 0"], done.stderr


IN_PARTS = """
with tf.Graph().as_default():
    empty, full = pipeline()
    number = v1.placeholder(tf.int32, [])
    with v1.Session() as sess:
        run = sess.partial_run_setup([number + 1, empty], [number])
        interrupted(lambda: sess.partial_run(run, empty))
"""


def test_a_partial_run_ends_as_well(run_python):
    done = run_python(PRELUDE + IN_PARTS, timeout=30)
    assert done.stdout.splitlines() == ["KeyboardInterrupt fast 0"], done.stderr


UNCAUGHT = """
with tf.Graph().as_default():
    empty, full = pipeline()
    with v1.Session() as sess:
        train.start_queue_runners(sess, train.Coordinator())
        press(0.5)
        sess.run(empty)
"""


@pytest.mark.long
def test_uncaught_it_ends_the_process_as_ctrl_c_does(run_python):
    done = run_python(PRELUDE + UNCAUGHT, timeout=30)
    assert done.returncode in (-2, 130)
    assert done.stderr.rstrip().endswith("KeyboardInterrupt")
    assert "OutOfRange" not in done.stderr and "Cancelled" not in done.stderr


COMPUTING = """
from queueio.compat import importing
importing.install()  # as `queueio run` does
with tf.Graph().as_default():
    many = v1.while_loop(
        lambda n, a: n < 100,
        lambda n, a: (n + 1, tf.matmul(a, a) * 1e-3),
        [0, tf.ones([1000, 1000])],
    )[1]
    with v1.Session() as sess:
        press(0.3)
        sess.run(many[0, 0])
"""


@pytest.mark.long
def test_in_a_first_step_that_computes_for_long_nothing_else_is_printed(run_python):
    done = run_python(PRELUDE + COMPUTING, timeout=60)
    assert done.returncode in (-2, 130)
    assert done.stdout == ""


OTHERS = """
import socket
reader, writer = socket.socketpair()
for end in (reader, writer):
    end.setblocking(False)
signal.set_wakeup_fd(writer.fileno())
signal.signal(signal.SIGUSR1, lambda *_: None)
pressed = []
signal.signal(signal.SIGINT, lambda *_: pressed.append(1))
with tf.Graph().as_default():
    empty, full = pipeline()
    with v1.Session() as sess:
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGUSR1)).start()
        press(0.5)
        press(1.5)
        started = time.monotonic() + 1.5
        try:
            sess.run(empty)
        except tf.errors.OutOfRangeError as error:
            report(started, error)
print(list(reader.recv(9)), signal.set_wakeup_fd(-1) == writer.fileno(), len(pressed))
"""


@pytest.mark.long
def test_other_listeners_hear_their_signals_and_a_handler_that_goes_on_gets_the_first(run_python):
    done = run_python(PRELUDE + OTHERS, timeout=30)
    assert done.stdout.splitlines() == ["OutOfRangeError fast 0", "[10, 2, 2] True 2"], done.stderr


TRAINING = """
import random
random.seed({seed})
with tf.Graph().as_default():
    number = train.range_input_producer(1000).dequeue()
    batch = train.shuffle_batch([number], 8, 64, 16, num_threads=3)
    with v1.Session() as sess:
        for cycle in range(6):
            try:
                with v1.Session() as sess, queueio.running(sess):
                    press(random.random() * 0.3)
                    while True:
                        sess.run(batch)
            except KeyboardInterrupt as error:
                report(time.monotonic(), error)
"""


@pytest.mark.long
def test_at_any_moment_of_training_it_ends_the_run_and_its_threads(run_python):
    seed = random.randrange(1000)
    done = run_python(PRELUDE + TRAINING.format(seed=seed), timeout=60)
    ends = [line for line in done.stdout.splitlines() if " fast " in line or " slow " in line]
    assert ends == ["KeyboardInterrupt fast 0"] * 6, (seed, done.stdout, done.stderr)


EXIT = """
import sys
signal.signal(signal.SIGINT, lambda *_: sys.exit(7))
with tf.Graph().as_default():
    empty, full = pipeline()
    with v1.Session() as sess, queueio.running(sess):
        press(0.5)
        sess.run(empty)
"""


def test_a_handler_that_exits_does_so_at_the_first_press(run_python):
    done = run_python(PRELUDE + EXIT, timeout=30)
    assert (done.returncode, "Traceback" in done.stderr) == (7, False), done.stderr


OWN = """
class Enough(Exception):
    pass

def handler(*_):
    print("in", threading.current_thread().name)
    raise kind

signal.signal(signal.SIGINT, handler)
for kind in (KeyboardInterrupt, Enough):
    for made in (False, True):
        with tf.Graph().as_default():
            empty, full = pipeline()
            with v1.Session() as sess:
                step = sess.make_callable(empty) if made else (lambda: sess.run(empty))
                press(0.5)
                started = time.monotonic() + 0.5
                try:
                    with queueio.running(sess):
                        step()
                except BaseException as error:
                    report(started, error)

# nothing is cancelled where the call ends by itself: its queues still work afterwards
with tf.Graph().as_default():
    empty, full = pipeline()
    slow = v1.py_func(lambda: (time.sleep(0.1), 5)[1], [], tf.int64)
    with v1.Session() as sess, queueio.running(sess):
        press(0.05)
        try:
            sess.run(slow)
            time.sleep(1)
        except Enough:
            print("still", sess.run(full.dequeue()))
        try:
            sess.run(tf.debugging.Assert(False, ["told as without a handler"]))
        except tf.errors.InvalidArgumentError as error:
            print("told as without a handler" in error.message)

# a handler may run the session itself: to save a checkpoint, say
with tf.Graph().as_default():
    empty, full = pipeline()
    variable = v1.get_variable("variable", initializer=3)
    with v1.Session() as sess, queueio.running(sess):
        sess.run(variable.initializer)

        def handler(*_):
            print("saved", sess.run(variable))
            raise Enough

        signal.signal(signal.SIGINT, handler)
        press(0.5)
        try:
            sess.run(empty)
        except Enough:
            print("enough")
time.sleep(5)
print([t.name for t in threading.enumerate()])
"""


@pytest.mark.long
def test_what_a_handler_of_ones_own_raises_comes_at_the_first_press(run_python):
    done = run_python(PRELUDE + OWN, timeout=60)
    assert done.stdout.splitlines() == [
        *["in MainThread", "KeyboardInterrupt fast 0"] * 2,
        *["in MainThread", "Enough fast 0"] * 2,
        *["in MainThread", "still 1", "True", "saved 3", "enough"],
        "['MainThread']",
    ], done.stderr


CLUSTER = """
server = v1.train.Server.create_local_server()
with tf.Graph().as_default():
    queue = v1.FIFOQueue(3, [tf.int32], shapes=[[]], shared_name="shared")
    value, is_open = queue.dequeue(), tf.logical_not(queue.is_closed())
    with v1.Session(server.target) as sess:
        press(0.5)
        try:
            sess.run(value)
        except KeyboardInterrupt as error:
            report(time.monotonic(), error)
    with v1.Session(server.target) as sess:
        print("open", sess.run(is_open))
"""


def test_in_a_cluster_the_call_ends_and_the_shared_queue_stays_open(run_python):
    done = run_python(PRELUDE + CLUSTER, timeout=40)
    assert done.stdout.splitlines() == ["KeyboardInterrupt fast 0", "open True"], done.stderr


AFTERWARDS = """
def tried(sess, *ops):
    for op in ops:
        try:
            sess.run(op, options=v1.RunOptions(timeout_in_ms=20000))
            print("went well", flush=True)
        except tf.errors.OpError as error:
            words = ["Ctrl-C", "signal handler", "QueueStalled", "new session", "natural end"]
            told = str(error).rpartition("queueio: ")[2]
            print(type(error).__name__, *[w for w in words if w in told], sep=", ", flush=True)

def ended(coord=None, read=True):
    with tf.Graph().as_default():
        empty, full = pipeline()
        other = v1.FIFOQueue(3, [tf.int32], shapes=[[]])
        few = train.batch([train.range_input_producer(6, num_epochs=1).dequeue()], 2)
        with v1.Session() as sess:
            sess.run(v1.local_variables_initializer())
            threads = train.start_queue_runners(sess, coord)
            sess.run(full.dequeue())
            if read:
                for _ in range(3):
                    sess.run(few)
                tried(sess, few)
            try:
                sess.run(empty)
            except BaseException as error:
                print(type(error).__name__, flush=True)
            tried(sess, empty, full.dequeue_many(9), other.enqueue(1), few)
"""


@pytest.mark.long
def test_whoever_finds_a_queue_closed_by_an_interrupt_is_told_so(run_python):
    for coord in ("None", "train.Coordinator()"):
        done = run_python(f"{PRELUDE}{AFTERWARDS}\npress(1.5)\nended({coord})", timeout=60)
        by = "Ctrl-C, new session"
        assert done.stdout.splitlines() == [
            "OutOfRangeError, natural end",
            "KeyboardInterrupt",
            f"OutOfRangeError, {by}",
            f"OutOfRangeError, {by}",
            f"CancelledError, {by}",
            "OutOfRangeError, natural end",
        ], done.stderr


HANDLED = """
def handler(*args):
    raise ValueError

signal.signal(signal.SIGINT, handler)
press(1.5)
ended(read=False)
"""

STALLED = """
from queueio import settings
with settings.override(on_stall="raise", stall_seconds=0.5):
    ended(train.Coordinator(), read=False)
"""


@pytest.mark.long
def test_so_it_is_after_what_a_handler_raised_and_after_a_stall(run_python):
    for code, ended, by in (
        (HANDLED, "ValueError", "signal handler"),
        (STALLED, "QueueStalled", "QueueStalled"),
    ):
        done = run_python(PRELUDE + AFTERWARDS + code, timeout=60)
        told = done.stdout.splitlines()
        assert told[:2] == [ended, f"OutOfRangeError, {by}, new session"], done.stderr
        assert told[3] == f"CancelledError, {by}, new session"


JOINING = """
def nap():
    time.sleep(1)
    return 1

with tf.Graph().as_default():
    queue = v1.FIFOQueue(30, [tf.int64], shapes=[[]])
    made = queue.enqueue(v1.py_func(nap, [], tf.int64))
    train.add_queue_runner(train.QueueRunner(queue, [made]))
    with v1.Session() as sess:
        coord = train.Coordinator()
        threads = train.start_queue_runners(sess, coord)
        mine = threading.Thread(target=coord.wait_for_stop)
        mine.start()
        for wait in (threads[0].join, lambda: coord.join([*threads, mine])):
            interrupted(wait)
            print([thread.is_alive() for thread in (*threads, mine)], flush=True)
        coord.request_stop()
        coord.join([*threads, mine])
        print([t.name for t in threading.enumerate() if t in (*threads, mine)])
"""


def test_a_join_that_it_ends_forgets_no_thread(run_python):
    """The next join would return at once, and the session be closed under the thread."""
    done = run_python(PRELUDE + JOINING, timeout=60)
    still = ["KeyboardInterrupt fast 2", "[True, True, True]"]
    assert done.stdout.splitlines() == [*still, *still, "[]"], done.stderr
