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
