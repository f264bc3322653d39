"""How a pipeline begins under the data engine, where that is out of the ordinary."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

MATCHED = """
import queueio.v1 as tf

names = tf.train.match_filenames_once("*.txt")
queue = tf.train.string_input_producer(names, num_epochs=2, shuffle=False)
key, value = tf.{reader}.read(queue)
batch = tf.train.batch([key, tf.string_to_number(value)], 2)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    try:
        while True:
            keys, numbers = sess.run(batch)
            print("got", *[key.decode() for key in keys], *map(int, numbers))
    except tf.errors.OutOfRangeError:
        print("end")
    coord.request_stop()
    coord.join(threads)
"""


@pytest.mark.long
@pytest.mark.parametrize("reader", ["TextLineReader()", "WholeFileReader()"])
def test_keys_of_files_that_a_pattern_matched_come_as_from_the_queues(
    reader: str, tmp_path: Path, run_python: Run
) -> None:
    """Their names are in a variable whose shape is not known before."""
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text(str(number))
    code = MATCHED.replace("{reader}", reader)
    runs = [run_python(code, env={"QUEUEIO_ENGINE": engine}) for engine in ("queue", "data")]
    assert [run.returncode for run in runs] == [0, 0], runs[1].stderr
    assert runs[0].stdout == runs[1].stdout
    assert len(runs[1].stdout.splitlines()) == 4


UNINITIALISED = """
import queueio.v1 as tf

queue = tf.train.string_input_producer(["lines.txt"], num_epochs=1, shuffle=False)
_, line = tf.TextLineReader().read(queue)
batch = tf.train.maybe_batch([line], tf.equal(tf.strings.length(line) % 2, 0), 3)
with tf.Session() as sess:
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    try:
        sess.run(batch)
    except tf.errors.OpError as error:
        print(type(error).__name__)
    coord.request_stop()
    try:
        coord.join(threads)
    except tf.errors.OpError as error:
        print(type(error).__name__)
"""


@pytest.mark.long
def test_maybe_batch_without_initialised_variables_fails_and_does_not_hang(
    tmp_path: Path, run_python: Run
) -> None:
    (tmp_path / "lines.txt").write_text("".join(f"{n}\n" for n in range(5000)))
    run = run_python(UNINITIALISED, env={"QUEUEIO_ENGINE": "data"})
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == ["OutOfRangeError", "FailedPreconditionError"]


AGAIN = """
import threading
import queueio.v1 as tf

number = tf.train.range_input_producer(20, num_epochs=1, shuffle=False).dequeue()
checked = tf.check_numerics(1.0 / tf.cast(number - {bad}, tf.float32), "not a number")
with tf.control_dependencies([checked]):
    number = tf.identity(number)
batch = tf.train.batch([number], 5)
threading.excepthook = lambda args: print("thread", args.exc_type.__name__)

def start(sess, coord):
    threads = tf.train.start_queue_runners(sess, coord)
    found = []
    try:
        while {coordinated}:
            found += sess.run(batch).tolist()
    except tf.errors.OpError as error:
        print(found, type(error).__name__)
    try:
        if coord:
            coord.join(threads, stop_grace_period_secs=20)
        for thread in threads:
            thread.join(20)
            if thread.is_alive():
                print("hangs")
    except Exception as error:
        print(type(error).__name__)

with tf.Session() as sess:
    for turn in range(2):
        if {initialised} or turn:
            sess.run(tf.local_variables_initializer())
        start(sess, tf.train.Coordinator() if {coordinated} else None)
    if not {coordinated}:
        print(sess.run(batch))
"""


def twice(run_python: Run, engine: str, **parts: object) -> str:
    """What is printed of two starts in one session."""
    code = AGAIN.format(**parts)
    run = run_python(code, env={"QUEUEIO_ENGINE": engine, "QUEUEIO_SMALL_JOB": "0"})
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.long
def test_a_second_start_after_the_end_finds_the_queues_closed(run_python: Run) -> None:
    on_queues = twice(run_python, "queue", bad=-1, coordinated=True, initialised=True)
    assert on_queues.splitlines()[-2:] == ["[] OutOfRangeError", "CancelledError"]
    assert twice(run_python, "data", bad=-1, coordinated=True, initialised=True) == on_queues


@pytest.mark.long
def test_a_start_after_one_without_initialised_variables_gives_all(run_python: Run) -> None:
    """Where no coordinator has closed the queues."""
    told = twice(run_python, "queue", bad=-1, coordinated=False, initialised=False)
    assert "FailedPreconditionError" in told and "[0 1 2 3 4]" in told
    told = twice(run_python, "data", bad=-1, coordinated=False, initialised=False)
    assert told.splitlines() == ["thread FailedPreconditionError", "[0 1 2 3 4]"]


@pytest.mark.long
def test_a_start_after_an_error_is_refused_where_tf_data_would_lose_examples(
    run_python: Run,
) -> None:
    told = twice(run_python, "data", bad=7, coordinated=False, initialised=True)
    assert "thread InvalidArgumentError" in told and "thread CancelledError" in told
    assert told.splitlines()[-1] == "[0 1 2 3 4]"


ENDED = """
import time
import queueio.v1 as tf

number = tf.train.range_input_producer(60, num_epochs=1, shuffle=False).dequeue()
{take}
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    found = [sess.run(taken)]
    until = time.monotonic() + 20
    while any(t.is_alive() for t in threads) and time.monotonic() < until:
        time.sleep(0.01)
    {between}
    tf.train.start_queue_runners(sess, coord)
    print(coord.should_stop())
    {after}
    try:
        while True:
            found.append(sess.run(taken))
    except tf.errors.OutOfRangeError as error:
        print(sum(map(len, found)), "natural end" in str(error))
    coord.request_stop()
    coord.join(threads)
    tf.train.start_queue_runners(sess, coord)
    print("end")
"""
BATCH = "taken = tf.train.batch([number], 10)"
OWN_QUEUE = """
queue = tf.FIFOQueue(100, tf.int32, [()])
tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(number)]))
taken = queue.dequeue_many(10)
"""
PREFETCH = """
batch = tf.train.batch([number], 10)
queue = tf.FIFOQueue(10, tf.int32, [(10,)])
tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(batch)]))
taken = queue.dequeue()
"""
LATE = """
late = tf.train.batch([tf.train.input_producer([1, 2, 3], shuffle=False).dequeue()], 4)
"""


def ended(run_python: Run, engine: str, take: str, between: str = "", after: str = "") -> list[str]:
    """What is printed of a start after the threads of the first one have ended, and one more."""
    code = ENDED.format(take=take, between=between.strip(), after=after)
    run = run_python(code, env={"QUEUEIO_ENGINE": engine, "QUEUEIO_SMALL_JOB": "0"})
    assert run.returncode == 0, run.stderr
    assert "Traceback" not in run.stderr, run.stderr
    return run.stdout.splitlines()


@pytest.mark.long
@pytest.mark.parametrize("engine", ["queue", "data"])
@pytest.mark.parametrize("take", [BATCH, OWN_QUEUE, PREFETCH], ids=["batch", "own", "prefetch"])
def test_a_second_start_after_all_was_read_leaves_what_waits_to_be_taken(
    engine: str, take: str, run_python: Run
) -> None:
    told = ended(run_python, engine, take)
    assert told == ["False", "60 True", "end"]


@pytest.mark.long
@pytest.mark.parametrize("engine", ["queue", "data"])
def test_a_second_pipeline_is_started_while_the_first_has_been_read(
    engine: str, run_python: Run
) -> None:
    told = ended(run_python, engine, BATCH, LATE, "print(sess.run(late))")
    assert told == ["False", "[1 2 3 1]", "60 True", "end"]


@pytest.mark.long
def test_an_epoch_counter_says_that_all_was_read(run_python: Run) -> None:
    asks = "print(*sess.run(tf.local_variables()))"
    assert ended(run_python, "queue", BATCH, after=asks)[1] == "1"
    assert ended(run_python, "data", BATCH, after=asks)[1] == "1"


REBUILT = """
import queueio.v1 as tf

numbers = tf.train.range_input_producer(6, num_epochs=2, shuffle=False)
if {own}:
    queue = tf.FIFOQueue(8, [tf.int32], [[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(numbers.dequeue())]))
    batch = queue.dequeue_many(4)
else:
    batch = tf.train.batch([numbers.dequeue()], 4)
runners = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
again = [tf.train.QueueRunner.from_proto(runner.to_proto()) for runner in runners]
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = [t for runner in again for t in runner.create_threads(sess, coord, start=True)]
    try:
        while True:
            print(sess.run(batch, options=tf.RunOptions(timeout_in_ms=9000)).tolist())
    except tf.errors.OutOfRangeError:
        print("end")
    coord.request_stop()
    coord.join(threads)
"""


@pytest.mark.parametrize("own", [False, True], ids=["batch", "own queue"])
@pytest.mark.parametrize("engine", ["queue", "data"])
def test_runners_made_again_of_their_protos_do_the_work_of_the_collected_ones(
    engine: str, own: bool, run_python: Run
) -> None:
    env = {"QUEUEIO_ENGINE": engine, "QUEUEIO_SMALL_JOB": "0"}
    done = run_python(REBUILT.replace("{own}", str(own)), env=env)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:4] == ["[0, 1, 2, 3]", "[4, 5, 0, 1]", "[2, 3, 4, 5]", "end"]
    assert "Warning" not in done.stderr
