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


def test_a_second_start_after_the_end_finds_the_queues_closed(run_python: Run) -> None:
    on_queues = twice(run_python, "queue", bad=-1, coordinated=True, initialised=True)
    assert on_queues.splitlines()[-2:] == ["[] OutOfRangeError", "CancelledError"]
    assert twice(run_python, "data", bad=-1, coordinated=True, initialised=True) == on_queues


def test_a_start_after_one_without_initialised_variables_gives_all(run_python: Run) -> None:
    """Where no coordinator has closed the queues."""
    told = twice(run_python, "queue", bad=-1, coordinated=False, initialised=False)
    assert "FailedPreconditionError" in told and "[0 1 2 3 4]" in told
    told = twice(run_python, "data", bad=-1, coordinated=False, initialised=False)
    assert told.splitlines() == ["thread FailedPreconditionError", "[0 1 2 3 4]"]


def test_a_start_after_an_error_is_refused_where_tf_data_would_lose_examples(
    run_python: Run,
) -> None:
    told = twice(run_python, "data", bad=7, coordinated=False, initialised=True)
    assert "thread InvalidArgumentError" in told and "thread CancelledError" in told
    assert told.splitlines()[-1] == "[0 1 2 3 4]"
