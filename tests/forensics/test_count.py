"""Counting the records of files, to say at the natural end what was planned."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import tensorflow as tf

from queueio import io, train
from queueio.forensics.records import count_records


def read_of(*names: str) -> tf.Operation:
    queue = train.string_input_producer(list(names), num_epochs=1, shuffle=False)
    return io.TextLineReader().read(queue)[0].op


@pytest.mark.timeout(60)
def test_a_pipe_is_not_counted_and_nothing_is_taken_out_of_it(tmp_path: Path) -> None:
    pipe, file = str(tmp_path / "pipe"), tmp_path / "file.txt"
    os.mkfifo(pipe)
    file.write_text("a\nb\n")
    with tf.Graph().as_default():
        assert count_records(read_of(str(file), pipe)) is None
        assert count_records(read_of(str(file))) == (1, 2)
