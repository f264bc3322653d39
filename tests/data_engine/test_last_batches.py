"""A run is taken up where few batches are left: these come, and then the input ends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import queueio
from queueio import train
from queueio.data_engine import position

v1 = tf.compat.v1
BATCHES = 41


def build() -> tuple[Any, Any]:
    """A batch of two examples, wide enough for steps that make several, and a Saver."""
    number = train.range_input_producer(2 * BATCHES, num_epochs=1, shuffle=False).dequeue()
    wide = tf.ensure_shape(tf.fill([20_000], tf.cast(number, tf.float32)), [20_000])
    batch, _ = train.batch([number, wide], 2)
    v1.assign_add(v1.get_variable("weight", []), 1.0)
    return batch, v1.train.Saver()


def numbers_of(path: str, batches: int | None) -> list[int]:
    """What a run takes, and saves at a path; restored from it where `batches` is None."""
    found: list[int] = []
    with tf.Graph().as_default(), queueio.engine("data"):
        batch, saver = build()
        with v1.Session() as session:
            session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
            if batches is None:
                saver.restore(session, path)
            with queueio.running(session):
                try:
                    while batches is None or len(found) < 2 * batches:
                        found += session.run(batch).tolist()
                except tf.errors.OutOfRangeError:
                    return found
                saver.save(session, path)
    return found


def without_ready_batches(path: str) -> int:
    """Leaves out those that were ready, as if another thread had taken them while one saved."""
    saved = position.load(path)
    (place,) = saved.values()
    ready = [name for name in place if name.startswith("pending/")]
    for name in ready:
        del place[name]
    position.write(path, saved)
    return len({name.split("/")[1] for name in ready})


@pytest.mark.long
def test_what_is_less_than_a_step_makes_at_once_comes_and_no_epoch_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The step ended in the middle, which was taken for an input that had nothing left."""
    monkeypatch.setenv("QUEUEIO_SMALL_JOB", "0")
    path, lefts = str(tmp_path / "model"), []
    for taken in range(30, 36):
        numbers_of(path, taken)
        first = taken + without_ready_batches(path)
        if first < BATCHES:
            assert numbers_of(path, None) == list(range(2 * first, 2 * BATCHES))
            lefts.append(BATCHES - first)
    assert min(lefts) < 4


@pytest.mark.long
def test_a_run_that_begins_anew_at_its_end_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("QUEUEIO_SMALL_JOB", "0")
    path = str(tmp_path / "model")
    numbers_of(path, BATCHES - 1)
    assert without_ready_batches(path) == 1
    with caplog.at_level("WARNING", "tensorflow"):
        assert numbers_of(path, None) == list(range(2 * BATCHES))
    assert "goes on where the restored checkpoint was saved" in caplog.text
    assert "had been at the end of its data there, and begins it anew" in caplog.text
