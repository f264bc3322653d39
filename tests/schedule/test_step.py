"""`queueio step`: any order of a script's threads, told step by step, and the same again."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import ROOT, environment, python

SOUND = Path(__file__).parent / "sound"
TWICE = """
import sys
from queueio.schedule.child import Child, Order, warm
warm()
def told(**order):
    child = Child(Order(sys.argv[1], shows=False, events=True, quiet_until=-1, **order))
    return list(child.messages())
def events(messages):
    return [m["event"] for m in messages if "event" in m]
first = told(strategy="random:7")
line = first[-1]["end"]["line"]
print(events(first) == events(told(strategy="random:7")) == events(told(strategy=line)))
print(events(first) != events(told(strategy="random:8")))
print(len(events(first)), first[-1]["end"]["end"], len(told(strategy="pct:3")) > 1)
"""


@pytest.mark.long
def test_a_seed_and_its_line_give_the_same_events_again(tmp_path: Path) -> None:
    done = python("-c", TWICE, str(SOUND / "small_pool.py"), cwd=tmp_path, timeout=200)
    assert done.stdout.splitlines()[:2] == ["True", "True"], done.stdout + done.stderr[-2000:]


WAITS = """
import tensorflow as tf, threading, time
coord = tf.train.Coordinator()
queue = tf.FIFOQueue(3, tf.int32, shapes=[[]])
enqueue = queue.enqueue(1)
sess = tf.Session()
def feed():
    while True:
        sess.run(enqueue)
feeder = threading.Thread(target=feed, name="feeder", daemon=True)
feeder.start()
def stop():
    time.sleep(3600)
    coord.request_stop()
threading.Thread(target=stop, name="stopper").start()
began = time.time()
try:
    coord.join([feeder], stop_grace_period_secs=7200)
except RuntimeError as error:
    print("after", round((time.time() - began) / 3600), "hours:", str(error).splitlines()[0])
"""
DEAD = """
import tensorflow as tf
batch = tf.train.batch([tf.train.range_input_producer(7).dequeue()], 3)
with tf.Session() as sess:
    print("before")
    sess.run(batch)
"""
OUTSIDE = """
import tensorflow as tf, threading
told = threading.Event()
value = tf.py_func(lambda: float(told.wait()), [], tf.float64)
with tf.Session() as sess:
    sess.run(value)
"""
FOREIGN = """
import _thread, time
import tensorflow as tf
one = tf.constant(1)
sess = tf.Session()
done = _thread.allocate_lock()
done.acquire()
def work():
    sess.run(one)
    done.release()
_thread.start_new_thread(work, ())
done.acquire()
"""
RUNS = """
import sys
from queueio.schedule.child import Child, Order, warm
from queueio.schedule.step import _ended
warm()
for script in sys.argv[1:]:
    for told in Child(Order(script, shows=True, strategy="random:1", budget=500)).messages():
        if "end" in told:
            print("status", _ended(told["end"]), flush=True)
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What step says of scripts that wait long or for ever, and of one that goes its own way."""
    folder = tmp_path_factory.mktemp("step")
    scripts = {"waits.py": WAITS, "dead.py": DEAD, "outside.py": OUTSIDE, "foreign.py": FOREIGN}
    for name, code in scripts.items():
        (folder / name).write_text(code)
    done = python("-c", RUNS, *scripts, cwd=folder, timeout=200)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.split("status ")


@pytest.mark.long
def test_hours_of_waiting_pass_in_a_step(told: list[str]) -> None:
    hours = "after 3 hours: Coordinator stopped with threads still running: feeder"
    assert hours in told[0]
    assert "A  goes on after join B (feeder)   waits.py:" in told[0]
    assert (
        "B  enqueue into fifo_queue [fifo_queue 2→3/3]   waits.py:9: sess.run(enqueue)" in told[0]
    )


def test_a_script_that_would_hang_ends_with_who_waits_for_what(told: list[str]) -> None:
    assert "before\n" in told[1]
    assert "DEADLOCK: nobody can go on" in told[1]
    assert "A  main: inside: batch is empty" in told[1]
    assert told[2].startswith("3\n")


def test_what_waits_inside_of_an_op_is_named(told: list[str]) -> None:
    assert "not controlled: A (main) waits inside of a session call" in told[2]
    assert "outside.py:6: sess.run(value)" in told[2]


def test_a_thread_that_nobody_controls_is_named(told: list[str]) -> None:
    assert "calls a session and was not started by threading.Thread" in told[3]


@pytest.mark.long
def test_the_command_steps_by_hand_and_back(tmp_path: Path) -> None:
    typed = "n 3\nw\nu 1\nq\nA\nB\nZ\nx\n"
    done = subprocess.run(
        [sys.executable, "-m", "queueio", "step", "--strategy", "hand", SOUND / "small_pool.py"],
        cwd=tmp_path, env=environment(PYTHONPATH=str(ROOT)), input=typed, text=True,
        capture_output=True, timeout=200, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    forth, back = done.stdout.split("1 [", 1)
    assert "    3 C  QueueRunnerThread-input_producer-close_on_stop begins" in forth
    assert "A  main: blocked: random_shuffle_queue is empty" in forth
    assert "no queue yet" in back or "random_shuffle_queue 0/9, keeps 8" in back
    assert "n [k]" in back  # nobody is called Z
    left = re.search(r"schedule: q1:[0-9a-f]{4}:(\w+)", back)
    assert left is not None and left[1] == "AB", back


NAMED = """
import tensorflow as tf
with tf.name_scope("input"):
    raw = tf.FIFOQueue(4, tf.int32, shapes=[[]], name="raw-ones")
    done = tf.FIFOQueue(4, tf.int32, shapes=[[]], name="done")
    runners = [tf.train.QueueRunner(raw, [raw.enqueue(1)])]
    runners += [tf.train.QueueRunner(done, [done.enqueue(raw.dequeue())] * 2)]
    for runner in runners:
        tf.train.add_queue_runner(runner)
    taken = done.dequeue()
with tf.Session() as sess:
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    sess.run(taken)
    coord.request_stop()
    coord.join(threads)
"""


@pytest.mark.long
def test_queues_of_one_scope_keep_their_names(tmp_path: Path) -> None:
    script = tmp_path / "named.py"
    script.write_text(NAMED)
    stepped, explored = (
        subprocess.run(
            [sys.executable, "-m", "queueio", *command, str(script)], cwd=tmp_path, text=True,
            env=environment(PYTHONPATH=str(ROOT)), capture_output=True, timeout=200, check=True,
        ).stdout
        for command in (["step"], ["explore", "--schedules", "1"])
    )  # fmt: skip

    assert "dequeue from input/raw-ones; enqueue into input/done [" in stepped
    assert "not tried: that the 2 threads of 'input/done' overtake one another" in explored


def test_a_thread_is_called_by_its_queue_though_that_has_a_hyphen() -> None:
    from queueio.schedule.plain import short_name

    begin = "QueueRunnerThread-input/raw-ones-"
    assert short_name(f"{begin}input/raw-ones_enqueue") == "runner input/raw-ones"
    assert short_name(f"{begin}close_on_stop") == "closer input/raw-ones"
    assert short_name("QueueRunnerThread-batch/fifo_queue-mine-own") == "runner batch"


TWO = """
import tensorflow as tf
def built(rows, capacity):
    with tf.Graph().as_default() as graph:
        row = tf.train.range_input_producer(rows, shuffle=False).dequeue()
        batch = tf.train.batch([row], 2, capacity=capacity)
        sess = tf.Session()
        tf.train.start_queue_runners(sess, coord)
    return sess, batch
coord = tf.train.Coordinator()
train, evaluate = built(7, 10), built(5, 4)
for sess, batch in (train, evaluate, train):
    sess.run(batch)
coord.request_stop()
for sess, _ in (train, evaluate):
    sess.close()
coord = tf.train.Coordinator()
sess, batch = built(3, 8)
sess.run(batch)
coord.request_stop()
"""


def _of_a_script(folder: Path, script: str, *command: str) -> subprocess.CompletedProcess[str]:
    """What a command of queueio's says of a script."""
    return subprocess.run(
        [sys.executable, "-m", "queueio", *command, script], cwd=folder, text=True,
        env=environment(PYTHONPATH=str(ROOT)), capture_output=True, timeout=200, check=False,
    )  # fmt: skip


@pytest.mark.long
def test_queues_of_the_same_name_in_two_open_sessions_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "two.py").write_text(TWO)
    told, explored = (
        _of_a_script(tmp_path, "two.py", *command).stdout
        for command in (["step"], ["explore", "--schedules", "1"])
    )

    assert "[batch 0→1/10]" in told and "[batch (session 2) 0→1/4]" in told
    assert "[batch 0→1/8]" in told, "the third begins when the others are closed"
    assert "not tried" not in explored, "one thread of each session fills its batch"


CHOSEN = """
import threading
import tensorflow as tf
which, row = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
queues = [tf.FIFOQueue(9, tf.int32, shapes=[[]], name=name) for name in ("train", "eval")]
taken = tf.QueueBase.from_list(which, queues).dequeue()
enqueue = queues[0].enqueue(row)
sess = tf.Session()
def feed():
    for n in range(20):
        sess.run(enqueue, {row: n})
feeder = threading.Thread(target=feed)
feeder.start()
for _ in range(20):
    sess.run(taken, {which: 0})
feeder.join()
"""


@pytest.mark.long
def test_a_queue_that_is_chosen_in_the_run_is_not_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "chosen.py").write_text(CHOSEN)
    stepped, asked = (
        _of_a_script(tmp_path, "chosen.py", *command)
        for command in (["step"], ["whatif", "--seconds", "1"])
    )

    assert "dequeue from a queue that only the run knows" in stepped.stdout
    assert "no queue to wait for" not in stepped.stdout
    assert asked.returncode == 2 and "--seconds" not in asked.stderr
    assert "what-if has to know from the graph which queue" in asked.stderr
