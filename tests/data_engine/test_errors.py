"""What comes before an error is delivered, the error tells where, and no call waits for ever."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import queueio
from queueio import train

v1 = tf.compat.v1
ENGINES = pytest.mark.parametrize("engine", ["queue", "data"])


def records(*names: str) -> Any:
    queue = train.string_input_producer(list(names), num_epochs=1, shuffle=False)
    return train.batch([v1.TFRecordReader().read(queue)[1]], 1)


def write(name: str, numbers: range) -> None:
    with tf.io.TFRecordWriter(name) as writer:
        for number in numbers:
            writer.write(b"%03d" % number)


def run(build: Callable[[], Any], engine: str) -> tuple[list[int], Exception]:
    """What was delivered, and what join raised."""
    found: list[int] = []
    with tf.Graph().as_default(), queueio.engine(engine), v1.Session() as session:
        batch = build()
        session.run(v1.local_variables_initializer())
        coordinator = train.Coordinator()
        threads = train.start_queue_runners(session, coordinator)
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                found += [int(number) for number in session.run(batch)]
        coordinator.request_stop()
        with pytest.raises(tf.errors.OpError) as error:
            coordinator.join(threads)
    return found, error.value


@ENGINES
@pytest.mark.parametrize("part", ["length", "content"])
def test_the_good_records_before_a_corrupt_one_are_delivered_and_it_is_named(
    part: str, engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write("good.tfr", range(4))
    write("bad.tfr", range(4, 14))
    record = 8 + 4 + 3 + 4  # length, its checksum, content, its checksum
    content = bytearray(Path("bad.tfr").read_bytes())
    content[record * 5 + {"length": 9, "content": 13}[part]] ^= 0xFF
    Path("bad.tfr").write_bytes(content)
    found, error = run(lambda: records("good.tfr", "bad.tfr"), engine)
    assert found == list(range(9))
    assert isinstance(error, tf.errors.DataLossError)
    told = "".join(str(error).split("\nqueueio: ")[1:])
    assert "bad.tfr" in told and f"{record * 5}" in told and "test_errors.py:" in told


@ENGINES
def test_a_missing_file_ends_the_run_after_what_comes_before_it(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write("here.tfr", range(3))
    write("after.tfr", range(3, 6))
    found, error = run(lambda: records("here.tfr", "gone.tfr", "after.tfr"), engine)
    assert found == [0, 1, 2]
    assert isinstance(error, tf.errors.NotFoundError) and "gone.tfr" in str(error)


def outcomes(step: Callable[[], Any]) -> list[Any]:
    """What each call gave, or the type of what it raised, up to the end."""
    found: list[Any] = []
    while len(found) < 20:
        try:
            found.append(int(step()))
        except tf.errors.OutOfRangeError:
            return found
        except tf.errors.OpError as error:
            found.append(type(error))
    return found


def test_a_missing_file_is_an_error_once_as_in_the_reader_of_tf1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write("here.tfr", range(3))
    write("after.tfr", range(3, 6))
    names = ["here.tfr", "gone.tfr", "after.tfr"]

    def value() -> Any:
        queue = v1.train.string_input_producer(names, num_epochs=1, shuffle=False)
        return v1.TFRecordReader().read(queue)[1]

    with tf.Graph().as_default(), v1.Session() as session:
        fetch = value()
        session.run(v1.local_variables_initializer())
        v1.train.start_queue_runners(session)
        by_reader = outcomes(lambda: session.run(fetch))
    dataset = iter(queueio.lift(value).to_dataset())
    by_dataset = outcomes(lambda: dataset.get_next())
    assert by_dataset == by_reader == [0, 1, 2, tf.errors.NotFoundError, 3, 4, 5]


CALLS = """
import warnings
import tensorflow as tf
import queueio
from queueio import train
from queueio.runtime import watch

v1 = tf.compat.v1
watch.install()
for started in (False, True):
    with tf.Graph().as_default(), queueio.engine("data"), v1.Session() as session:
        number = train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
        batch = train.batch([number], 2)
        session.run(v1.local_variables_initializer())
        with warnings.catch_warnings(record=True) as told, queueio.running(session):
            warnings.simplefilter("always")
            before, after = session.make_callable(number), session.make_callable(batch)
            print(*after().tolist() if started else "", before() in range(6), end=" ")
        told = [str(w.message) for w in told if issubclass(w.category, queueio.FallbackWarning)]
        print(len(told), all(name in told[0] for name in ("'batch'", "Dequeue")))
"""


@pytest.mark.long
def test_a_callable_that_reaches_before_the_batch_is_answered_as_a_session_call_is(
    tmp_path: Path, run_python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    report = tmp_path / "report.json"
    done = run_python(CALLS, timeout=60, env={"QUEUEIO_REPORT": str(report)})
    lines = done.stdout.splitlines()
    assert lines == ["True 1 True", "0 1 True 1 True"], done.stderr[-2000:]
    pipelines = json.loads(report.read_text())["pipelines"]
    (entry,) = (entry for entry in pipelines if entry["name"] == "batch")
    assert (entry["batches"], entry["examples"]) == (1, 2), "what a callable takes is counted"
