"""A shuffled pipeline never leaves out more examples than its queue could hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio

v1 = tf.compat.v1
BATCH, CAPACITY, LEAST = 10, 100, 50


def csv(folder: Path, count: int) -> Any:
    (folder / "a.csv").write_text("".join(f"{i},x\n" for i in range(count)))
    names = v1.train.string_input_producer([str(folder / "a.csv")])
    line = v1.TextLineReader().read(names)[1]
    return tf.io.decode_csv(line, [[0], [""]])[0]


def lines(folder: Path, count: int) -> Any:
    (folder / "b.txt").write_text("".join(f"{i}\n" for i in range(count)))
    names = v1.train.string_input_producer([str(folder / "b.txt")])
    return v1.TextLineReader().read(names)[1]


def tf_record(folder: Path, count: int) -> Any:
    files = []
    for part in range(2):
        files.append(str(folder / f"{part}.tfrecord"))
        with tf.io.TFRecordWriter(files[-1]) as writer:
            for i in range(part, count, 2):
                writer.write(np.int64(i).tobytes())
    record = v1.TFRecordReader().read(v1.train.string_input_producer(files))[1]
    return tf.reshape(tf.io.decode_raw(record, tf.int64), [])


def numbers(folder: Path, count: int) -> Any:
    return v1.train.range_input_producer(count, shuffle=True).dequeue()


def rows(folder: Path, count: int) -> Any:
    return v1.train.slice_input_producer([tf.range(count)])[0]


def one(value: Any) -> Any:
    return v1.train.shuffle_batch([value], BATCH, CAPACITY, LEAST)


def left_out(batches: Any, count: int, epochs: int) -> list[int]:
    """How many draws of an example are missing after each epoch's worth of them."""
    order: list[int] = []
    for batch in batches:
        order.extend(int(value) for value in batch)
        if len(order) >= epochs * count:
            break
    seen = [np.bincount(order[: k * count], minlength=count) for k in range(1, epochs + 1)]
    return [int(np.maximum(k - each, 0).sum()) for k, each in enumerate(seen, 1)]


@pytest.mark.parametrize("count", [50, 500])
@pytest.mark.parametrize("made", [csv, lines, tf_record, numbers, rows])
def test_small_epochs_stay_apart(
    made: Callable[[Path, int], Any], count: int, tmp_path: Path
) -> None:
    plan = queueio.lift(lambda: one(made(tmp_path, count)))
    missing = left_out(plan.to_dataset().as_numpy_iterator(), count, 4)
    assert max(missing) <= CAPACITY, missing


@pytest.mark.long
def test_so_do_large_ones(tmp_path: Path) -> None:
    plan = queueio.lift(lambda: one(csv(tmp_path, 100_000)))
    assert max(left_out(plan.to_dataset().as_numpy_iterator(), 100_000, 2)) <= CAPACITY


@pytest.mark.long
def test_so_do_those_of_several_producers(tmp_path: Path) -> None:
    def joined() -> Any:
        halves = [
            v1.train.input_producer(tf.range(i, 500, 2), name=f"half_{i}").dequeue()
            for i in range(2)
        ]
        return v1.train.shuffle_batch_join([[half] for half in halves], BATCH, CAPACITY, LEAST)

    missing = left_out(queueio.lift(joined).to_dataset().as_numpy_iterator(), 500, 10)
    assert max(missing) <= CAPACITY, missing
