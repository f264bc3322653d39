"""io.WholeFileReader: a file is a record."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import io

v1 = tf.compat.v1


def test_eager_execution_is_refused(eager: None) -> None:
    with pytest.raises(RuntimeError, match="eager"):
        io.WholeFileReader()


def test_a_missing_file_is_not_found(run: Any, files: Any) -> None:
    outcome = run(io.WholeFileReader().read(files("absent.txt")))
    assert isinstance(outcome.end, tf.errors.NotFoundError)


def test_key_is_the_name_and_value_the_content(read: Any, files: Any) -> None:
    assert read(io.WholeFileReader().read(files("whole-a.txt", "empty.txt"))) == [
        (b"data/whole-a.txt", b"the whole\nof a"),
        (b"data/empty.txt", b""),
    ]


def test_read_up_to_gives_one_file_at_a_time(drain: Any, files: Any) -> None:
    steps = drain(io.WholeFileReader().read_up_to(files("whole-a.txt", "whole-b.txt"), 5))
    assert [step[0].tolist() for step in steps] == [[b"data/whole-a.txt"], [b"data/whole-b.txt"]]


def test_its_name_is_that_of_its_op() -> None:
    assert io.WholeFileReader(name="mine").reader_ref.op.name == "mine"
    assert io.WholeFileReader().reader_ref.op.type == "WholeFileReaderV2"
