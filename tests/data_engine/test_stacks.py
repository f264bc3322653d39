"""Small batches come in stacks; nobody who takes, saves, stops or fails sees anything of that."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import train
from queueio.compile.dataset import stack_size
from queueio.lift.fetches import lift
from tests.turns import by_turns

v1 = tf.compat.v1
ROWS = 1500
CHUNK = 1024
"""Rows of a chunk of such a pipeline, at whose end a stack is smaller."""


def numbers() -> Any:
    return train.range_input_producer(ROWS, num_epochs=2, shuffle=False).dequeue()


def plain(size: int) -> Any:
    return train.batch([numbers()], size, allow_smaller_final_batch=True)


def several(size: int) -> Any:
    number = numbers()
    parts = [number, tf.stack([tf.cast(number, tf.float32), 0.5]), number % 2 > 0]
    return train.batch(parts, size, allow_smaller_final_batch=True)


def joined(size: int) -> Any:
    number = numbers()
    return train.batch_join([[number], [number]], size, allow_smaller_final_batch=True)


def shuffled(size: int) -> Any:
    return train.shuffle_batch([numbers()], size, 30, 10, allow_smaller_final_batch=True)


PIPELINES = [plain, several, joined, shuffled]


class Run:
    """One session after the other, each of which goes on where a checkpoint stood."""

    def __init__(self, build: Callable[[int], Any], size: int, path: Path) -> None:
        self.path = str(path / "model")
        self.batch = build(size)
        v1.assign_add(v1.get_variable("weight", []), 1.0)
        self.saver = v1.train.Saver()
        self.saved = self.over = False

    def session(self, steps: int | None, save: str, rest: float) -> list[list[Any]]:
        """Takes so many batches, and saves `before` or `after` the runners are stopped."""
        taken: list[list[Any]] = []
        with v1.Session() as session:
            session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
            if self.saved:
                self.saver.restore(session, self.path)
            with queueio.running(session):
                try:
                    while len(taken) != steps:
                        taken.append(self._take(session))
                except tf.errors.OutOfRangeError:
                    self.over = True
                time.sleep(rest)
                if save == "before":
                    self.saver.save(session, self.path)
            if save == "after":
                self.saver.save(session, self.path)
        self.saved = True
        return taken

    def _take(self, session: Any) -> list[Any]:
        parts = session.run(self.batch)
        parts = parts if isinstance(parts, list) else [parts]
        return list(zip(*(part.tolist() for part in parts), strict=True))


@pytest.mark.long
@pytest.mark.parametrize("seed", by_turns(range(3)))
@pytest.mark.parametrize("build", PIPELINES)
def test_runs_that_stop_and_go_on_at_any_batch_lose_repeat_and_reorder_nothing(
    build: Callable[[int], Any], seed: int, tmp_path: Path
) -> None:
    draw = random.Random(f"{build.__name__}{seed}")
    size, found = draw.choice([2, 3, 5, 7]), []
    with tf.Graph().as_default(), queueio.engine("data"):
        run = Run(build, size, tmp_path)
        for _ in range(draw.randrange(2, 5)):
            steps = draw.choice([0, 1, 5, 8, 13, CHUNK // size - draw.randrange(25)])
            found += run.session(steps, draw.choice(["before", "after"]), draw.choice([0, 0.05]))
        if not run.over:
            found += run.session(None, "after", 0)
    assert [len(batch) for batch in found] == [size] * (2 * ROWS // size) + [
        2 * ROWS % size
    ] * bool(2 * ROWS % size)
    rows = [row[0] for batch in found for row in batch]
    wanted = [*range(ROWS)] * 2
    assert sorted(rows) == sorted(wanted) and (build is shuffled or rows == wanted)


@pytest.mark.long
@pytest.mark.parametrize("seed", by_turns(range(4)))
def test_the_batches_before_an_example_that_fails_all_come_out(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    size, bad = draw.choice([1, 2, 3]), draw.randrange(300)
    lines = [f"{number},{number / 2}" for number in range(300)]
    lines[bad] = f"{bad},oops"
    file = tmp_path / "lines.csv"
    file.write_text("\n".join(lines) + "\n")
    found: list[int] = []
    with tf.Graph().as_default(), queueio.engine("data"), v1.Session() as session:
        _, line = v1.TextLineReader().read(train.string_input_producer([str(file)], num_epochs=1))
        number, half = v1.decode_csv(line, [[0], [0.0]])
        batch = train.batch([number, half], size)
        session.run(v1.local_variables_initializer())
        coordinator = train.Coordinator()
        threads = train.start_queue_runners(session, coordinator)
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                found += session.run(batch[0]).tolist()
        coordinator.request_stop()
        with pytest.raises(tf.errors.InvalidArgumentError, match="oops"):
            coordinator.join(threads)
    assert found == list(range(bad // size * size))


def test_what_is_heavy_or_slow_or_of_unknown_size_comes_batch_by_batch() -> None:
    def heavy() -> Any:
        return tf.fill([1 << 16], tf.cast(numbers(), tf.float32))

    def in_python() -> Any:
        value = v1.py_func(np.negative, [numbers()], tf.int32)
        value.set_shape([])
        return value

    def of_any_length() -> Any:
        return tf.as_string(numbers())

    def light() -> Any:
        return tf.cast(numbers(), tf.float32)

    sizes = []
    for build in (heavy, in_python, of_any_length, light):
        with tf.Graph().as_default(), queueio.engine("queue"):
            sizes.append(stack_size(lift(train.batch([build()], 2))))
    assert sizes == [1, 1, 1, 8]


@pytest.mark.parametrize(
    ("plain", "dtype"), [(tf.int8, tf.qint8), (tf.uint8, tf.quint8), (tf.int32, tf.qint32)]
)
def test_quantized_numbers_come_in_batches(plain: tf.DType, dtype: tf.DType) -> None:
    """No op of TensorFlow takes a stack of them apart."""
    with tf.Graph().as_default(), queueio.engine("data"), v1.Session() as session:
        batch = train.batch([tf.bitcast(tf.cast(numbers() % 100, plain), dtype)], 50)
        found = tf.bitcast(batch, plain)
        session.run(v1.local_variables_initializer())
        with queueio.running(session):
            taken = np.concatenate([session.run(found) for _ in range(2 * ROWS // 50)])
    assert taken.tolist() == [number % 100 for number in [*range(ROWS)] * 2]
