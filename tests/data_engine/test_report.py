"""The JSON report of a run says which engine delivered what, also when the run fails."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import tensorflow as tf

_MODEL = "IteratorGetModelProto"
SCRIPT = """
import tensorflow as tf

numbers = tf.train.range_input_producer(10, num_epochs=1, shuffle=False).dequeue()
batch = tf.train.batch([numbers], 4, allow_smaller_final_batch=True)
other = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
fed = tf.train.batch([other], tf.placeholder_with_default(3, []), name="fed")
unused = tf.train.batch([tf.train.range_input_producer(6).dequeue()], 2, name="unused")
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    try:
        while True:
            print(session.run(batch).tolist())
    except tf.errors.OutOfRangeError:
        print(session.run(fed).tolist())
    coordinator.request_stop()
    coordinator.join(threads)
raise ValueError("the run fails")
"""

COMMAND = "import runpy\nrunpy.run_module('queueio', run_name='__main__')\n"


@pytest.mark.long
@pytest.mark.parametrize("engine", ["queue", "data"])
def test_the_report_tells_engines_apart_and_counts_what_was_pulled(
    engine: str, tmp_path: Path, run_python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    script, told = tmp_path / "train.py", tmp_path / "report.json"
    script.write_text(SCRIPT)
    done = run_python(
        f"import sys\nsys.argv = ['queueio', 'run', '--engine', '{engine}', '--report', "
        f"{str(told)!r}, {str(script)!r}]\n{COMMAND}"
    )
    assert done.stdout.split("\n")[:4] == ["[0, 1, 2, 3]", "[4, 5, 6, 7]", "[8, 9]", "[0, 1, 2]"]
    assert "ValueError: the run fails" in done.stderr
    first, second = json.loads(told.read_text())["pipelines"]
    assert (first["name"], first["engine"], first["reason"]) == ("batch", engine, None)
    assert (first["batches"], first["examples"]) == (3, 10)
    assert (second["name"], second["engine"]) == ("fed", "queue")
    assert (second["batches"], second["examples"]) == (1, 3)
    if engine == "data":
        assert "batch size" in second["reason"] and "batch size" in done.stderr


def reported_run(
    told: Path,
    script: Path,
    run_python: Callable[..., subprocess.CompletedProcess[str]],
    *options: str,
) -> subprocess.CompletedProcess[str]:
    words = ["queueio", "run", "--report", str(told), *options, str(script)]
    return run_python(f"import sys\nsys.argv = {words!r}\n{COMMAND}")


WAITING = """
import time
import tensorflow as tf

def slowly(pause):
    return lambda value: (time.sleep(pause), value)[1]

def pipeline(name, input_pause, model_pause):
    number = tf.train.range_input_producer(1000, shuffle=False).dequeue()
    number = tf.py_func(slowly(input_pause), [number], tf.int32)
    number.set_shape([])
    batch = tf.train.batch([number], 4, capacity=8, name=name)
    return tf.py_func(slowly(model_pause), [tf.reduce_sum(batch)], tf.int32)

for_input = pipeline("slow_input", 0.05, 0.0)
for_model = pipeline("slow_model", 0.0, 0.2)
with tf.Session() as session:
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    for step in (for_input, for_model):
        for _ in range(4):
            session.run(step)
        make = session.make_callable(step)
        for _ in range(2):
            make()
    coordinator.request_stop()
    coordinator.join(threads)
"""


@pytest.mark.long
@pytest.mark.parametrize("engine", ["queue", "data"])
def test_the_report_says_how_long_the_model_waited_for_its_input(
    engine: str, tmp_path: Path, run_python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    script, told = tmp_path / "train.py", tmp_path / "report.json"
    script.write_text(WAITING)
    done = reported_run(told, script, run_python, "--engine", engine)
    pipelines = {row["name"]: row for row in json.loads(told.read_text())["pipelines"]}
    shares = {name: row["waited"] / row["seconds"] for name, row in pipelines.items()}
    assert [row["batches"] for row in pipelines.values()] == [6, 6], "callables count as well"
    assert shares["slow_input"] > 0.5 > shares["slow_model"]
    for row in pipelines.values():
        assert row["told"] in done.stderr
        share = f"{row['waited'] / row['seconds']:.0%}"
        assert f"the model waited {share} of the time for input" in row["told"]


TOWERS = """
import time
import tensorflow as tf

number = tf.train.range_input_producer(1000, shuffle=False).dequeue()
number = tf.py_func(lambda value: (time.sleep(0.05), value)[1], [number], tf.int32)
number.set_shape([])
ahead = tf.FIFOQueue(1, [tf.int32], [[]], name="ahead")
tf.train.add_queue_runner(tf.train.QueueRunner(ahead, [ahead.enqueue(number)]))
towers = [ahead.dequeue() for _ in range(4)]
with tf.Session() as session:
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    for _ in range(5):
        session.run(towers)
    coordinator.request_stop()
    coordinator.join(threads)
"""


@pytest.mark.long
@pytest.mark.parametrize("engine", ["queue", "data"])
def test_the_towers_of_a_step_wait_at_once(
    engine: str, tmp_path: Path, run_python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    script, told = tmp_path / "train.py", tmp_path / "report.json"
    script.write_text(TOWERS)
    done = reported_run(told, script, run_python, "--engine", engine)
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(told.read_text())["pipelines"]
    assert row["examples"] == 20
    assert 0.5 < row["waited"] / row["seconds"] <= 1


HEAVY = """
import tensorflow as tf

NAME, WORK = "{name}", "{work}"
options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
size = 30_000 if WORK == "read" else 10
with tf.python_io.TFRecordWriter("records", options) as writer:
    for number in range(500):
        writer.write(b"%d " % number * size)
names = tf.train.string_input_producer(["records"], num_epochs=2)
_, record = tf.TFRecordReader(options=options).read(names)
number = tf.string_to_number(tf.substr(record, 0, 1))
if WORK == "decode":
    matrix = tf.reshape(tf.range(40_000.0), [200, 200]) * number
    number = tf.reduce_max(tf.matmul(matrix, matrix)) * 0.0 + number
batch = getattr(tf.train, NAME)(
    [number], 8, **(dict(capacity=60, min_after_dequeue=20) if NAME != "batch" else {{}}))
rows = []
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    try:
        while True:
            rows += session.run(batch).tolist()
    except tf.errors.OutOfRangeError:
        print(sorted(rows))
    coordinator.request_stop()
    coordinator.join(threads)
"""


@pytest.mark.long
@pytest.mark.skipif(not hasattr(tf.raw_ops, _MODEL), reason="TensorFlow 2.16 tells of no work")
@pytest.mark.parametrize(
    ("name", "work"), [("batch", "read"), ("batch", "decode"), ("shuffle_batch", "decode")]
)
def test_the_report_tells_which_work_on_the_input_takes_longest(
    name: str, work: str, tmp_path: Path,
    run_python: Callable[..., subprocess.CompletedProcess[str]],
) -> None:  # fmt: skip
    script, told = tmp_path / "train.py", tmp_path / "report.json"
    script.write_text(HEAVY.format(name=name, work=work))
    done = reported_run(told, script, run_python, "--engine", "data")
    (row,) = json.loads(told.read_text())["pipelines"]
    assert list(row["work"]) == ["read", "decode", "pool", "batch"]
    longest = max(row["work"], key=row["work"].get)
    assert longest == work
    assert row["work"][work] > sum(row["work"].values()) / 2
    assert f"{work} {row['work'][work]:.2f}" in row["told"]
    first = [int(str(number)[0]) for number in range(500)]
    assert json.loads(done.stdout) == sorted(map(float, first * 2))


@pytest.mark.long
def test_where_tensorflow_tells_of_no_work_the_data_engine_delivers_all_the_same(
    tmp_path: Path, run_python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    script, told = tmp_path / "train.py", tmp_path / "report.json"
    without = f"import sys\nvars(sys.modules[{tf.raw_ops.__name__!r}]).pop({_MODEL!r}, None)\n"
    script.write_text(without + HEAVY.format(name="batch", work="decode"))
    done = reported_run(told, script, run_python, "--engine", "data")
    (row,) = json.loads(told.read_text())["pipelines"]
    assert (row["engine"], row["work"]) == ("data", {})
    assert len(json.loads(done.stdout)) == 1000


@pytest.mark.long
def test_the_queues_tell_of_no_work(
    tmp_path: Path, run_python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    script, told = tmp_path / "train.py", tmp_path / "report.json"
    script.write_text(HEAVY.format(name="batch", work="decode"))
    reported_run(told, script, run_python)
    (row,) = json.loads(told.read_text())["pipelines"]
    assert row["work"] == {}


def test_a_run_that_fails_before_its_pipelines_has_a_report_without_any(
    tmp_path: Path, run_python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    script, told = tmp_path / "train.py", tmp_path / "report.json"
    script.write_text("raise SystemExit(3)")
    told.write_text("that of the run before")
    assert reported_run(told, script, run_python).returncode == 3
    assert json.loads(told.read_text()) == {"pipelines": []}


def test_a_report_that_cannot_be_written_is_told_before_the_script_runs(
    tmp_path: Path, run_python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    script = tmp_path / "train.py"
    script.write_text("print('trained for a week')")
    done = reported_run(tmp_path / "nowhere" / "report.json", script, run_python)
    assert done.returncode == 2 and not done.stdout
    assert "the report cannot be written" in done.stderr and "nowhere" in done.stderr


def test_strict_raises_where_the_data_engine_would_fall_back(
    tmp_path: Path, run_python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)
    done = run_python(
        f"import sys\nsys.argv = ['queueio', 'run', '--engine', 'data', '--strict', "
        f"{str(script)!r}]\n{COMMAND}"
    )
    assert done.returncode != 0 and "NotLifted" in done.stderr
    assert "[0, 1, 2, 3]" not in done.stdout


SUCCESSORS = """
import gc
import tensorflow as tf

def taken_from(graph, taking):
    with graph.as_default():
        queue = tf.FIFOQueue(100, tf.int32, [[]], name="numbers")
        filled = queue.enqueue_many([list(range(100))])
        item = tf.identity(queue.dequeue() if taking else tf.constant(1), name="item")
        with tf.Session() as session:
            session.run(filled)
            session.run(item)

for _ in range(20):
    taken_from(tf.Graph(), taking=False)
    gc.collect()
    taken_from(tf.Graph(), taking=True)
"""


@pytest.mark.long
def test_a_graph_in_the_place_of_one_that_is_gone_is_counted_for_itself(
    tmp_path: Path, run_python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    script, told = tmp_path / "train.py", tmp_path / "report.json"
    script.write_text(SUCCESSORS)
    done = reported_run(told, script, run_python)
    assert done.returncode == 0, done.stderr[-2000:]
    pipelines = json.loads(told.read_text())["pipelines"]
    assert [pipeline["batches"] for pipeline in pipelines] == [1] * 20


BRANCHES = """
import tensorflow as tf

def queue_of(first, name):
    number = tf.train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue() + first
    queue = tf.FIFOQueue(9, [tf.int32], shapes=[[]], name=name)
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(number)]))
    return queue

train, test, summed = queue_of(0, "train"), queue_of(10, "test"), queue_of(20, "summed")
training = tf.placeholder_with_default(True, [])
chosen = tf.cond(training, lambda: train.dequeue_up_to(3), lambda: test.dequeue_up_to(3))
_, total = tf.while_loop(
    lambda step, total: step < 2,
    lambda step, total: (step + 1, total + tf.reduce_sum(summed.dequeue_up_to(2))),
    [0, 0],
    parallel_iterations=1,
)
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    for choice in (True, False, True):
        print(session.run(chosen, {training: choice}).tolist())
    print(session.run(total))
    coordinator.request_stop()
    coordinator.join(threads)
"""


@pytest.mark.parametrize("engine", ["queue", "data"])
def test_what_a_branch_or_loop_takes_is_not_counted_and_comes_all_the_same(
    engine: str, tmp_path: Path, run_python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    script, told = tmp_path / "train.py", tmp_path / "report.json"
    script.write_text(BRANCHES)
    done = reported_run(told, script, run_python, "--engine", engine)
    assert done.stdout.split("\n")[:4] == ["[0, 1, 2]", "[10, 11, 12]", "[3, 4, 5]", "86"]
    pipelines = {row["name"]: row for row in json.loads(told.read_text())["pipelines"]}
    assert [pipelines[name]["examples"] for name in ("train", "test")] == [None, None]
    assert "'train'" in done.stderr and "3 calls may have taken, in a branch" in done.stderr


FED_SPARSE = """
import tensorflow as tf

number = tf.train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
sparse = tf.SparseTensor([[0]], tf.reshape(number, [1]), [1])
batch = tf.train.batch([sparse], 2)
dense = tf.sparse_tensor_to_dense(batch)
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    print(session.run(dense, {batch: tf.SparseTensorValue([[0, 0]], [7], [1, 1])}).tolist())
    print(session.run(dense).tolist())
    coordinator.request_stop()
    coordinator.join(threads)
"""


@pytest.mark.parametrize("engine", ["queue", "data"])
def test_a_sparse_batch_that_is_fed_is_neither_taken_nor_counted(
    engine: str, tmp_path: Path, run_python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    script, told = tmp_path / "train.py", tmp_path / "report.json"
    script.write_text(FED_SPARSE)
    done = reported_run(told, script, run_python, "--engine", engine)
    assert done.stdout == "[[7]]\n[[0], [1]]\n"
    (row,) = json.loads(told.read_text())["pipelines"]
    assert (row["batches"], row["examples"]) == (1, 2)


@pytest.mark.parametrize(("steps", "told"), [(20.0, False), (1.5, True), (0.0, True)])
def test_work_that_was_over_between_two_looks_is_not_called_none(steps: float, told: bool) -> None:
    """An iterator's nodes are forgotten with it: 60 images that one step decoded took 0.00 s."""
    from queueio.compile.marks import Times, model_pb2

    model = model_pb2.ModelProto(output=1)
    model.nodes[1].name, model.nodes[1].processing_time = "Prefetch", 10**9
    times = Times()
    times.steps = steps
    assert bool(times.look(model.SerializeToString())) is told
