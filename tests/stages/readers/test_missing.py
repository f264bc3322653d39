"""A missing file among others: what each form of a lifted reader does about it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

PROGRAM = """
import json
import tensorflow as tf
import queueio

v1 = tf.compat.v1
GZIP = v1.io.TFRecordOptions(v1.io.TFRecordCompressionType.GZIP)
READERS = {
    "lines": lambda: v1.TextLineReader(),
    "fixed": lambda: v1.FixedLengthRecordReader(2),
    "records": lambda: v1.TFRecordReader(),
    "gzip": lambda: v1.TFRecordReader(options=GZIP),
}
for name in ("first", "last"):
    for kind in ("lines", "fixed"):
        with open(f"{name}.{kind}", "w") as file:
            file.write("".join(f"{n}\\n" for n in range(3)))
    for kind in ("records", "gzip"):
        options = GZIP if kind == "gzip" else None
        with v1.python_io.TFRecordWriter(f"{name}.{kind}", options) as writer:
            for n in range(3):
                writer.write(f"{name} {n}".encode())


def read(kind, at_once):
    names = [f"first.{kind}", "gone", f"last.{kind}"]
    queue = v1.train.string_input_producer(names, num_epochs=1, shuffle=False)
    reader = READERS[kind]()
    return reader.read_up_to(queue, 2) if at_once else reader.read(queue)


def until_the_end(step):
    found = []
    for _ in range(12):
        try:
            found.append(tf.nest.map_structure(lambda part: part.tolist() if hasattr(
                part, "tolist") else part, list(step())))
        except (StopIteration, tf.errors.OutOfRangeError):
            return found + ["end"]
        except tf.errors.OpError as error:
            found.append(type(error).__name__)
    return found


def from_the_queue(kind, at_once):
    with tf.Graph().as_default(), v1.Session() as session:
        fetches = read(kind, at_once)
        session.run(v1.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = v1.train.start_queue_runners(session, coord)
        found = until_the_end(lambda: session.run(fetches))
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=10)
        return found


def from_the_dataset(kind, at_once, vectorise):
    plan = queueio.lift(lambda: read(kind, at_once))
    iterator = iter(plan.to_dataset(vectorise=vectorise))
    return until_the_end(lambda: [part.numpy() for part in next(iterator)])


told = {}
for kind in READERS:
    for at_once in (False, True):
        told[f"{kind} {at_once}"] = [from_the_queue(kind, at_once)] + [
            from_the_dataset(kind, at_once, vectorise) for vectorise in (False, True)]
print(json.dumps(told, default=bytes.decode))
"""


@pytest.mark.long
def test_a_missing_file_is_told_once_in_both_forms_and_the_next_one_is_read(
    run_python: Callable[..., Any],
) -> None:
    ended = run_python(PROGRAM, timeout=60)
    assert ended.returncode == 0, ended.stderr
    for case, (queue, each, chunks) in json.loads(ended.stdout).items():
        assert queue.count("NotFoundError") == 1 and queue[-1] == "end", case
        assert each == queue, f"{case}: one example at a time"
        assert chunks == queue, f"{case}: chunks of examples"
