"""What lessons say of errors and losses, as TensorFlow 1.15.5 has it."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from queueio import DataLossWarning, io, settings, train

v1 = tf.compat.v1


def rows(*counts: int) -> list[Any]:
    """The rows that one epoch of tensors of these lengths gives together."""
    tensors = [tf.range(count) for count in counts]
    columns = train.slice_input_producer(tensors, num_epochs=1, shuffle=False)
    queue = v1.get_collection(v1.GraphKeys.QUEUE_RUNNERS)[-1]
    came = []
    with v1.Session() as sess:
        sess.run(v1.local_variables_initializer())
        sess.run([queue.enqueue_ops[0]])
        sess.run(queue.close_op)
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                came.append([int(value) for value in sess.run(columns)])
    return came


def test_rows_that_a_longer_tensor_has_more_are_told_to_be_lost() -> None:
    with tf.Graph().as_default():
        with pytest.warns(DataLossWarning, match="2 of the 5 rows of tensor 1 never come") as told:
            assert rows(3, 5) == [[0, 0], [1, 1], [2, 2]]  # as TF 1.15.5
        assert told[0].filename == __file__
        with settings.override(strict=True), pytest.raises(tf.errors.DataLossError, match="2 of"):
            rows(3, 5)
        with warnings.catch_warnings():
            warnings.simplefilter("error", DataLossWarning)
            assert rows(2, 2) == [[0, 0], [1, 1]]


def test_a_pool_without_room_is_an_error_of_its_first_call() -> None:
    with tf.Graph().as_default():
        queue = io.RandomShuffleQueue(3, 5, tf.int32, shapes=[[]])
        with v1.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match="capacity"):
            sess.run(queue.size())


@pytest.mark.parametrize(
    ("reader", "saves"), [("WholeFileReader", True), ("TextLineReader", False)]
)
def test_the_reader_of_whole_files_can_save_its_state_too(
    reader: str, saves: bool, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("1\n")
    with tf.Graph().as_default():
        names = io.FIFOQueue(2, tf.string, shapes=[[]])
        made = getattr(io, reader)()
        fill, read = names.enqueue(str(tmp_path / "a.txt")), made.read(names)
        state = made.serialize_state()
        with v1.Session() as sess:
            sess.run(fill)
            sess.run(read)
            if saves:
                assert sess.run(state)
            else:
                with pytest.raises(tf.errors.UnimplementedError):
                    sess.run(state)


def test_a_capacity_of_none_is_the_error_that_it_was_and_says_what_it_is_about() -> None:
    """TF 1.15.5: ZeroDivisionError, "float division by zero", of both."""
    with tf.Graph().as_default():
        for make in (
            lambda: train.batch([tf.constant(1.0)], 2, capacity=0),
            lambda: train.string_input_producer(["a"], capacity=0),
        ):
            with pytest.raises(ZeroDivisionError, match=r"float division by zero: capacity=0"):
                make()
