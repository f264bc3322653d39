"""What variables begin with, and who asks whether they have: the same in each form, or refused."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import queueio
import tensorflow as tf
from queueio import train
from queueio.compat.variables import initialized_value
from tests.loading import loaded

v1 = tf.compat.v1
FORMS = ("queue", "data", "dataset", "examples", "plain", "fast")


def made(value: Any, resource: bool) -> Any:
    return v1.Variable(value, trainable=False, use_resource=resource)


def number() -> Any:
    return train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()


def batched(value: Any) -> Any:
    return train.batch([value], 4, capacity=4)


def asked_for_its_value(resource: bool) -> Any:
    a = made(4, resource)
    return batched(number() * initialized_value(a))


def read_in_a_branch(resource: bool) -> Any:
    a, x = made(4, resource), number()
    return batched(v1.cond(x > 1, lambda: tf.identity(a) * x, lambda: a + x))


def asked_in_a_branch(resource: bool) -> Any:
    a, x = made(4, resource), number()
    there = v1.is_variable_initialized
    return batched(v1.cond(x > 1, lambda: tf.cast(there(a), tf.int32) * x, lambda: a - x))


def made_of_another(resource: bool) -> Any:
    a = made(4, resource)
    b = made(initialized_value(a) + 1, resource)
    return batched(number() * b + a)


# What TensorFlow 1.15.5 gave.
READING = {
    asked_for_its_value: [0, 4, 8, 12],
    read_in_a_branch: [4, 5, 8, 12],
    asked_in_a_branch: [4, 3, 2, 3],
    made_of_another: [4, 9, 14, 19],
}


@pytest.fixture(autouse=True)
def control_flow_of_tf1() -> Any:
    on = v1.control_flow_v2_enabled()
    v1.disable_control_flow_v2()
    yield
    if on:
        v1.enable_control_flow_v2()


def given(build: Callable[[], Any], form: str, folder: Path) -> Any:
    """The first batch."""
    if form in ("queue", "data"):
        with tf.Graph().as_default(), queueio.engine(form), v1.Session() as session:
            batch = build()
            session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
            session.run(v1.tables_initializer())
            with queueio.running(session):
                return session.run(batch)
    plan = queueio.lift(build)
    if form in ("dataset", "examples"):
        dataset = plan.to_dataset(vectorise=form == "dataset")
    else:
        plan.to_source(style=form).write(folder / "written.py")
        dataset = loaded(folder / "written.py").input_fn()
    return next(iter(dataset)).numpy()


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("build", READING)
def test_a_variable_that_is_asked_or_read_under_a_condition_gives_what_it_holds(
    build: Any, resource: bool, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUEUEIO_SMALL_JOB", "0")
    assert given(lambda: build(resource), form, tmp_path).tolist() == READING[build]


def without_a_seed() -> Any:
    return tf.random.uniform([4])


def seeded() -> Any:
    return v1.random_uniform([4], seed=3)


def of_python() -> Any:
    numbers = itertools.count()
    value = v1.py_func(lambda: np.full([4], next(numbers), np.float32), [], tf.float32)
    value.set_shape([4])
    return value


def both(value: Any) -> tuple[Any, Any]:
    return made(value, True), made(value, True)


def one_of_the_other(value: Any) -> tuple[Any, Any]:
    a = made(value, True)
    return a, made(initialized_value(a), True)


def both_of_a_third(value: Any) -> tuple[Any, Any]:
    c = made(value, True)
    return made(initialized_value(c), True), made(initialized_value(c), True)


def difference(share: Any, value: Any) -> Any:
    a, b = share(value())
    i = number()
    return batched(tf.gather(a, i) - tf.gather(b, i))


SHARED = list(itertools.product([both, one_of_the_other, both_of_a_third],
                                [without_a_seed, seeded, of_python]))  # fmt: skip


@pytest.mark.parametrize(("share", "value"), SHARED)
def test_variables_that_begin_with_one_draw_do_not_get_one_each(share: Any, value: Any) -> None:
    plan = queueio.lift(lambda: difference(share, value))
    if value is seeded:
        assert next(iter(plan.to_dataset())).numpy().tolist() == [0, 0, 0, 0]
        return
    with pytest.raises(queueio.NotLifted, match="both begin with what it gives"):
        plan.to_dataset()


def test_in_their_graph_variables_that_begin_with_one_draw_are_alike() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        dataset = queueio.lift(difference(both, without_a_seed)).to_dataset()
        step = v1.data.make_initializable_iterator(dataset)
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        session.run(step.initializer)
        assert session.run(step.get_next()).tolist() == [0, 0, 0, 0]


def test_variables_with_draws_of_their_own_are_still_made() -> None:
    def build() -> Any:
        a, b = made(without_a_seed(), True), made(without_a_seed(), True)
        i = number()
        return batched(tf.gather(a, i) - tf.gather(b, i))

    assert np.any(next(iter(queueio.lift(build).to_dataset())).numpy())


def test_a_table_does_not_begin_with_another_draw_than_the_variable_beside_it() -> None:
    def build() -> Any:
        value, i = v1.random_uniform([4], maxval=1 << 30, dtype=tf.int32), number()
        filled = tf.lookup.KeyValueTensorInitializer(tf.range(4), value)
        return batched(tf.lookup.StaticHashTable(filled, 0).lookup(i) - tf.gather(
            made(value, True), i))  # fmt: skip

    plan = queueio.lift(build)
    with pytest.raises(queueio.NotLifted, match="both begin with what it gives"):
        plan.to_dataset()
