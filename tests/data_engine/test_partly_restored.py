"""A Saver that restores a part of a model gives a new run its first values: its data begin anew."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import queueio
from queueio import train

v1 = tf.compat.v1


def build(counts: bool) -> tuple[Any, Any, Any]:
    """A batch, a step of training (of two variables with moments), and a Saver of it all."""
    number = train.range_input_producer(30, num_epochs=1, shuffle=False).dequeue()
    batch = train.batch([number], 2)
    loss = v1.get_variable("weight", []) * v1.get_variable("logits/bias", [])
    step = v1.train.get_or_create_global_step() if counts else None
    made = v1.train.MomentumOptimizer(0.1, 0.9).minimize(loss, step)
    return batch, made, v1.train.Saver()


def taken_after(path: Path, restore: Callable[[Any, str], None], counts: bool) -> list[int]:
    """The first batch of a run that restores what another one saved after ten numbers."""
    for first in (True, False):
        with tf.Graph().as_default(), queueio.engine("data"):
            batch, step, saver = build(counts)
            with v1.Session() as session:
                session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
                if not first:
                    restore(session, str(path / "model"))
                with queueio.running(session):
                    for _ in range(5 if first else 1):
                        found, _ = session.run([batch, step])
                    if first:
                        saver.save(session, str(path / "model"))
    return [int(number) for number in found]


def only(*names: str) -> Callable[[Any, str], None]:
    def restore(session: Any, path: str) -> None:
        chosen = [v for v in v1.global_variables() if not names or v.op.name in names]
        v1.train.Saver(chosen, sharded=not names).restore(session, path)

    return restore


def all_and_then(*names: str) -> Callable[[Any, str], None]:
    def restore(session: Any, path: str) -> None:
        only()(session, path)
        only(*names)(session, path)

    return restore


@pytest.mark.parametrize("counts", [True, False])
def test_a_run_that_takes_some_weights_of_another_sees_all_of_its_data(
    counts: bool, tmp_path: Path
) -> None:
    """TF1's queues begin anew in each run; to skip here what another run saw would lose it."""
    assert taken_after(tmp_path, only("weight"), counts) == [0, 1]


@pytest.mark.long
@pytest.mark.parametrize(
    "restore",
    [only(), only("weight", "logits/bias", "global_step"), all_and_then("weight")],
    ids=["all", "without moments", "all, and some again"],
)
def test_a_run_that_restores_its_step_or_all_goes_on_where_it_stood(
    restore: Callable[[Any, str], None], tmp_path: Path
) -> None:
    assert taken_after(tmp_path, restore, counts=True) == [10, 11]


@pytest.mark.long
def test_without_a_global_step_all_variables_are_the_run(tmp_path: Path) -> None:
    assert taken_after(tmp_path, only(), counts=False) == [10, 11]


def test_a_checkpoint_without_a_position_takes_the_place_of_one_with(tmp_path: Path) -> None:
    """A program that falls back to an earlier checkpoint would begin late in its data."""

    def first_one_then_the_other(session: Any, path: str) -> None:
        v1.train.Saver().save(session, f"{path}-before")
        only()(session, path)
        only()(session, f"{path}-before")

    assert taken_after(tmp_path, first_one_then_the_other, counts=True) == [0, 1]


@pytest.mark.long
def test_the_position_has_the_name_of_a_checkpoint_with_a_padded_step(tmp_path: Path) -> None:
    def padded(session: Any, path: str) -> None:
        only()(session, path)
        saver = v1.train.Saver(pad_step_number=True)
        saved = saver.save(session, f"{path}-padded", 7, write_meta_graph=False)
        assert saved.endswith("-padded-00000007")
        v1.train.Saver().restore(session, saved)

    assert taken_after(tmp_path, padded, counts=True) == [10, 11]
    assert {file.name.partition(".")[0] for file in tmp_path.glob("model-p*")} == {
        "model-padded-00000007"
    }
