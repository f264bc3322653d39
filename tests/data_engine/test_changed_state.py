"""A variable or table that a pipeline reads, changed while tf.data reads it thousands ahead."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import queueio
from queueio import io, settings, train

v1 = tf.compat.v1


@contextlib.contextmanager
def data(strict: bool = True) -> Iterator[None]:
    with queueio.engine("data"), settings.override(small_job=0, strict=strict):
        yield


def scaled(folder: Path, batches: str = "batch", resource: bool = False) -> tuple[Any, Any]:
    """A variable w, 3 at first, and batches of lines, each a 1, times w; without end."""
    (folder / "ones").write_text("1\n" * 50)
    names = train.string_input_producer([str(folder / "ones")], shuffle=False)
    number = tf.strings.to_number(io.TextLineReader().read(names)[1], tf.int32)
    w = v1.Variable(3, use_resource=resource, name="w")
    if batches == "batch":
        return w, train.batch([number * w], 4, capacity=4)
    queue = tf.queue.FIFOQueue(4, [tf.int32], shapes=[[]])
    train.add_queue_runner(train.QueueRunner(queue, [queue.enqueue(number * w)]))
    return w, queue.dequeue_many(4)


@contextlib.contextmanager
def running() -> Iterator[Any]:
    with v1.Session() as session:
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        coord = train.Coordinator()
        threads = train.start_queue_runners(session, coord)
        try:
            yield session
        finally:
            coord.request_stop()
            coord.join(threads, stop_grace_period_secs=10)


def load(w: Any, session: Any, folder: Path) -> None:
    w.load(7, session)


def assign(w: Any, session: Any, folder: Path) -> None:
    session.run(v1.assign(w, 7))


def add(w: Any, session: Any, folder: Path) -> None:
    session.run([tf.no_op(), v1.assign_add(w, 4)])


def initialise(w: Any, session: Any, folder: Path) -> None:
    session.run(w.initializer, {w.initial_value: 7})


def restore(w: Any, session: Any, folder: Path) -> None:
    with tf.Graph().as_default(), v1.Session() as other:
        saved = v1.Variable(7, name="w")
        other.run(saved.initializer)
        path = v1.train.Saver([saved]).save(other, str(folder / "seven"))
    v1.train.Saver([w]).restore(session, path)


CHANGES: list[Callable[..., None]] = [load, assign, add, initialise, restore]


@pytest.mark.parametrize("resource", [False, True], ids=["ref", "resource"])
@pytest.mark.parametrize("batches", ["batch", "queue"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_that_tf_data_would_not_see_is_refused(
    change: Callable[..., None], batches: str, resource: bool, tmp_path: Path
) -> None:
    with tf.Graph().as_default(), data():
        w, batch = scaled(tmp_path, batches, resource)
        with running() as session:
            assert session.run(batch).tolist() == [3] * 4
            with pytest.raises(queueio.NotLifted, match=r"changes 'w'.*start_queue_runners"):
                change(w, session, tmp_path)
            assert session.run(w) == 3
            assert session.run(batch).tolist() == [3] * 4
        with v1.Session() as session:
            session.run(w.initializer)
            change(w, session, tmp_path)  # nobody reads it there
            assert session.run(w) == 7


@pytest.mark.filterwarnings("ignore::queueio.FallbackWarning")  # an op in the graph is told before
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_before_the_start_is_seen(change: Callable[..., None], tmp_path: Path) -> None:
    with tf.Graph().as_default(), data(strict=False):
        w, batch = scaled(tmp_path)
        with v1.Session() as session:
            session.run(w.initializer)
            change(w, session, tmp_path)
            coord = train.Coordinator()
            threads = train.start_queue_runners(session, coord)
            assert session.run(batch).tolist() == [7] * 4
            coord.request_stop()
            coord.join(threads, stop_grace_period_secs=10)
            change(w, session, tmp_path)  # nobody reads it any more


@pytest.mark.long
def test_initialising_again_with_the_same_value_is_no_change(tmp_path: Path) -> None:
    with tf.Graph().as_default(), data():
        w, batch = scaled(tmp_path)
        with running() as session:
            session.run(batch)
            session.run([w.initializer, v1.global_variables_initializer()])
            assert session.run(batch).tolist() == [3] * 4


@pytest.mark.long
def test_an_entry_put_late_into_a_table_that_the_pipeline_reads_is_refused(tmp_path: Path) -> None:
    (tmp_path / "words").write_text("a\nb\n" * 20)
    with tf.Graph().as_default(), data():
        table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1, name="words")
        names = train.string_input_producer([str(tmp_path / "words")], shuffle=False)
        batch = train.batch([table.lookup(io.TextLineReader().read(names)[1])], 2, capacity=2)
        with running() as session:
            assert session.run(batch).tolist() == [-1, -1]
            with pytest.raises(queueio.NotLifted, match="changes 'words"):
                session.run(table.insert(["a"], tf.constant([1], tf.int64)))
