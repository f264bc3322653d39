"""Rows of a variable that leaves its shape open, as that of match_filenames_once does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import queueio
from queueio import settings, train
from queueio.stages.filenames.input_producer import Source

v1 = tf.compat.v1


def batch(names: Any) -> Any:
    _, line = v1.TextLineReader().read(train.string_input_producer(names, num_epochs=1))
    return train.batch(v1.decode_csv(line, [[0]]), 2, allow_smaller_final_batch=True)


@pytest.fixture
def pattern(tmp_path: Path) -> str:
    for n in range(3):
        (tmp_path / f"{n}.csv").write_text(f"{2 * n}\n{2 * n + 1}\n")
    return str(tmp_path / "*.csv")


@pytest.mark.usefixtures("v1_behaviour")
def test_matched_names_are_scalars_that_no_map_has_to_look_at(pattern: str) -> None:
    with tf.Graph().as_default():
        plan = queueio.lift(batch(train.match_filenames_once(pattern)))
        written = str(plan.to_source())
    assert "ensure_shape" not in written
    first = plan.root
    while not isinstance(first, Source):
        (first,) = first.inputs
    assert first.elements == (tf.TensorSpec([], tf.string),)


@pytest.mark.usefixtures("v1_behaviour")
@pytest.mark.parametrize("engine", ["data", "queue"])
def test_names_of_another_shape_out_of_a_checkpoint_are_refused(
    engine: str, pattern: str, tmp_path: Path
) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        names = v1.Variable([[str(tmp_path / "0.csv")]], name="matching_filenames")
        session.run(names.initializer)
        checkpoint = v1.train.Saver([names]).save(session, str(tmp_path / "model"))
    with tf.Graph().as_default(), settings.override(engine=engine, small_job=0):
        names = train.match_filenames_once(pattern)
        numbers = batch(names)
        saver = v1.train.Saver([names])
        with v1.Session() as session:
            session.run(v1.local_variables_initializer())
            saver.restore(session, checkpoint)
            coord = train.Coordinator()
            threads = train.start_queue_runners(session, coord)
            with pytest.raises(tf.errors.OpError):
                session.run(numbers)
            coord.request_stop()
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"hape"):
                coord.join(threads, stop_grace_period_secs=20)
