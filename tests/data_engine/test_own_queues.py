"""Queues of the program's own: tf.data fills them, or it is said why not."""

from __future__ import annotations

import json
import subprocess
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import phrasings
import pytest
import tensorflow as tf

import queueio
from queueio import io, settings, train
from queueio.data_engine import report

v1 = tf.compat.v1
RACES = ("runners_of_their_own",)
"""In TF1, too, how much of it arrives depends on the threads."""


class Names:
    """compat.v1 with queueio's train and queues."""

    train = train

    def __getattr__(self, name: str) -> Any:
        return getattr(io, name, None) or getattr(v1, name)


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, count in (("a.csv", 21), ("b.csv", 11)):
        text = "".join(f"{number},{number}.5\n" for number in range(count))
        (tmp_path / name).write_text(f"number,value\n{text}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(report, "_all", [])


def drained(name: str, engine: str) -> tuple[Counter[Any], list[str], Any]:
    """(how often each result came, the warnings, the end) of a case."""
    seen: Counter[Any] = Counter()
    with (
        warnings.catch_warnings(record=True) as caught,
        tf.Graph().as_default(),
        queueio.engine(engine),
        v1.Session() as session,
    ):
        warnings.simplefilter("always")
        fetches = phrasings.CASES[name](Names())
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        coordinator = train.Coordinator()
        threads = train.start_queue_runners(session, coordinator)
        with pytest.raises(tf.errors.OutOfRangeError) as end:
            while not coordinator.should_stop():
                seen.update(_examples(session.run(fetches), fetches))
        coordinator.request_stop()
        coordinator.join(threads)
    told = [str(w.message) for w in caught if issubclass(w.category, queueio.FallbackWarning)]
    return seen, told, end.value


def _examples(result: Any, fetches: Any) -> list[Any]:
    """The single examples in what a call gave: which of them a batch holds may be a race."""
    found: list[Any] = []
    takes = zip(result, fetches, strict=True) if isinstance(fetches, tuple) else [(result, fetches)]
    for taken, tensors in takes:
        parts = list(map(np.asarray, tf.nest.flatten(taken)))
        op = tf.nest.flatten(tensors)[0].op
        many = "Many" in op.type or "UpTo" in op.type or op.name.startswith("prefetch")
        rows = zip(*parts, strict=True) if many else [parts]
        found += [tuple(repr(np.asarray(part).tolist()) for part in row) for row in rows]
    return found


@pytest.mark.parametrize("name", [n for n in phrasings.CASES if n not in phrasings.ON_QUEUES])
def test_tf_data_fills_it_with_the_same_examples(name: str, rows: None) -> None:
    expected, _, end = drained(name, "queue")
    seen, told, same_end = drained(name, "data")
    assert not told
    assert sum(expected.values()) >= 8 and seen == expected
    assert {entry.engine for entry in report._all} == {"data"}
    # Which of two dequeues of one call comes to the end first is chance, on the queues too.
    assert same_end.op.type == end.op.type or name == "two_takes_of_one_queue"


@pytest.mark.parametrize("name", phrasings.ON_QUEUES)
def test_what_stays_on_the_queues_says_why(name: str, rows: None) -> None:
    expected, _, _ = drained(name, "queue")
    seen, told, _ = drained(name, "data")
    assert seen == expected or name in RACES
    assert len(told) == 1 and phrasings.ON_QUEUES[name] in told[0]
    (entry,) = report._all
    assert entry.engine == "queue" and phrasings.ON_QUEUES[name] in str(entry.reason)


@pytest.mark.parametrize("name", phrasings.ON_QUEUES)
def test_strict_fails_where_a_session_call_takes_from_the_queues(name: str, rows: None) -> None:
    refusals = (queueio.NotLifted, queueio.NoEquivalent)
    with settings.override(strict=True), pytest.raises(refusals):
        drained(name, "data")


SCRIPT = """
import threading
import tensorflow as tf

def finalized(number):
    with tf.Graph().as_default():
        queue = tf.FIFOQueue(5, [tf.int32], [[]], name="finalized")
        number = tf.train.range_input_producer(number, num_epochs=1).dequeue()
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(number)]))
        step = tf.train.get_or_create_global_step()
        train = tf.group(tf.assign_add(step, 1), queue.dequeue())
        with tf.train.MonitoredTrainingSession() as session:
            while not session.should_stop():
                session.run(train)

def started_alone():
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.RandomShuffleQueue(100, 10, dtypes=tf.float32, shapes=(), name="alone")
        runner = tf.train.QueueRunner(queue, [queue.enqueue(tf.constant(7.0))] * 4)
        inputs = queue.dequeue_many(5)
        coord = tf.train.Coordinator()
        threads = runner.create_threads(session, coord=coord, start=True)
        for _ in range(3):
            print("alone", session.run(inputs).tolist())
        coord.request_stop()
        coord.join(threads)

def fed():
    with tf.Graph().as_default(), tf.Session() as session:
        given = tf.placeholder(tf.float32, [None])
        queue = tf.PaddingFIFOQueue(32, [tf.float32], [(None,)], name="fed")
        put = queue.enqueue([given])
        taken = queue.dequeue_many(2)
        for length in (2, 3):
            session.run(put, {given: [1.0] * length})
        print("fed", session.run(taken).shape)

def read_directly():
    with tf.Graph().as_default(), tf.Session() as session:
        names = tf.train.string_input_producer([__file__])
        key, line = tf.TextLineReader().read(names)
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coord)
        print("read", [session.run(line) for _ in range(3)][2])
        coord.request_stop()
        coord.join(threads)

finalized(6)
started_alone()
fed()
read_directly()
"""


@pytest.mark.long
def test_the_report_has_every_queue_that_session_calls_took_from(
    tmp_path: Path, run_python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    script, told = tmp_path / "train.py", tmp_path / "report.json"
    script.write_text(SCRIPT)

    def run(*options: str) -> subprocess.CompletedProcess[str]:
        words = ["queueio", "run", "--engine", "data", *options, str(script)]
        start = "import runpy\nrunpy.run_module('queueio', run_name='__main__')\n"
        return run_python(f"import sys\nsys.argv = {words!r}\n{start}")

    done = run("--report", str(told))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        *["alone [7.0, 7.0, 7.0, 7.0, 7.0]"] * 3,
        "fed (2, 3)",
        "read b'import tensorflow as tf'",
    ]
    rows = json.loads(told.read_text())["pipelines"]
    short = [[row[key] for key in ("name", "engine", "batches", "examples")] for row in rows]
    assert short == [
        ["finalized", "data", 6, 6],
        ["alone", "data", 3, 15],
        ["fed", "queue", 1, 2],
        ["ReaderReadV2", "queue", 3, 3],
    ]
    assert "fed through this placeholder by the program" in rows[2]["reason"]
    assert "reads a record for itself" in rows[3]["reason"]
    done = run("--strict")
    assert done.returncode == 1 and "NoEquivalent" in done.stderr and "fed (" not in done.stdout


SLOW = """
import time
import tensorflow as tf

def late(number):
    time.sleep(0.2)
    if number == 6:
        raise ValueError("a bad six")
    return number

number = tf.train.range_input_producer(50, num_epochs=1, shuffle=False).dequeue()
value = tf.py_func(late, [number], tf.int32)
value.set_shape([])
queue = tf.FIFOQueue(20, [tf.int32], [[]])
tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(value)]))
taken = queue.dequeue()
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coord)
    print(session.run([taken, queue.size()])[1] < 5)
    try:
        while True:
            print(session.run(taken))
    except tf.errors.OutOfRangeError as error:
        print("PyFunc 'PyFunc' (train.py:12" in error.message)
    coord.request_stop()
    try:
        coord.join(threads)
    except tf.errors.InvalidArgumentError as error:
        print(error.op.name, "a bad six" in error.message)
"""


@pytest.mark.long
def test_slow_examples_come_one_by_one_up_to_the_one_that_fails(
    tmp_path: Path, run_python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    script = tmp_path / "train.py"
    script.write_text(SLOW)
    done = run_python(
        f"import runpy, sys\nsys.argv = ['queueio', 'run', '--engine', 'data', {str(script)!r}]\n"
        "runpy.run_module('queueio', run_name='__main__')\n"
    )
    lines = done.stdout.splitlines()
    assert lines == ["True", "1", "2", "3", "4", "5", "True", "PyFunc True"], done.stderr


def counted_queue() -> tuple[Any, Any]:
    """(a number on its way, what takes it) of a pipeline of 0 to 5."""
    number = train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    queue = io.FIFOQueue(10, [tf.int32], [[]], name="own")
    train.add_queue_runner(train.QueueRunner(queue, [queue.enqueue(number)]))
    return number, queue.dequeue_up_to(6)


def test_an_op_before_the_queue_gets_an_answer_after_the_start() -> None:
    with tf.Graph().as_default(), queueio.engine("data"), v1.Session() as session:
        number, taken = counted_queue()
        session.run(v1.local_variables_initializer())
        with queueio.running(session):
            with pytest.warns(queueio.FallbackWarning, match="read twice"):
                assert session.run(number) == 0
            assert session.run(taken).tolist() == list(range(6))


def test_what_the_program_put_in_before_the_start_is_not_lost() -> None:
    with tf.Graph().as_default(), queueio.engine("data"), v1.Session() as session:
        _, taken = counted_queue()
        session.run(v1.local_variables_initializer())
        producer, _ = v1.get_collection(v1.GraphKeys.QUEUE_RUNNERS)
        session.run(producer.enqueue_ops[0])
        with (
            queueio.running(session),
            pytest.warns(queueio.FallbackWarning, match="the program itself ran it"),
        ):
            assert session.run(taken).tolist() == list(range(6))


def test_a_second_session_of_the_graph_gets_all_of_it_again() -> None:
    with tf.Graph().as_default(), queueio.engine("data"):
        _, taken = counted_queue()
        for _ in range(2):
            with v1.Session() as session:
                session.run(v1.local_variables_initializer())
                with queueio.running(session):
                    assert session.run(taken).tolist() == list(range(6))


def test_a_queue_built_under_the_other_engine_stays_there(rows: None) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        _, taken = counted_queue()
        with queueio.engine("data"):
            session.run(v1.local_variables_initializer())
            with queueio.running(session):
                assert session.run(taken).tolist() == list(range(6))
    assert not report._all


@pytest.mark.filterwarnings("ignore::queueio.FallbackWarning")
@pytest.mark.parametrize("engine", ["queue", "data"])
def test_a_runner_of_a_queue_that_is_chosen_in_the_run_fills_it(engine: str) -> None:
    with tf.Graph().as_default(), queueio.engine(engine):
        number = train.range_input_producer(30, num_epochs=1, shuffle=False).dequeue()
        queues = [io.FIFOQueue(10, [tf.int32], [[]]) for _ in range(2)]
        chosen = v1.QueueBase.from_list(tf.constant(1), queues)
        train.add_queue_runner(train.QueueRunner(chosen, [chosen.enqueue([number])]))
        taken, found = chosen.dequeue_many(2), []
        with v1.train.MonitoredTrainingSession() as session:
            while not session.should_stop():
                found += session.run(taken).tolist()
    assert found == list(range(30))


@pytest.mark.parametrize("fed", [False, True], ids=["of a step", "of what is fed"])
def test_tokens_by_which_workers_keep_step_are_no_pipeline_that_falls_back(fed: bool) -> None:
    """As `SyncReplicasOptimizer` has them; its queue could be in another process."""
    with tf.Graph().as_default(), queueio.engine("data"), settings.override(strict=True):
        step = v1.train.get_or_create_global_step()
        token = v1.placeholder_with_default(7, []) if fed else step
        tokens = io.FIFOQueue(-1, token.dtype.base_dtype, shapes=[], shared_name="sync_token_q")
        put = tokens.enqueue_many([tf.fill([3], token)])
        token_of_mine = tokens.dequeue()
        with v1.Session() as session:
            session.run(step.initializer)
            session.run(put)
            if fed:
                with pytest.raises(queueio.NoEquivalent):
                    session.run(token_of_mine)
            else:
                assert session.run(token_of_mine) == 0
