"""Killed runs of sessions that save by themselves go on with every example exactly once."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

# The scripts are TF1's. They are forked, not started anew, to import only once.
SCRIPT = """
import os, signal, sys
import tensorflow as tf
import queueio
from queueio import train
from queueio.data_engine import position
from tensorflow.python.training import saver as stock_saver

v1 = tf.compat.v1
tf.get_logger().setLevel("ERROR")
KILLS = ["in a step", "in the position", "after the position", "after the checkpoint"]

def build():
    files = train.string_input_producer(["0.txt", "1.txt", "2.txt"], num_epochs=2)
    _, line = v1.TextLineReader().read(files)
    number = v1.string_to_number(line, tf.int32)
    if "sparse" in sys.argv:
        one = tf.SparseTensor([[0]], number[tf.newaxis], [1])
        number, sparse = train.shuffle_batch([number, one], 4, 40, 10)
        with tf.control_dependencies([v1.assert_equal(sparse.values, number)]):
            number = tf.identity(number)
    else:
        number = train.shuffle_batch([number], 4, 40, 10)
    seen = v1.get_variable("seen", [300], tf.int32, v1.zeros_initializer())
    with tf.control_dependencies([v1.scatter_add(seen, number, tf.ones_like(number))]):
        return v1.assign_add(v1.train.get_or_create_global_step(), 1), seen

def die(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGKILL)

def kill(place, at):
    if place == "in the position":
        write = tf.io.gfile.GFile.write
        tf.io.gfile.GFile.write = lambda file, text: (write(file, text[:99]), file.flush(), die())
    elif place == "after the position":
        rename = tf.io.gfile.rename
        tf.io.gfile.rename = lambda *args, **kwargs: (rename(*args, **kwargs), die())
    elif place == "after the checkpoint":
        stock_saver.checkpoint_management.update_checkpoint_state_internal = die
    else:
        die()

def step_on(session, step, place, last):
    at = session.run(step)
    if at >= last:
        kill(place, at)
    return at

def monitored(step, seen, place, last):
    class Count(v1.train.SessionRunHook):
        def end(self, session):
            self.counts = session.run(seen)
    count = Count()
    with v1.train.MonitoredTrainingSession(
        checkpoint_dir="saved", save_checkpoint_steps=3, save_checkpoint_secs=None,
        save_summaries_steps=None, save_summaries_secs=None, log_step_count_steps=None,
        hooks=[count],
    ) as session:
        while not session.should_stop():
            step_on(session, step, place, last)
    return count.counts

def supervisor(step, seen, place, last):
    monitor = v1.train.Supervisor(logdir="saved", save_model_secs=0, save_summaries_secs=0)
    with monitor.managed_session() as session:
        try:
            while True:
                if step_on(session, step, place, last) % 3 == 0:
                    monitor.saver.save(session, monitor.save_path, monitor.global_step)
        except tf.errors.OutOfRangeError:
            return session.run(seen)

def one_name(step, seen, place, last):
    saver = v1.train.Saver()
    with v1.Session() as session:
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        if os.path.exists("saved/model.index"):
            saver.restore(session, "saved/model")
        with queueio.running(session):
            try:
                while True:
                    if step_on(session, step, place, last) % 3 == 0:
                        saver.save(session, "saved/model", write_meta_graph=False)
            except tf.errors.OutOfRangeError:
                return session.run(seen)

run = {"monitored": monitored, "supervisor": supervisor, "one_name": one_name}[sys.argv[1]]
for number in range(len(KILLS) + 1):
    child = os.fork()
    if child == 0:
        with tf.Graph().as_default(), queueio.engine("data"):
            place = KILLS[number] if number < len(KILLS) else ""
            counts = run(*build(), place, 11 * (number + 1) if place else 10**9)
        print(counts.min(), counts.max(), counts.sum(), flush=True)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    assert os.WIFSIGNALED(status) == (number < len(KILLS)), (number, status)
"""


@pytest.mark.long
@pytest.mark.parametrize("way", ["monitored", "monitored sparse", "supervisor", "one_name"])
def test_a_killed_run_delivers_every_example_once_per_epoch(
    way: str, tmp_path: Path, run_python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    for number in range(3):
        rows = range(number * 100, number * 100 + 100)
        (tmp_path / f"{number}.txt").write_text("".join(f"{row}\n" for row in rows))
    (tmp_path / "saved").mkdir()
    done = run_python(SCRIPT, *way.split(), timeout=240)
    assert done.stdout.split() == ["2", "2", "600"], done.stderr[-3000:]
