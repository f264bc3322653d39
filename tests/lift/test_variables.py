"""A variable of a MetaGraph has the value that it was told to have, or none is made up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import lift_meta_graph

v1 = tf.compat.v1
BATCH = ["batch:0"]


def save(folder: Path, initial: Any = None) -> str:
    """A graph that takes a mean off its numbers, saved with a mean of 7; the checkpoint."""
    with tf.Graph().as_default(), v1.Session() as session:
        number = v1.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
        shape = [] if initial is None else None
        initial = v1.ones_initializer() if initial is None else initial()
        with v1.variable_scope("statistics"):
            mean = v1.get_variable("mean", shape, tf.float32, initial)
        v1.train.batch([tf.cast(number, tf.float32) - mean], 4)
        session.run(mean.initializer)
        mean.load(7.0, session)
        return str(v1.train.Saver([mean]).save(session, str(folder / "model.ckpt"), 20))


def values(dataset: Any) -> Any:
    ((batch,),) = dataset.as_numpy_iterator()
    return batch.tolist()


@pytest.mark.parametrize("scope", [None, "imported"])
def test_a_variable_has_its_value_out_of_the_checkpoint(
    scope: str | None, tmp_path: Path, behaviour: str
) -> None:
    checkpoint = save(tmp_path, lambda: tf.random.normal([]))
    plan = lift_meta_graph(checkpoint + ".meta", BATCH, import_scope=scope)
    for vectorise in (False, True):
        dataset = plan.to_dataset(checkpoint=checkpoint, vectorise=vectorise)
        assert values(dataset) == [-7, -6, -5, -4]


def test_a_branch_may_look_up_and_read_what_nothing_writes(
    from_queues: Callable[..., list[Any]], behaviour: str
) -> None:
    def build() -> Any:
        number = v1.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
        scale = v1.get_variable("scale", [], tf.int32, v1.constant_initializer(10))
        names = tf.lookup.KeyValueTensorInitializer([0, 1], [5, 6], tf.int32, tf.int32)
        table = tf.lookup.StaticHashTable(names, -1)
        value = v1.cond(number < 2, lambda: table.lookup(number), lambda: number * scale)
        return v1.train.batch([value], 4)

    assert [batch.tolist() for batch in from_queues(build)] == [[5, 6, 20, 30]]
    for vectorise in (False, True):
        dataset = queueio.lift(build).to_dataset(vectorise=vectorise)
        assert [batch.tolist() for batch in dataset.as_numpy_iterator()] == [[5, 6, 20, 30]]


def test_a_variable_has_its_value_out_of_a_session(tmp_path: Path, behaviour: str) -> None:
    checkpoint = save(tmp_path, lambda: tf.random.normal([]))
    plan = lift_meta_graph(checkpoint + ".meta", BATCH, import_scope="imported")
    with tf.Graph().as_default():
        session = v1.Session()
        v1.train.import_meta_graph(checkpoint + ".meta").restore(session, checkpoint)
    dataset = plan.to_dataset(session=session)
    session.close()
    assert values(dataset) == [-7, -6, -5, -4]


def test_a_live_graph_has_its_values_out_of_its_session() -> None:
    with tf.Graph().as_default():
        session = v1.Session()
        number = v1.train.range_input_producer(2, num_epochs=1, shuffle=False).dequeue()
        scale = v1.get_variable("scale", [], tf.int32, v1.ones_initializer())
        plan = queueio.lift(v1.train.batch([number * scale], 2))
        session.run(scale.initializer)
        scale.load(5, session)
    np.testing.assert_array_equal(next(iter(plan.to_dataset(session=session))), [0, 5])


def test_without_a_source_a_variable_that_starts_at_random_is_refused(
    tmp_path: Path, behaviour: str
) -> None:
    checkpoint = save(tmp_path, lambda: tf.random.normal([]))
    plan = lift_meta_graph(checkpoint + ".meta", BATCH)
    with pytest.raises(queueio.NotLifted, match="holds no values of variables") as refusal:
        plan.to_dataset()
    told: Any = refusal.value
    assert told.op_name == "statistics/mean" and "checkpoint=" in told.remedy


def test_without_a_source_a_constant_initial_value_is_taken_and_told(
    tmp_path: Path, behaviour: str
) -> None:
    plan = lift_meta_graph(save(tmp_path) + ".meta", BATCH)
    with pytest.warns(UserWarning, match="'statistics/mean'.*initial value.*checkpoint="):
        assert values(plan.to_dataset()) == [-1, 0, 1, 2]


def test_a_checkpoint_without_the_variable_is_refused(tmp_path: Path) -> None:
    plan = lift_meta_graph(save(tmp_path) + ".meta", BATCH)
    other = tf.train.Checkpoint(other=tf.Variable(1.0)).save(str(tmp_path / "other"))
    with pytest.raises(queueio.NotLifted, match="has no variable 'statistics/mean'"):
        plan.to_dataset(checkpoint=other)


def test_two_sources_of_values_are_refused(tmp_path: Path) -> None:
    plan = lift_meta_graph(save(tmp_path) + ".meta", BATCH)
    with v1.Session(graph=tf.Graph()) as session:
        pass
    with pytest.raises(ValueError, match="both"):
        plan.to_dataset(checkpoint="model", session=session)
