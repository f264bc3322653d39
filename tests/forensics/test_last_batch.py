"""Where an op takes whole batches only, the last and smaller one is told, and no record blamed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from queueio.forensics import last_batch, locate

v1 = tf.compat.v1


@pytest.fixture
def numbers(tmp_path: Path) -> Any:
    """The numbers of a file of ten lines, in batches of six and fewer."""
    file = tmp_path / "ten.txt"
    file.write_text("".join(f"{n}\n" for n in range(10)))
    with tf.Graph().as_default():
        names = v1.train.string_input_producer([str(file)], num_epochs=1, shuffle=False)
        number = v1.string_to_number(v1.TextLineReader().read(names)[1])
        yield v1.train.batch([number], 6, allow_smaller_final_batch=True)


def failure(op: tf.Tensor) -> tuple[str | None, tf.errors.OpError]:
    """What is said of the error that a run of the op ends in, and the error."""
    with v1.Session() as session:
        session.run(v1.local_variables_initializer())
        coordinator = v1.train.Coordinator()
        threads = v1.train.start_queue_runners(session, coordinator)
        try:
            while True:
                session.run(op)
        except tf.errors.OpError as error:
            said = last_batch(error, op, session)
            assert said is None or locate(error, op, session) is None  # no record is blamed
            return said, error
        finally:
            coordinator.request_stop()
            coordinator.join(threads)


@pytest.mark.parametrize(
    "model",
    [
        lambda numbers: tf.reshape(numbers, [6, 1]),
        lambda numbers: numbers + tf.zeros([6]),
        lambda numbers: tf.concat([numbers[:, None], tf.zeros([6, 2])], 1),
    ],
)
def test_an_op_for_whole_batches_fails_on_the_last_one(numbers, model):
    said, error = failure(model(numbers))
    assert isinstance(error, tf.errors.InvalidArgumentError)
    assert said and "takes whole batches of 6 only, and the last one is smaller" in said
    assert "test_last_batch.py:" in said and "Write -1, or tf.shape(x)[0], where 6 stands" in said


def test_an_op_that_fails_on_whole_batches_too_is_another_matter(numbers):
    said, error = failure(tf.reshape(numbers, [5, 1]))
    assert "a tensor with 6 values" in error.message and said is None


def test_a_batch_that_a_record_spoils_is_another_matter(numbers):
    said, error = failure(tf.gather(tf.range(5), tf.cast(numbers, tf.int32)))  # of 0 to 4
    assert isinstance(error, tf.errors.InvalidArgumentError) and said is None


def test_the_natural_end_is_another_matter(numbers):
    said, error = failure(numbers)
    assert isinstance(error, tf.errors.OutOfRangeError) and said is None
