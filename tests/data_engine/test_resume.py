"""A run of unchanged code that is killed goes on mid-epoch, with every example exactly once."""

from __future__ import annotations

import contextlib
import errno
import functools
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import io, train
from queueio.data_engine import position

v1 = tf.compat.v1

# The script is TF1's. It is forked, not started anew, to import and build only once.
SCRIPT = """
import os, random, signal, sys
import tensorflow as tf
import queueio
from queueio import train

v1 = tf.compat.v1
random.seed(20)
tf.get_logger().setLevel("ERROR")

def build():
    files = train.string_input_producer(["0.txt", "1.txt", "2.txt"], num_epochs=2)
    _, line = v1.TextLineReader().read(files)
    numbers = train.shuffle_batch([v1.string_to_number(line, tf.int32)], 4, 40, 10)
    seen = v1.get_variable("seen", [300], tf.int32, v1.zeros_initializer())
    with tf.control_dependencies([v1.scatter_add(seen, numbers, tf.ones_like(numbers))]):
        step = v1.assign_add(v1.train.get_or_create_global_step(), 1)
    return step, seen, v1.train.Saver(max_to_keep=2)

def script(step, seen, saver, last_step):
    with v1.Session() as session:
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        if v1.train.latest_checkpoint("saved"):
            saver.restore(session, v1.train.latest_checkpoint("saved"))
        coordinator = train.Coordinator()
        threads = train.start_queue_runners(session, coordinator)
        try:
            while True:
                at = session.run(step)
                if at % 3 == 0:
                    saver.save(session, "saved/model", at, write_meta_graph=False)
                if at >= last_step:
                    os.kill(os.getpid(), signal.SIGKILL)
        except tf.errors.OutOfRangeError:
            counts = session.run(seen)
        coordinator.request_stop()
        coordinator.join(threads)
    print(at, counts.min(), counts.max(), counts.sum(), len(os.listdir("saved")), flush=True)

last, kills = 0, 0
with tf.Graph().as_default() as graph, queueio.engine("data"):
    built = build()
    v1.global_variables_initializer(), v1.local_variables_initializer()
while True:
    last += random.randint(3, 9)
    child = os.fork()
    if child == 0:
        with graph.as_default(), queueio.engine("data"):
            script(*built, last if kills < 20 else 10**9)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if not os.WIFSIGNALED(status):
        break
    assert os.WTERMSIG(status) == signal.SIGKILL
    kills += 1
print(kills)
"""


@pytest.mark.long
def test_a_run_killed_twenty_times_delivers_every_example_once_per_epoch(
    tmp_path: Path, run_python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    for number in range(3):
        rows = range(number * 100, number * 100 + 100)
        (tmp_path / f"{number}.txt").write_text("".join(f"{row}\n" for row in rows))
    (tmp_path / "saved").mkdir()
    done = run_python(SCRIPT, timeout=280)
    assert done.stdout.split() == ["150", "2", "2", "600", done.stdout.split()[4], "20"], (
        done.stderr[-3000:]
    )


def counted(session: Any, batch: Any, steps: int | None = None) -> list[Any]:
    found: list[Any] = []
    try:
        while steps is None or len(found) < steps * 2:
            found += session.run(batch).tolist()
    except tf.errors.OutOfRangeError:
        pass
    return found


@contextlib.contextmanager
def begun(saver: Any, path: str | None) -> Iterator[Any]:
    """A session whose variables have their first values, or those saved at a path."""
    with v1.Session() as session:
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        session.run(v1.tables_initializer())
        if path is not None:
            saver.restore(session, path)
        yield session


def pipeline() -> Any:
    numbers = train.range_input_producer(30, num_epochs=1, shuffle=False).dequeue()
    return train.batch([numbers], 2)


QUICK_SAVES = """
import tensorflow as tf
import queueio
from queueio import train

v1 = tf.compat.v1

def taken(session, batch, steps):
    found = []
    try:
        while len(found) < 2 * steps:
            found += session.run(batch).tolist()
    except tf.errors.OutOfRangeError:
        pass
    return found

with tf.Graph().as_default(), queueio.engine("data"):
    numbers = train.range_input_producer(400, num_epochs=1, shuffle=False).dequeue()
    batch = train.batch([numbers], 2)
    v1.assign_add(v1.get_variable("weight", []), 1.0)
    saver = v1.train.Saver()
    start = [v1.global_variables_initializer(), v1.local_variables_initializer()]
    found = []
    with v1.Session() as session:
        session.run(start)
        with queueio.running(session):
            for steps in (1, 0, 0, 1, 3, 0, 1, 0, 9, 0):
                found += taken(session, batch, steps)
                saver.save(session, "model")
            saved_at = len(found)
            print(found + taken(session, batch, 1000) == list(range(400)))
    with v1.Session() as session:
        session.run(start)
        saver.restore(session, "model")
        with queueio.running(session):
            print(taken(session, batch, 1000) == list(range(saved_at, 400)))
"""


@pytest.mark.long
def test_saves_in_quick_succession_lose_and_reorder_nothing(
    run_python: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    done = run_python(QUICK_SAVES, timeout=60)
    assert done.stdout.split() == ["True", "True"], done.stderr[-3000:]


@pytest.mark.parametrize("steps", [0, 2, 9, 12, 15])
def test_a_restored_pipeline_goes_on_where_it_was_saved(steps: int, tmp_path: Path) -> None:
    path = str(tmp_path / "model")
    with tf.Graph().as_default(), queueio.engine("data"):
        batch = pipeline()
        v1.assign_add(v1.get_variable("weight", []), 1.0)
        saver = v1.train.Saver()
        for resumed in (False, True):
            with begun(saver, path if resumed else None) as session, queueio.running(session):
                if resumed:  # begun anew where nothing was left, as ever
                    assert counted(session, batch) == list(range(2 * steps % 30, 30))
                else:
                    assert counted(session, batch, steps) == list(range(2 * steps))
                    saver.save(session, path)
                    rest = counted(session, batch)
                    assert rest == list(range(2 * steps, 30)), "saving takes nothing away"


JOINED = """
import sys
import queueio.v1 as tf

def run(steps):
    tf.reset_default_graph()
    counts = [tf.train.range_input_producer(n, num_epochs=1, shuffle=False) for n in (8, 900, 900)]
    producers = [[counts[n].dequeue()] for n in {producers}]
    batch = tf.train.batch_join(producers, 4)
    step = tf.assign_add(tf.Variable(0), 1)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        if tf.train.latest_checkpoint("."):
            saver.restore(sess, tf.train.latest_checkpoint("."))
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        found = []
        try:
            while len(found) < steps:
                found.append(sess.run([batch, step])[0].tolist())
        except tf.errors.OutOfRangeError:
            pass
        saver.save(sess, "./model")
        coord.request_stop()
        coord.join(threads)
    return sum(found, [])

print(sorted(run(20) + run(999)) == sorted([*range(8), *range(900), *range(900)]))
"""


@pytest.mark.long
def test_joined_pipelines_of_which_one_had_ended_go_on_and_end(
    run_python: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    code = JOINED.format(producers=(0, 1, 2))
    done = run_python(code, env={"QUEUEIO_ENGINE": "data"}, timeout=60)
    assert done.stdout.split() == ["True"], done.stderr[-2000:]


def texts() -> Any:
    numbers = train.range_input_producer(300, num_epochs=1, shuffle=False).dequeue()
    length = tf.cast(numbers % 5, tf.int32)
    padded = train.batch([numbers, tf.fill([length], "text")], 2, dynamic_pad=True)
    with tf.control_dependencies([padded[1]]):
        return tf.identity(padded[0])


def many_numbers() -> Any:
    numbers = train.range_input_producer(300, num_epochs=1, shuffle=False).dequeue()
    return train.batch([numbers], 2, capacity=20)


@pytest.mark.long
@pytest.mark.parametrize("build", [many_numbers, texts])
def test_runs_that_stop_before_they_save_lose_and_repeat_nothing(
    build: Callable[[], Any], tmp_path: Path
) -> None:
    """The thread that is stopped while it waits for room has a batch in its hands."""
    path, found = str(tmp_path / "model"), []
    with tf.Graph().as_default(), queueio.engine("data"):
        batch = build()
        v1.assign_add(v1.get_variable("weight", []), 1.0)
        saver = v1.train.Saver()
        for steps in (5, 1, 0, 0, 2, 17, 40, 1, 0, 3, None):
            with begun(saver, path if found else None) as session:
                with queueio.running(session):
                    found += counted(session, batch, steps)
                    if steps in (1, 2, 40):
                        saver.save(session, path)
                    time.sleep(0.05 * (steps == 1))
                saver.save(session, path)
    assert found == list(range(300))


@pytest.mark.long
@pytest.mark.parametrize("steps", [0, 1, 20, 74])
def test_keys_of_a_restored_pipeline_go_on_where_it_was_saved(steps: int, tmp_path: Path) -> None:
    path, files = str(tmp_path / "model"), [str(tmp_path / f"{n}.txt") for n in range(3)]
    for file in files:
        Path(file).write_text("7\n" * 100)
    wanted = sorted(b"%s:%d" % (file.encode(), line) for file in files for line in range(1, 101))
    with tf.Graph().as_default(), queueio.engine("data"):
        key, line = io.TextLineReader().read(train.string_input_producer(files, num_epochs=1))
        keys, _ = train.shuffle_batch([key, v1.string_to_number(line)], 4, 60, 30)
        v1.assign_add(v1.get_variable("weight", []), 1.0)
        saver = v1.train.Saver()
        for resumed in (False, True):
            with begun(saver, path if resumed else None) as session, queueio.running(session):
                if not resumed:
                    before = [key for _ in range(steps) for key in session.run(keys).tolist()]
                    saver.save(session, path)
                assert sorted(before + counted(session, keys)) == wanted


def test_a_checkpoint_of_the_queue_engine_is_restored_from_the_start(tmp_path: Path) -> None:
    path = str(tmp_path / "model")
    for engine in ("queue", "data"):
        with tf.Graph().as_default(), queueio.engine(engine), v1.Session() as session:
            batch = pipeline()
            v1.assign_add(v1.get_variable("weight", []), 1.0)
            session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
            saver = v1.train.Saver()
            if engine == "queue":
                saver.save(session, path)
            else:
                saver.restore(session, path)
                with queueio.running(session):
                    assert counted(session, batch) == list(range(30))


ELSEWHERE = """
import sys
import queueio.v1 as tf

def run(resumed, names=("a.csv",), epochs=1, size=8, smaller=False, skip=0, factor=1, steps=None):
    tf.reset_default_graph()
    queue = tf.train.string_input_producer(list(names), num_epochs=epochs, shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=skip).read(queue)
    number = tf.decode_csv(line, [[0]])[0] * factor
    batch = tf.train.batch([number], size, allow_smaller_final_batch=smaller)
    weight = tf.Variable(0.0)
    change = tf.assign_add(weight, 1.0)
    saver = tf.train.Saver()
    found = []
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        if resumed:
            saver.restore(sess, "./model")
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        try:
            while steps is None or len(found) < steps:
                found.append(sess.run([batch, change])[0].tolist())
        except tf.errors.OutOfRangeError:
            pass
        if not resumed:
            saver.save(sess, "./model")
        coord.request_stop()
        coord.join(threads)
    return found

{body}
"""
CHANGES = {
    "another file": ("names=('b.csv',)", "it read 'a.csv', and now 'b.csv'"),
    "one file more": ("names=('a.csv', 'b.csv')", "it read 1 file, and now 2"),
    "a larger batch": ("size=16", "its batches were of 8, and are of 16"),
    "a smaller batch": ("size=4", "its batches were of 8, and are of 4"),
    "a last batch that may be smaller": ("smaller=True", "its stages, options or epochs"),
    "more epochs": ("epochs=3", "its stages, options or epochs"),
    "a header": ("skip=1", "its stages, options or epochs"),
    "other work": ("factor=2", "its stages, options or epochs"),
    "nothing": ("", ""),
}


def write_csv(folder: Path) -> None:
    for name, first in (("a", 0), ("b", 1000)):
        (folder / f"{name}.csv").write_text("".join(f"{n}\n" for n in range(first, first + 100)))


@pytest.mark.long
@pytest.mark.parametrize("change", CHANGES)
def test_a_restored_run_goes_on_only_where_the_same_input_stood(
    change: str, tmp_path: Path, run_python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """Else it begins anew, as on the queues, and says why."""
    write_csv(tmp_path)
    how, said = CHANGES[change]
    body = f"first = run(False, steps=5)\nprint(run(True, {how}) == {{expected}}run(None, {how}))"
    code = ELSEWHERE.replace("{body}", body.replace("{expected}", "" if how else "first + "))
    if not how:
        code = code.replace("run(True, ) == first + run", "first + run(True, ) == run")
    done = run_python(code, env={"QUEUEIO_ENGINE": "data"})
    assert done.stdout.split() == ["True"], done.stdout + done.stderr[-2000:]
    assert ("begins its data anew" in done.stderr) == bool(said) and said in done.stderr


@pytest.mark.long
def test_a_file_of_another_size_is_another_input(
    tmp_path: Path, run_python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    write_csv(tmp_path)
    body = "run(False, steps=5)\nopen('a.csv', 'a').write('7\\n')\nprint(run(True)[0][0])"
    done = run_python(ELSEWHERE.replace("{body}", body), env={"QUEUEIO_ENGINE": "data"})
    assert done.stdout.split() == ["0"], done.stderr[-2000:]
    assert "'a.csv' had 290 bytes, and now 292 bytes" in done.stderr


@pytest.mark.long
def test_a_run_that_took_everything_begins_anew_when_it_is_restored(
    tmp_path: Path, run_python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """A script that is started again to train on does so, as on the queues."""
    write_csv(tmp_path)
    body = "print(len(run(False)), len(run(True)))"
    for engine in ("queue", "data"):
        done = run_python(ELSEWHERE.replace("{body}", body), env={"QUEUEIO_ENGINE": engine})
        assert done.stdout.split() == ["12", "12"], done.stderr[-2000:]


FED_BY_ITSELF = """
import queue, time
import numpy as np
import queueio.v1 as tf

waiting = queue.Queue()
given = [tf.train.range_input_producer(10000, shuffle=False).dequeue()] if {given} else []
number = tf.py_func(lambda *given: np.int64(waiting.get()), given, tf.int64)
number.set_shape([])
batch = tf.train.batch([number], 2, capacity=50)
tf.assign_add(tf.Variable(0), 1)
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    for turn in range(3):
        for n in range(8):
            waiting.put(8 * turn + n)
        print([n for _ in range(4) for n in sess.run(batch).tolist()])
        began = time.monotonic()
        saver.save(sess, "./model")
        print("slow" if time.monotonic() - began > 2.5 else "soon")
    coord.request_stop()
    for _ in range(40):
        waiting.put(0)
    coord.join(threads, stop_grace_period_secs=5)
    print("joined")
"""


@pytest.mark.long
@pytest.mark.parametrize(("given", "saves"), [(False, ["soon"] * 3), (True, ["slow", "soon"])])
def test_a_save_does_not_wait_for_ever_for_a_batch_that_does_not_come(
    given: bool, saves: list[str],
    run_python: Callable[..., subprocess.CompletedProcess[str]],
) -> None:  # fmt: skip
    """What a Python function hands out is in no checkpoint; what it makes of a number may be."""
    done = run_python(FED_BY_ITSELF.format(given=given), env={"QUEUEIO_ENGINE": "data"})
    lines = done.stdout.splitlines()
    assert lines[::2][:3] == [str(list(range(n, n + 8))) for n in (0, 8, 16)], done.stderr[-2000:]
    assert lines[1::2][: len(saves)] == saves
    assert lines[-1] == "joined"
    said = "a checkpoint does not hold where pipeline 'batch' stands" in done.stderr
    assert said == given


def test_a_graph_that_is_saved_in_a_thread_does_not_change_meanwhile(tmp_path: Path) -> None:
    """A Supervisor saves while the main thread starts the runners, which adds ops of ours."""
    from queueio.runtime.diagnosis.queues import opened

    with tf.Graph().as_default() as graph, queueio.engine("data"):
        pipeline()
        v1.assign_add(v1.get_variable("weight", []), 1.0)
        saver, failed = v1.train.Saver(), []
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())

            def save() -> None:
                try:
                    with graph.as_default():
                        for _ in range(25):
                            saver.save(session, str(tmp_path / "model"))
                except Exception as error:
                    failed.append(error)

            thread = threading.Thread(target=save)
            thread.start()
            while thread.is_alive():
                with opened(graph, "late/"):
                    tf.constant(1)
            thread.join()
        assert not failed


IN_A_THREAD = """
import threading
import queueio.v1 as tf

number = tf.train.range_input_producer(10**6, num_epochs=1, shuffle=False).dequeue()
batch = tf.train.batch([number], 2)
tf.assign_add(tf.Variable(0), 1)
saver = tf.train.Saver()
found, saves, over = [], [], threading.Event()
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)

    def save():
        while not over.is_set():
            saver.save(sess, "./model", write_meta_graph=False)
            saves.append(1)

    saving = threading.Thread(target=save)
    saving.start()
    while len(found) < 4000 or len(saves) < 12:
        found += sess.run(batch).tolist()
    over.set()
    saving.join()
    coord.request_stop()
    coord.join(threads)
print(found == list(range(len(found))))
"""


@pytest.mark.long
def test_saves_in_a_thread_beside_the_training_end_and_change_nothing(
    run_python: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    """A step may take the batch that a save has just seen."""
    done = run_python(IN_A_THREAD, env={"QUEUEIO_ENGINE": "data"}, timeout=100)
    assert done.stdout.split() == ["True"], done.stderr[-2000:]


def test_a_position_that_is_no_whole_file_is_told_and_the_input_begins_anew(
    tmp_path: Path,
) -> None:
    path = str(tmp_path / "model")
    with tf.Graph().as_default(), queueio.engine("data"):
        batch = pipeline()
        v1.assign_add(v1.get_variable("weight", []), 1.0)
        saver = v1.train.Saver()
        with begun(saver, None) as session, queueio.running(session):
            counted(session, batch, 3)
            saver.save(session, path)
        Path(f"{path}.data-queue-of-ready").write_bytes(b"PK")
        with (
            pytest.warns(queueio.FallbackWarning, match="no whole file"),
            begun(saver, path) as session,
            queueio.running(session),
        ):
            assert counted(session, batch) == list(range(30))


def test_a_position_that_cannot_be_read_is_told_and_the_input_begins_anew(tmp_path: Path) -> None:
    path, build = str(tmp_path / "model"), trained(pipeline)
    for restored in (False, True):
        with tf.Graph().as_default(), queueio.engine("data"):
            batch, saver = build(), v1.train.Saver()
            says = pytest.warns(queueio.FallbackWarning, match="could not be read")
            with (
                says if restored else contextlib.nullcontext(),
                begun(saver, path if restored else None) as session,
                queueio.running(session),
            ):
                found = counted(session, batch, None if restored else 3)
                saver.save(session, path) if not restored else None
        if not restored:
            Path(f"{path}.data-queue-of-ready").unlink()
            Path(f"{path}.data-queue-of-ready").mkdir()
    assert found == list(range(30))


def full(*args: Any, **kwargs: Any) -> Any:
    """Stands for what makes temporary folders."""
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_checkpoint_is_saved_where_no_position_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk or a container without a folder for temporary files fails no training."""
    path, build = str(tmp_path / "model"), trained(pipeline)

    for restored in (False, True):
        with tf.Graph().as_default(), queueio.engine("data"):
            batch, saver = build(), v1.train.Saver()
            with (
                begun(saver, path if restored else None) as session,
                queueio.running(session),
                monkeypatch.context() as patch,
            ):
                found = counted(session, batch, None if restored else 3)
                patch.setattr(tempfile, "TemporaryDirectory", full)
                if not restored:
                    with pytest.warns(queueio.FallbackWarning, match="No space left on device"):
                        saver.save(session, path)
    assert found == list(range(30))


def test_a_position_that_is_cut_off_by_a_full_disk_is_not_left_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes room that there is none of, and no Saver deletes it."""

    def cut_off(path: str, positions: Any) -> None:
        Path(path + position.SUFFIX).write_bytes(b"PK")
        raise tf.errors.ResourceExhaustedError(None, None, "No space left on device")

    monkeypatch.setattr(position, "write", cut_off)
    with tf.Graph().as_default(), queueio.engine("data"):
        batch, saver = trained(pipeline)(), v1.train.Saver()
        with begun(saver, None) as session, queueio.running(session):
            counted(session, batch, 3)
            with pytest.warns(queueio.FallbackWarning, match="No space left on device"):
                saver.save(session, str(tmp_path / "model"))
    assert not list(tmp_path.glob("*queue*"))


@pytest.mark.long
def test_a_restore_without_room_for_temporary_files_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, build = str(tmp_path / "model"), trained(pipeline)

    with tf.Graph().as_default(), queueio.engine("data"):
        batch, saver = build(), v1.train.Saver()
        with begun(saver, None) as session, queueio.running(session):
            counted(session, batch, 3)
            saver.save(session, path)
    with tf.Graph().as_default(), queueio.engine("data"), monkeypatch.context() as patch:
        batch, saver = build(), v1.train.Saver()
        with (
            begun(saver, path) as session,
            pytest.warns(queueio.FallbackWarning, match="(?s)No space left.*TMPDIR"),
        ):
            patch.setattr(tempfile, "TemporaryDirectory", full)
            with queueio.running(session):
                assert counted(session, batch, None) == [*range(30)]


@pytest.mark.long
def test_a_checkpoint_of_the_old_format_holds_no_position_and_says_so(tmp_path: Path) -> None:
    """Nobody would delete the files of positions with such checkpoints."""
    path, build = str(tmp_path / "model"), trained(pipeline)
    for restored in (False, True):
        with tf.Graph().as_default(), queueio.engine("data"):
            batch, saver = build(), v1.train.Saver(write_version=v1.train.SaverDef.V1)
            with begun(saver, path if restored else None) as session, queueio.running(session):
                found = counted(session, batch, None if restored else 3)
                if not restored:
                    with pytest.warns(queueio.FallbackWarning, match="old format, V1"):
                        saver.save(session, path)
    assert found == list(range(30))
    assert not list(tmp_path.glob("*queue*"))


INTERRUPTED = """
import random, signal
import queueio.v1 as tf

number = tf.train.range_input_producer(3000, num_epochs=1, shuffle=False).dequeue()
batch = tf.train.batch([number], 2)
tf.assign_add(tf.Variable(0), 1)
saver = tf.train.Saver()
found, interrupted = [], 0

def interrupt(_, frame):
    if frame.f_code.co_name == "apart_from_signals":  # elsewhere TensorFlow's own locks would stay
        raise KeyboardInterrupt
    signal.setitimer(signal.ITIMER_REAL, 0.0002)

signal.signal(signal.SIGALRM, interrupt)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    for turn in range(100):
        found += sess.run(batch).tolist()
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.0005 * (1 + turn % 20))
            saver.save(sess, "./model", write_meta_graph=False)
            signal.setitimer(signal.ITIMER_REAL, 0)
        except KeyboardInterrupt:
            interrupted += 1
    try:
        while True:
            found += sess.run(batch).tolist()
    except tf.errors.OutOfRangeError:
        pass
    coord.request_stop()
    coord.join(threads)
print(found == list(range(3000)), interrupted > 5)
"""


@pytest.mark.long
def test_an_exception_out_of_a_signal_in_a_save_loses_and_reorders_nothing(
    run_python: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    done = run_python(INTERRUPTED, env={"QUEUEIO_ENGINE": "data"}, timeout=100)
    assert done.stdout.split() == ["True", "True"], done.stderr[-2000:]


def named_function(value: Any) -> Any:
    return value


FUNCTIONS = [lambda value: value + 0, lambda value: value - 0, named_function]


class Scaled:
    """A function with a number around it, which it uses, and one that it changes."""

    def __init__(self, factor: int) -> None:
        self.factor, self.calls = factor, 0

    def __call__(self, value: Any) -> Any:
        self.calls += 1
        return value + 0 * self.factor


MEAN = np.zeros(3, np.int32)


def less(value: Any, mean: Any) -> Any:
    return value - mean[0]


def less_mean(value: Any) -> Any:
    return less(value, MEAN)


def enclosing(factor: int) -> Any:
    return lambda value: value + 0 * factor


def with_mean(last: int) -> Any:
    """`less_mean` in a module that holds another mean."""

    def build() -> Any:
        MEAN[-1] = last
        return plus(less_mean)()

    return build


def plus(number: Any) -> Any:
    def build() -> Any:
        read = train.range_input_producer(30, num_epochs=1, shuffle=False).dequeue()
        function = FUNCTIONS[number] if isinstance(number, int) else number
        made = v1.py_func(function, [read], tf.int32)
        made.set_shape([])
        return train.batch([made], 2)

    return build


def in_file(*words: str) -> Any:
    """A vocabulary in a file of the working directory."""
    Path("words").write_text("\n".join(words))
    whole, number = tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
    return tf.lookup.TextFileInitializer("words", tf.string, whole, tf.int64, number)


def in_graph(*words: str) -> Any:
    """One in constants, whose table has no name that a second run would give it."""
    numbers = tf.range(len(words), dtype=tf.int64)
    return tf.lookup.KeyValueTensorInitializer(tf.constant(words), numbers)


def looked_up(*words: str, vocabulary: Callable[..., Any] = in_file) -> Any:
    """Numbers through the table of a vocabulary."""

    def build() -> Any:
        read = train.range_input_producer(30, num_epochs=1, shuffle=False).dequeue()
        table = tf.lookup.StaticHashTable(vocabulary(*words), -1)
        zero = 0 * tf.cast(table.lookup(tf.as_string(read % 3)), tf.int32)
        return train.batch([read + zero], 2)

    return build


def shifted(by: int) -> Any:
    def build() -> Any:
        read = train.range_input_producer(30, num_epochs=1, shuffle=False).dequeue()
        collections = [v1.GraphKeys.LOCAL_VARIABLES]
        shift = v1.get_variable("shift", initializer=by, trainable=False, collections=collections)
        return train.batch([read + 0 * shift], 2)

    return build


def constants(first: int) -> Any:
    def build() -> Any:
        values = np.zeros([30, 50000], np.float32)
        values[:, 0] = np.arange(first, first + 30)
        (row,) = train.slice_input_producer([tf.constant(values)], num_epochs=1, shuffle=False)
        return train.batch([tf.cast(row[0], tf.int32)], 2)

    return build


def trained(build: Callable[[], Any], more: str = "") -> Callable[[], Any]:
    """A batch, with which a variable is changed, beside which there may be one `more`."""

    def made() -> Any:
        batch = build()
        weight = v1.get_variable("weight", [])
        if more:
            v1.get_variable(more, [])
        with tf.control_dependencies([v1.assign_add(weight, 1.0)]):
            return tf.identity(batch)

    return made


def named(name: str) -> Callable[[], Any]:
    def build() -> Any:
        numbers = train.range_input_producer(30, num_epochs=1, shuffle=False).dequeue()
        return train.batch([numbers], 2, name=name)

    return build


def first_after(
    path: str, saved: Callable[[], Any], restored: Callable[[], Any], before: str = ""
) -> int:
    """The first number that a run gives that is restored where another one had taken ten.

    `before`: whether "start" comes before the restore; or whether "queues" save in between.
    """
    for build, engine in ((saved, "data"), (saved, "queue"), (restored, "data")):
        if engine == "queue" and before != "queues":
            continue
        with tf.Graph().as_default(), queueio.engine(engine):
            batch = build()
            saver = v1.train.Saver([v for v in v1.global_variables() if "weight" in v.name])
            late = build is restored and before == "start"
            with begun(saver, None) as session:
                if build is not saved and not late:
                    saver.restore(session, path)
                with queueio.running(session):
                    if late:
                        saver.restore(session, path)
                    found = counted(session, batch, 1 if build is restored else 5)
                if build is saved:
                    saver.save(session, path)
    return int(found[0])


SAME_INPUT = {
    "a python function": (plus(0), plus(0)),
    "an object that counts its calls": (plus(Scaled(2)), plus(Scaled(2))),
    "a mean of the module's": (with_mean(1), with_mean(1)),
    "a table": (looked_up("0", "1", "2"), looked_up("0", "1", "2")),
    "a table of the graph": (
        looked_up("0", "1", "2", vocabulary=in_graph),
        looked_up("0", "1", "2", vocabulary=in_graph),
    ),
    "a local variable": (shifted(1), shifted(1)),
    "constants of six megabytes": (constants(0), constants(0)),
}
OTHER_INPUT = {
    "another python function": (plus(0), plus(2), "another input stood"),
    "a changed python function": (plus(0), plus(1), "another input stood"),
    "a function around another number": (
        plus(enclosing(2)),
        plus(enclosing(3)),
        "another input stood",
    ),
    "an object with another number": (plus(Scaled(2)), plus(Scaled(3)), "another input stood"),
    "a default of another number": (
        plus(functools.partial(less, mean=(0, 1))),
        plus(functools.partial(less, mean=(0, 2))),
        "another input stood",
    ),
    "another mean of the module's": (with_mean(1), with_mean(2), "another input stood"),
    "another table": (
        looked_up("0", "1", "2"),
        looked_up("2", "0", "1"),
        "a variable or table that it reads",
    ),
    "another table of the graph": (
        looked_up("0", "1", "2", vocabulary=in_graph),
        looked_up("2", "0", "1", vocabulary=in_graph),
        "a variable or table that it reads",
    ),
    "another local variable": (shifted(1), shifted(2), "a variable or table that it reads"),
    "other constants": (constants(0), constants(30), "another input stood"),
    "a variable more": (named("a"), trained(named("a"), "new"), "had no variable 'new'"),
    "a variable less": (trained(named("a"), "old"), named("a"), "had variable 'old', which this"),
    "another name": (named("a"), named("b"), "holds where 'a' stood, not this one"),
}


@pytest.mark.long
@pytest.mark.parametrize("case", SAME_INPUT)
def test_a_run_goes_on_where_the_program_built_the_same_once_more(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Python function has another number in each process, and each graph."""
    monkeypatch.chdir(tmp_path)
    one, same = (trained(build) for build in SAME_INPUT[case])
    assert first_after(str(tmp_path / "model"), one, same) == 10


@pytest.mark.long
@pytest.mark.parametrize("case", OTHER_INPUT)
def test_a_run_says_why_it_does_not_go_on_where_the_program_was_changed(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    one, other, why = OTHER_INPUT[case]
    one, other = (b if "trained" in b.__qualname__ else trained(b) for b in (one, other))
    with pytest.warns(queueio.FallbackWarning, match="begins its data anew") as told:
        assert first_after(str(tmp_path / "model"), one, other) in (0, 30)
    assert why in str(told[0].message)


def test_a_run_that_starts_before_it_restores_is_told_that_it_does_not_go_on(
    tmp_path: Path,
) -> None:
    build, again = trained(named("a")), trained(named("a"))
    with pytest.warns(queueio.FallbackWarning, match="Call restore first, then start_queue"):
        assert first_after(str(tmp_path / "model"), build, again, "start") == 0


def test_a_position_does_not_outlive_its_checkpoint_where_queues_save_over_it(
    tmp_path: Path,
) -> None:
    build, again = trained(named("a")), trained(named("a"))
    assert first_after(str(tmp_path / "model"), build, again, "queues") == 0


@pytest.mark.long
def test_a_save_that_is_cut_off_gives_the_checkpoint_before_no_position(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That one was saved on the queues and holds none: its run begins anew, and skips nothing."""
    path, taken = str(tmp_path / "model"), []
    rename = tf.io.gfile.rename

    def cut_off(*args: Any, **kwargs: Any) -> None:
        rename(*args, **kwargs)
        raise RuntimeError("the position is written, the checkpoint is not")

    for engine in ("queue", "data", "data"):
        with tf.Graph().as_default(), queueio.engine(engine):
            batch = trained(named("a"))()
            saver = v1.train.Saver()
            with begun(saver, path if taken else None) as session, queueio.running(session):
                taken.append(counted(session, batch, 5))
                if engine == "queue":
                    saver.save(session, path)
                elif len(taken) == 2:
                    with monkeypatch.context() as patch:
                        patch.setattr(tf.io.gfile, "rename", cut_off)
                        with pytest.raises(RuntimeError, match="the checkpoint is not"):
                            saver.save(session, path)
    assert taken == [list(range(10))] * 3


@pytest.mark.long
def test_where_one_pipeline_had_ended_the_others_begin_anew_with_it(tmp_path: Path) -> None:
    """A step that takes of both would else mix the first of one with later ones of the other."""
    path, taken = str(tmp_path / "model"), []
    for run in range(2):
        with tf.Graph().as_default(), queueio.engine("data"):
            few = train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
            many = train.range_input_producer(30, num_epochs=1, shuffle=False).dequeue()
            both = [train.batch([few], 2), train.batch([many], 2)]
            with tf.control_dependencies([v1.assign_add(v1.get_variable("weight", []), 1.0)]):
                step = tf.concat(both, 0)
            saver = v1.train.Saver()
            says = pytest.warns(queueio.FallbackWarning, match="'batch' was at the end of its data")
            with (
                says if run else contextlib.nullcontext(),
                begun(saver, path if run else None) as session,
                queueio.running(session),
            ):
                with contextlib.suppress(tf.errors.OutOfRangeError):
                    while True:
                        taken.append(session.run(step).tolist())
                saver.save(session, path)
    assert taken == 2 * [[n, n + 1, n, n + 1] for n in (0, 2, 4)]


@pytest.mark.parametrize("path", ["nowhere/deeper/model", "file/model"])
def test_a_save_that_cannot_be_fails_as_it_did(path: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    told = []
    for engine in ("queue", "data"):
        with tf.Graph().as_default(), queueio.engine(engine):
            batch, saver = trained(named("a"))(), v1.train.Saver()
            with begun(saver, None) as session, queueio.running(session):
                counted(session, batch, 1)
                with pytest.raises((ValueError, tf.errors.OpError)) as failed:
                    saver.save(session, f"{tmp_path}/{path}")
                told.append((type(failed.value), str(failed.value)))
    assert told[0] == told[1]


@pytest.mark.long
def test_a_save_into_a_new_folder_holds_where_the_pipeline_stands(tmp_path: Path) -> None:
    """TensorFlow makes the folder."""
    build, again = trained(named("a")), trained(named("a"))
    assert first_after(str(tmp_path / "new" / "model"), build, again) == 10


def test_a_graph_that_changes_no_variable_reads_all_of_its_input_after_a_restore(
    tmp_path: Path,
) -> None:
    """One that evaluates may be the very graph that saved."""
    path = str(tmp_path / "model")
    for restored in (False, True):
        with tf.Graph().as_default(), queueio.engine("data"):
            batch = named("a")()
            weight = v1.get_variable("weight", [])
            saver = v1.train.Saver([weight])
            with begun(saver, path if restored else None) as session, queueio.running(session):
                found = counted(session, batch, None if restored else 5)
                saver.save(session, path)
    assert found == list(range(30))


ESTIMATOR = """
import queueio.v1 as tf

tf.logging.set_verbosity(tf.logging.ERROR)

def inputs():
    number = tf.train.range_input_producer(80, num_epochs=1, shuffle=False).dequeue()
    batch = tf.train.batch([tf.to_float(number)], 8, allow_smaller_final_batch=True)
    return {"number": batch}, batch

def model(features, labels, mode):
    weight = tf.get_variable("weight", [])
    loss = tf.reduce_mean(tf.square(features["number"] * weight - 1.0))
    train = tf.train.GradientDescentOptimizer(1e-6).minimize(loss, tf.train.get_global_step())
    mean = {"mean": tf.metrics.mean(features["number"])}
    return tf.estimator.EstimatorSpec(mode, features, loss, train, eval_metric_ops=mean)

made = tf.estimator.Estimator(model, "model")
made.train(inputs, steps=5)
print(made.evaluate(inputs)["mean"], len(list(made.predict(inputs))))
"""


@pytest.mark.long
def test_an_estimator_evaluates_and_predicts_all_of_its_input(
    run_python: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    """Its graph may hold what trains, too."""
    env = {"QUEUEIO_ENGINE": "data", "QUEUEIO_SMALL_JOB": "0"}
    done = run_python(ESTIMATOR, env=env, timeout=100)
    assert done.stdout.split() == ["39.5", "80"], done.stderr[-2000:]


def test_a_checkpoint_saved_after_an_example_failed_holds_no_position(tmp_path: Path) -> None:
    """The good ones beside it would come in no run."""
    path, fails = str(tmp_path / "model"), [25]

    def build() -> Any:
        number = train.range_input_producer(60, num_epochs=1, shuffle=False).dequeue()

        def checked(value: Any) -> Any:
            if value in fails:
                raise ValueError("a bad one")
            return value

        made = v1.py_func(checked, [number], tf.int32)
        made.set_shape([])
        return train.batch([made], 4)

    for restored in (False, True):
        with tf.Graph().as_default(), queueio.engine("data"):
            batch = trained(build)()
            saver = v1.train.Saver()
            with begun(saver, path if restored else None) as session:
                coordinator = train.Coordinator()
                threads = train.start_queue_runners(session, coordinator)
                found = counted(session, batch)
                if not restored:
                    with pytest.warns(queueio.FallbackWarning, match="an example failed"):
                        saver.save(session, path)
                coordinator.request_stop()
                with pytest.raises(tf.errors.OpError) if not restored else contextlib.nullcontext():
                    coordinator.join(threads)
        fails.clear()
    assert found == list(range(60))
