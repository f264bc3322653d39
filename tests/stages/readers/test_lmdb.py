"""LMDBReader gives the entries of databases as TF 1.15.5 does: same keys, order and counts.

The expected sequences are what TF 1.15.5's own LMDBReader gave for the same databases.
"""

from __future__ import annotations

import builtins
import collections
import subprocess
import sys

import pytest
import tensorflow as tf

import queueio
from queueio import train
from queueio.stages.readers.lmdb import LMDBReader
from tests.loading import loaded

v1 = tf.compat.v1
ENTRIES = [(b"k10", b"v10"), (b"k2", b"v2"), (b"k1", b"v1"), (b"\x00z", b"bin"), (b"k3", b"")]


def test_without_the_package_the_error_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name == "lmdb":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with tf.Graph().as_default(), pytest.raises(tf.errors.UnimplementedError) as caught:
        LMDBReader()
    assert "pip install tf-queueio[lmdb]" in caught.value.message


@pytest.fixture
def databases(tmp_path):
    """Three databases, made in another process: LMDB files are opened once per process."""
    pytest.importorskip("lmdb", reason="the extra tf-queueio[lmdb] is not installed")
    code = f"""
import lmdb
for name, entries in (("a", {ENTRIES!r}), ("b", [(b"x", b"X"), (b"y", b"Y")]), ("empty", [])):
    with lmdb.open(name, map_size=1 << 20) as env, env.begin(write=True) as change:
        for key, value in entries:
            change.put(key, value)
"""
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, timeout=60)
    return tmp_path


class Reading:
    """A reader on a filename queue that is filled and closed, without threads."""

    def __init__(self, names, num_records=None):
        self.queue = v1.FIFOQueue(10, tf.string, name="names")
        self.fill = [self.queue.enqueue(str(name)) for name in names]
        self.reader = LMDBReader()
        if num_records is None:
            self.record = self.reader.read(self.queue)
        else:
            self.record = self.reader.read_up_to(self.queue, num_records)
        self.counts = (
            self.reader.num_records_produced(),
            self.reader.num_work_units_completed(),
        )

    def start(self, session):
        for op in self.fill:
            session.run(op)
        session.run(self.queue.close())


def test_entries_come_sorted_by_key_and_the_counts_are_tf1s(databases):
    with tf.Graph().as_default(), v1.Session() as session:
        reading = Reading([databases / "a", databases / "b"])
        reading.start(session)
        got = [session.run(reading.record) for _ in range(6)]
        assert [key for key, _ in got] == [b"\x00z", b"k1", b"k10", b"k2", b"k3", b"x"]
        assert [value for _, value in got] == [b"bin", b"v1", b"v10", b"v2", b"", b"X"]
        assert session.run(reading.counts) == (6, 1)
        session.run(reading.record)
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(reading.record)


def test_read_up_to_never_crosses_from_one_database_to_the_next(databases):
    with tf.Graph().as_default(), v1.Session() as session:
        reading = Reading([databases / "a", databases / "b"], num_records=3)
        reading.start(session)
        assert [len(session.run(reading.record).key) for _ in range(3)] == [3, 2, 2]


def test_empty_databases_are_passed_over_and_a_data_file_may_be_named(databases):
    with tf.Graph().as_default(), v1.Session() as session:
        empty = databases / "empty"
        reading = Reading([empty, empty, databases / "a" / "data.mdb"])
        reading.start(session)
        assert session.run(reading.record).key == b"\x00z"


def test_a_missing_database_is_not_found_once_and_the_next_one_is_read(databases):
    with tf.Graph().as_default(), v1.Session() as session:
        reading = Reading([databases / "nowhere", databases / "b"])
        reading.start(session)
        with pytest.raises(tf.errors.NotFoundError, match="nowhere; No such file"):
            session.run(reading.record)
        assert session.run(reading.record).key == b"x"


def test_a_file_that_is_no_database_is_named(databases):
    (databases / "notes.txt").write_text("notes")
    with tf.Graph().as_default(), v1.Session() as session:
        reading = Reading([databases / "notes.txt", databases / "b"])
        reading.start(session)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"notes.txt.*no|notes.txt.*not"):
            session.run(reading.record)
        assert session.run(reading.record).key == b"x"


def test_sessions_do_not_share_their_place_in_the_database(databases):
    with tf.Graph().as_default():
        reading = Reading([databases / "a"])
        with v1.Session() as one, v1.Session() as other:
            reading.start(one)
            reading.start(other)
            assert one.run(reading.record).key == b"\x00z"
            assert one.run(reading.record).key == b"k1"
            assert other.run(reading.record).key == b"\x00z"


def test_reset_forgets_the_database_and_the_counts(databases):
    with tf.Graph().as_default(), v1.Session() as session:
        reading = Reading([databases / "a", databases / "b"])
        reading.start(session)
        session.run(reading.record)
        session.run(reading.reader.reset())
        assert session.run(reading.counts) == (0, 0)
        assert session.run(reading.record).key == b"x"


def test_saving_the_state_is_unimplemented_as_in_tf1(databases):
    with tf.Graph().as_default(), v1.Session() as session:
        reading = Reading([databases / "a"])
        assert not reading.reader.supports_serialize
        with pytest.raises(tf.errors.UnimplementedError):
            session.run(reading.reader.serialize_state())


@pytest.mark.long
@pytest.mark.timeout(60)
def test_threads_and_readers_that_share_databases_deliver_each_entry_once(databases):
    names = [str(databases / "a"), str(databases / "b")] * 3
    with tf.Graph().as_default():
        queue = v1.train.string_input_producer(names, num_epochs=2)
        batch = v1.train.batch_join(
            [list(LMDBReader().read(queue)) for _ in range(3)], 4, allow_smaller_final_batch=True
        )
        with v1.Session() as session:
            session.run(v1.local_variables_initializer())
            coordinator = v1.train.Coordinator()
            threads = v1.train.start_queue_runners(session, coordinator)
            seen = collections.Counter()
            with pytest.raises(tf.errors.OutOfRangeError):
                while True:
                    seen.update(session.run(batch)[0].tolist())
            coordinator.request_stop()
            coordinator.join(threads)
    assert seen == dict.fromkeys([b"\x00z", b"k1", b"k10", b"k2", b"k3", b"x", b"y"], 6)


NUMBERED = [(f"{n:04}".encode(), f"v{n}".encode() * (n % 7)) for n in range(2500)]


@pytest.fixture
def large(databases):
    """A further database, of more entries than are read at a time."""
    code = f"""
import lmdb
with lmdb.open("large", map_size=1 << 24) as env, env.begin(write=True) as change:
    for n in range({len(NUMBERED)}):
        change.put(b"%04d" % n, b"v%d" % n * (n % 7))
"""
    subprocess.run([sys.executable, "-c", code], cwd=databases, check=True, timeout=60)
    return databases


def batches(folder, reader=LMDBReader, lots=0, readers=1):
    """Batches of two epochs over three databases, in order where one reader reads."""
    names = [str(folder / name) for name in ("a", "empty", "large", "b")]
    queue = train.string_input_producer(names, num_epochs=2, shuffle=False)
    made = [reader() for _ in range(readers)]
    read = [list(r.read_up_to(queue, lots) if lots else r.read(queue)) for r in made]
    options = {"enqueue_many": bool(lots), "allow_smaller_final_batch": True}
    if readers > 1:
        return train.batch_join(read, 100, **options)
    return train.batch(read[0], 100, **options)


def rows_of(steps):
    return [row for keys, values in steps for row in zip(list(keys), list(values), strict=True)]


def drained(engine, folder, **how):
    steps = []
    with tf.Graph().as_default(), queueio.engine(engine), v1.Session() as session:
        batch = batches(folder, **how)
        session.run(v1.local_variables_initializer())
        with queueio.running(session):
            try:
                while True:
                    steps.append(session.run(batch))
            except tf.errors.OutOfRangeError:
                return rows_of(steps)


def of_dataset(dataset):
    return rows_of([keys.numpy(), values.numpy()] for keys, values in dataset)


@pytest.mark.long
@pytest.mark.parametrize("lots", [0, 7])
@pytest.mark.parametrize("readers", [1, 2])
def test_every_form_of_a_pipeline_gives_the_entries_of_the_queue_engine(
    large, tmp_path, lots, readers
):
    once = [*sorted(ENTRIES), *NUMBERED, (b"x", b"X"), (b"y", b"Y")]
    plan = queueio.lift(lambda: batches(large, lots=lots, readers=readers))
    source = tmp_path / "input_fn.py"
    source.write_text(str(plan.to_source()))
    forms = [
        drained("queue", large, lots=lots, readers=readers),
        drained("data", large, lots=lots, readers=readers),
        of_dataset(plan.to_dataset()),
        of_dataset(plan.to_dataset(vectorise=False)),
        of_dataset(loaded(source).input_fn()),
    ]
    for rows in forms:
        assert collections.Counter(rows) == collections.Counter(once + once)
        assert readers > 1 or rows == once + once


def test_the_graph_that_tf1_builds_is_lifted_although_nothing_runs_it_any_more(databases):
    def build():
        queue = v1.train.string_input_producer([str(databases / "b")], num_epochs=1)
        return v1.train.batch(list(v1.LMDBReader().read(queue)), 2)

    assert of_dataset(queueio.lift(build).to_dataset()) == [(b"x", b"X"), (b"y", b"Y")]


def test_a_database_that_the_program_has_open_is_read_all_the_same(databases):
    import lmdb

    with lmdb.open(str(databases / "b"), readonly=True, lock=False) as held, held.begin() as view:
        first = next(iter(view.cursor()))
        with tf.Graph().as_default(), v1.Session() as session:
            reading = Reading([databases / "b"])
            reading.start(session)
            assert session.run(reading.record) == first
        assert len(list(view.cursor())) == 2
