"""What a program may ask of a reader, or change of a counter, besides taking a batch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import queueio
from queueio import io, settings, train

v1 = tf.compat.v1
ASKS: list[Callable[[Any], Any]] = [
    lambda reader: reader.num_records_produced(),
    lambda reader: reader.num_work_units_completed(),
    lambda reader: reader.reset(),
]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    for name in "ab":
        (tmp_path / name).write_text("".join(f"{name}{line}\n" for line in range(5)))
    return [str(tmp_path / name) for name in "ab"]


@pytest.mark.parametrize("stock", [False, True], ids=["own", "stock"])
@pytest.mark.parametrize("ask", ASKS)
def test_a_pipeline_whose_reader_is_asked_runs_on_the_queues(
    ask: Callable[[Any], Any], stock: bool, files: list[str]
) -> None:
    """Also where it is asked by an op that was made after the batch."""
    with tf.Graph().as_default(), queueio.engine("data"), v1.Session() as session:
        reader = (v1 if stock else io).TextLineReader(name="lines")
        line = reader.read(train.string_input_producer(files, 1, shuffle=False))[1]
        batch = train.batch([line], 10)
        asked = ask(reader)
        session.run(v1.local_variables_initializer())
        with pytest.warns(queueio.FallbackWarning, match="asks the reader 'lines'"):
            threads = train.start_queue_runners(session, train.Coordinator())
        assert len(session.run(batch)) == 10
        for thread in threads:
            thread.join(10)
        told = session.run(asked)
        assert told in (10, 2, None), "ten records of two files"


def test_a_reader_that_is_not_asked_is_read_by_tf_data(
    files: list[str], recwarn: pytest.WarningsRecorder
) -> None:
    override = settings.override(engine="data", strict=True)
    with tf.Graph().as_default(), override, v1.Session() as session:
        other = io.TextLineReader()
        other.num_records_produced()
        names = train.string_input_producer(files, 1, shuffle=False)
        batch = train.batch([io.TextLineReader().read(names)[1]], 10)
        session.run(v1.local_variables_initializer())
        with queueio.running(session):
            assert len(session.run(batch)) == 10
    assert not [w for w in recwarn if issubclass(w.category, queueio.FallbackWarning)]


def test_a_counter_that_the_program_counts_itself_is_told() -> None:
    """In TF1 the program then has its share of the counts, so the queues do the work."""
    with tf.Graph().as_default(), queueio.engine("data"), v1.Session() as session:
        number = train.limit_epochs(tf.constant(7), 10)
        batch = train.batch([number], 1)
        session.run(v1.local_variables_initializer())
        with pytest.warns(queueio.FallbackWarning, match="the program itself runs"):
            assert session.run(number + 0) == 7
        with queueio.running(session):
            count = 0
            with pytest.raises(tf.errors.OutOfRangeError):
                while True:
                    session.run(batch)
                    count += 1
        assert count == 9


SHARED = """
import queueio.v1 as tf
import queueio

x = tf.train.limit_epochs(tf.constant(7), num_epochs=10)
twins = tf.train.batch_join([[x, tf.constant("s")]] * 2, batch_size=1, name="twins")
counter = tf.Variable(0, collections=[tf.GraphKeys.LOCAL_VARIABLES])
number = counter.count_up_to(10)
one = tf.train.batch([number], 1, name="one")
two = tf.train.batch([number + 100], 1, name="two")

def drained(session, *batches):
    found = 0
    for batch in batches:
        try:
            while True:
                session.run(batch)
                found += 1
        except tf.errors.OutOfRangeError:
            pass
    return found

with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    with queueio.running(session):
        print(drained(session, twins), drained(session, one, two))
"""


@pytest.mark.parametrize("engine", ["queue", "data"])
def test_a_script_gets_each_count_once_however_many_share_the_counter(
    engine: str, run_python: Callable[..., Any]
) -> None:
    done = run_python(SHARED, env={"QUEUEIO_ENGINE": engine}, timeout=60)
    assert done.stdout.split() == ["10", "10"], done.stderr
    assert ("share the variable" in done.stderr) == (engine == "data")
