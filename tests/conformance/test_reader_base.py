"""io.ReaderBase: what all readers share."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import io, train

v1 = tf.compat.v1


def test_eager_execution_is_refused(eager: None) -> None:
    with pytest.raises(RuntimeError, match="eager"):
        io.ReaderBase(None)


def test_a_reader_without_state_cannot_save_it(session: Any) -> None:
    reader = io.TextLineReader()
    assert not reader.supports_serialize
    with pytest.raises(tf.errors.UnimplementedError):
        session.run(reader.serialize_state())
    with pytest.raises(tf.errors.UnimplementedError):
        session.run(reader.restore_state(""))


def test_every_reader_is_one_here_and_in_tensorflow() -> None:
    readers = [io.TextLineReader(), io.TFRecordReader(), io.FixedLengthRecordReader(1)]
    readers += [io.WholeFileReader(), io.IdentityReader()]
    assert all(isinstance(reader, io.ReaderBase) for reader in readers)
    assert all(isinstance(reader, v1.ReaderBase) for reader in readers)


def test_it_counts_records_and_finished_files(session: Any, files: Any) -> None:
    reader = io.TextLineReader()
    read = reader.read(files("lines-0.txt", "lines-1.txt"))
    counts = [reader.num_records_produced(), reader.num_work_units_completed()]
    session.run(v1.local_variables_initializer())
    train.start_queue_runners(session)
    seen = []
    for _ in range(4):
        session.run(read)
        seen.append(tuple(session.run(counts)))
    assert seen == [(1, 0), (2, 0), (3, 0), (4, 1)]


def test_reset_forgets_the_file_and_the_counts(session: Any, files: Any) -> None:
    reader = io.TextLineReader()
    read, reset = reader.read(files("lines-0.txt", "lines-1.txt")), reader.reset()
    count = reader.num_records_produced()
    session.run(v1.local_variables_initializer())
    train.start_queue_runners(session)
    assert session.run(read.key) == b"data/lines-0.txt:1"
    session.run(reset)
    assert session.run(count) == 0
    assert session.run(read.key) == b"data/lines-1.txt:1"


def test_read_gives_a_named_pair_of_string_scalars(files: Any) -> None:
    read = io.TextLineReader().read(files("lines-0.txt"), name="first")
    assert read.key.op.name == "first"
    assert [(t.dtype, t.shape.as_list()) for t in read] == [(tf.string, [])] * 2


def test_read_up_to_gives_vectors_of_unknown_length(files: Any) -> None:
    read = io.TextLineReader().read_up_to(files("lines-0.txt"), 2, name="some")
    assert read[0].op.name == "some"
    assert [(t.dtype, t.shape.as_list()) for t in read] == [(tf.string, [None])] * 2


def test_the_names_may_come_from_any_queue(session: Any, data: Any) -> None:
    queue = io.RandomShuffleQueue(5, 0, [tf.string], [[]])
    key, _ = io.TextLineReader().read(queue)
    session.run(queue.enqueue("data/lines-1.txt"))
    assert session.run(key) == b"data/lines-1.txt:1"


def test_several_readers_share_a_queue_of_names(session: Any, files: Any) -> None:
    queue = files("lines-0.txt", "lines-1.txt")
    reads = [io.TextLineReader().read(queue).key for _ in range(2)]
    session.run(v1.local_variables_initializer())
    train.start_queue_runners(session)
    keys = [session.run(reads[i]) for i in (0, 1)]
    assert keys == [b"data/lines-0.txt:1", b"data/lines-1.txt:1"]
