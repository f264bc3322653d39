"""io.TextLineReader: lines, without their ends."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from queueio import io, train

v1 = tf.compat.v1


def test_eager_execution_is_refused(eager: None) -> None:
    with pytest.raises(RuntimeError, match="eager"):
        io.TextLineReader()


def test_header_lines_below_zero_are_refused_where_they_are_given() -> None:
    with pytest.raises(ValueError, match="skip_header_lines must be >= 0 not -1"):
        io.TextLineReader(skip_header_lines=-1)


def test_a_missing_file_is_not_found_once_and_reading_goes_on(session: Any, files: Any) -> None:
    key, _ = io.TextLineReader().read(files("absent.txt", "lines-1.txt"))
    session.run(v1.local_variables_initializer())
    train.start_queue_runners(session)
    with pytest.raises(tf.errors.NotFoundError, match=r"absent\.txt"):
        session.run(key)
    assert session.run(key) == b"data/lines-1.txt:1"


def test_keys_count_lines_from_one(read: Any, files: Any) -> None:
    assert read(io.TextLineReader().read(files("lines-0.txt", "lines-1.txt"))) == [
        (b"data/lines-0.txt:1", b"alpha"),
        (b"data/lines-0.txt:2", b"beta"),
        (b"data/lines-0.txt:3", b"gamma"),
        (b"data/lines-1.txt:1", b"delta"),
        (b"data/lines-1.txt:2", b"epsilon"),
    ]


def test_header_lines_are_skipped_in_every_file_but_counted(read: Any, files: Any) -> None:
    reader = io.TextLineReader(skip_header_lines=1)
    assert read(reader.read(files("header.csv", "lines-1.txt"))) == [
        (b"data/header.csv:2", b"1,2"),
        (b"data/header.csv:3", b"3,4"),
        (b"data/lines-1.txt:2", b"epsilon"),
    ]


def test_an_empty_file_has_no_lines(read: Any, files: Any) -> None:
    keys = [key for key, _ in read(io.TextLineReader().read(files("empty.txt", "lines-1.txt")))]
    assert keys == [b"data/lines-1.txt:1", b"data/lines-1.txt:2"]


def test_carriage_returns_go_and_empty_lines_stay(read: Any, files: Any) -> None:
    lines = [value for _, value in read(io.TextLineReader().read(files("crlf.txt")))]
    assert lines == [b"one", b"two", b"", b"four"]


def test_read_up_to_stops_at_the_end_of_a_file(drain: Any, files: Any) -> None:
    steps = drain(io.TextLineReader().read_up_to(files("lines-0.txt", "lines-1.txt"), 2))
    assert [step[1].tolist() for step in steps] == [
        [b"alpha", b"beta"],
        [b"gamma"],
        [b"delta", b"epsilon"],
    ]


@pytest.mark.parametrize("count", [-1, np.int64(-3), pytest.param("tensor", id="a tensor")])
def test_a_negative_number_of_records_is_refused_where_the_process_died(
    count: Any, files: Any
) -> None:
    number = tf.constant(-1, tf.int64) if count == "tensor" else count
    with pytest.raises(ValueError, match=r"num_records is -\d: .*ReaderReadUpToV2 takes at most"):
        io.TextLineReader().read_up_to(files("lines-0.txt"), number)


@pytest.mark.parametrize("count", [10**15, np.int64(2**62), pytest.param("tensor", id="a tensor")])
def test_more_records_than_memory_holds_are_all_of_the_file(
    count: Any, drain: Any, files: Any
) -> None:
    number = tf.constant(10**15, tf.int64) if count == "tensor" else count
    keys, values = io.TextLineReader().read_up_to(files("lines-0.txt"), number)
    room = tf.get_static_value(values.op.inputs[2])
    # Of 24 bytes each; what does not fit takes the process along.
    assert room * 24 < os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert [step[1].tolist() for step in drain([keys, values])] == [[b"alpha", b"beta", b"gamma"]]


def test_its_name_is_that_of_its_op() -> None:
    assert io.TextLineReader(name="mine").reader_ref.op.name == "mine"
    assert io.TextLineReader().reader_ref.op.type == "TextLineReaderV2"
