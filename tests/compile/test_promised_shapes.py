"""What only the program knows the shape of is put off, shuffled and batched as all else is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import train
from tests.lift.conftest import steps_of

v1 = tf.compat.v1
COUNT = 12

# Ops that may wait until examples are in batches, where they move more bytes.
PUT_OFF: dict[str, Callable[[Any], Any]] = {
    "cast": lambda x: tf.cast(x, tf.float32),
    "scale": lambda x: tf.cast(x, tf.float32) * (1.0 / 255) - 0.5,
    "of the same type": lambda x: x[2:6],
    "another shape": lambda x: tf.reshape(x, [2, 4]),
    "one hot": lambda x: tf.one_hot(x, 3),
}


@pytest.fixture
def records(tmp_path: Path) -> str:
    path = str(tmp_path / "records.tfrecords")
    with tf.io.TFRecordWriter(path) as writer:
        for number in range(COUNT):
            writer.write(bytes(range(number, number + 8)))
    return path


@pytest.mark.parametrize("change", PUT_OFF.values(), ids=PUT_OFF)
@pytest.mark.parametrize("size", [1, 3])
def test_what_is_put_off_is_done_where_the_bytes_of_a_row_are_unknown(
    change: Callable[[Any], Any], size: int, records: str
) -> None:
    def build() -> Any:
        _, record = v1.TFRecordReader().read(train.string_input_producer([records], num_epochs=1))
        numbers = tf.io.decode_raw(record, tf.uint8)
        numbers.set_shape([8])
        changed = [change(numbers), tf.cast(numbers[0], tf.int32)]
        return train.shuffle_batch(changed, size, capacity=10, min_after_dequeue=4)

    plan = queueio.lift(build)
    expected = {
        row: _bits(change(tf.constant([*range(row, row + 8)], tf.uint8))) for row in range(COUNT)
    }
    found = [
        (int(row), _bits(value))
        for values, rows in plan.to_dataset()
        for value, row in zip(values, rows, strict=True)
    ]
    assert sorted(found) == sorted(expected.items())


@pytest.mark.parametrize("told", [[2], [None], None], ids=str)
def test_elements_of_a_queue_without_shapes_have_the_shape_that_set_shape_told(
    told: list[int | None] | None,
) -> None:
    def build() -> Any:
        number = train.range_input_producer(COUNT, num_epochs=1, shuffle=False).dequeue()
        queue = tf.queue.FIFOQueue(4, [tf.int32])
        runner = train.QueueRunner(queue, [queue.enqueue([tf.stack([number, number])])])
        train.add_queue_runner(runner)
        element = queue.dequeue()
        if told is not None:
            element.set_shape(told)
        return element

    for vectorise in (True, False):
        dataset = queueio.lift(build).to_dataset(vectorise=vectorise)
        assert repr(dataset.element_spec.shape) == repr(tf.TensorShape(told))
        assert [pair.numpy().tolist() for pair in dataset] == [[n, n] for n in range(COUNT)]


def _bits(value: Any) -> tuple[str, tuple[int, ...], bytes]:
    array = np.asarray(value)
    return str(array.dtype), array.shape, array.tobytes()


def _rows(unlike: int, keep: bool) -> Any:
    """Rows whose shape only the queue declares; those of the number `unlike` have another one."""
    number = train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    size = tf.where(tf.equal(number, unlike), [2, 2], [4, 1])
    rows = v1.placeholder_with_default(tf.reshape(tf.range(4) + 10 * number, size), None)
    told = {"enqueue_many": True, "shapes": [[1]], "allow_smaller_final_batch": True}
    if keep:
        even = v1.placeholder_with_default(tf.equal(tf.range(size[0]) % 2, 0), [None])
        return train.maybe_batch([rows], even, 3, **told)
    return train.batch([rows], 3, **told)


@pytest.mark.parametrize("keep", [False, True])
def test_rows_whose_shape_the_queue_declares_are_worked_on_together(
    keep: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = [batch.tolist() for batch in steps_of(lambda: _rows(-1, keep), 99)]
    for row_by_row in ("unbatch", "flat_map"):  # it costs five times as much
        monkeypatch.delattr(tf.data.Dataset, row_by_row)
    found = [batch.numpy().tolist() for batch in queueio.lift(lambda: _rows(-1, keep)).to_dataset()]
    assert found == expected and len(found) > 3


@pytest.mark.long
@pytest.mark.parametrize("keep", [False, True])
def test_rows_of_another_shape_than_the_queue_declares_fail_behind_whole_batches(
    keep: bool,
) -> None:
    found = []
    with pytest.raises(tf.errors.InvalidArgumentError, match="Shape mismatch"):
        list(steps_of(lambda: _rows(4, keep), 99))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[2,2\] is not compatible with"):
        for batch in queueio.lift(lambda: _rows(4, keep)).to_dataset():
            found.append(batch.numpy().tolist())
    expected = [batch.tolist() for batch in steps_of(lambda: _rows(-1, keep), 99)]
    assert found == expected[: len(found)] and len(found) == (2 if keep else 5)
