"""In a session too, a shuffled pipeline leaves out no more examples than its queue could hold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import queueio
from queueio import train
from tests.compile.test_small_data import BATCH, CAPACITY, LEAST, left_out

v1 = tf.compat.v1


def texts(folder: Path, count: int) -> Any:
    (folder / "a.csv").write_text("".join(f"{i},x\n" for i in range(count)))
    names = train.string_input_producer([str(folder / "a.csv")])
    line = v1.TextLineReader().read(names)[1]
    return train.shuffle_batch(tf.io.decode_csv(line, [[0], [""]]), BATCH, CAPACITY, LEAST)[0]


def numbers(folder: Path, count: int) -> Any:
    number = train.range_input_producer(count).dequeue()
    return train.shuffle_batch([number], BATCH, CAPACITY, LEAST)


def joined(folder: Path, count: int) -> Any:
    halves = [
        train.input_producer(tf.range(i, count, 2), name=f"half_{i}").dequeue() for i in range(2)
    ]
    return train.shuffle_batch_join([[half] for half in halves], BATCH, CAPACITY, LEAST)


def batches(session: Any, batch: Any) -> Iterator[Any]:
    take = session.make_callable(batch)
    while True:
        yield take()


@pytest.mark.long
@pytest.mark.parametrize("count", [50, 500, 2000])
@pytest.mark.parametrize("made", [texts, numbers, joined])
def test_epochs_of_small_data_stay_apart(made: Any, count: int, tmp_path: Path) -> None:
    with tf.Graph().as_default(), queueio.engine("data"), v1.Session() as session:
        batch = made(tmp_path, count)
        session.run(v1.local_variables_initializer())
        with queueio.running(session):
            missing = left_out(batches(session, batch), count, 4)
    assert max(missing) <= CAPACITY, missing
