"""A variable that counts: its numbers are a stream, whichever kind of variable it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import lift_meta_graph, settings, train
from tests.turns import by_turns

v1 = tf.compat.v1


def counter(limit: int = 7, dtype: Any = tf.int64, first: int = 0) -> Any:
    return v1.Variable(tf.constant(first, dtype), name="count").count_up_to(limit)


def alone() -> Any:
    return train.batch([counter()], 3, allow_smaller_final_batch=True)


def int32_from_two() -> Any:
    return train.batch([counter(6, tf.int32, first=2)], 2)


def nothing_left() -> Any:
    return train.batch([counter(3, first=3)], 2, allow_smaller_final_batch=True)


def worked_on() -> Any:
    number = counter()
    text = tf.strings.as_string(number)
    squares = tf.cast(number * number, tf.float32) + tf.zeros([2])
    return train.batch({"n": number, "s": text, "f": squares}, 3)


def of_many_lengths() -> Any:
    number = counter()
    words = tf.tile(["word"], tf.cast(tf.stack([number]), tf.int32))
    return train.batch([number, words], 4, dynamic_pad=True, allow_smaller_final_batch=True)


def as_rows() -> Any:
    number = counter()
    return train.batch([tf.stack([number, -number])], 3, enqueue_many=True)


def under_a_limit() -> Any:
    number = train.limit_epochs(counter(9), 4)
    return train.batch([number], 2)


def beside_a_queue() -> Any:
    word = train.string_input_producer(["a", "b", "c", "d"], 1, shuffle=False).dequeue()
    return train.batch([word, counter(3)], 1)


def kept_if_even() -> Any:
    number = counter(10)
    return train.maybe_batch([number], tf.equal(number % 2, 0), 2)


def through_two_queues() -> Any:
    return train.batch(train.batch([counter(8), "x"], 2), 4, enqueue_many=True)


def from_two_threads() -> Any:
    return train.shuffle_batch([counter(20)], 5, 20, 3, num_threads=2)


BUILDS = [alone, int32_from_two, nothing_left, worked_on, of_many_lengths, as_rows, under_a_limit,
          beside_a_queue, kept_if_even, through_two_queues, from_two_threads]  # fmt: skip


def rows(batches: list[Any]) -> list[Any]:
    """All values of a pipeline, batch by batch, as plain lists."""
    return [[np.asarray(part).tolist() for part in tf.nest.flatten(batch)] for batch in batches]


def comparable(build: Any, batches: list[Any]) -> Any:
    found = rows(batches)
    if build is from_two_threads:
        return sorted(n for (batch,) in found for n in batch)
    return found


@pytest.mark.long
@pytest.mark.parametrize("build", by_turns(BUILDS))
def test_a_count_is_lifted_as_the_queues_deliver_it(
    build: Any, from_queues: Callable[..., list[Any]], behaviour: str
) -> None:
    expected = comparable(build, from_queues(build))
    assert expected or build is nothing_left
    with settings.override(engine="data", strict=True):
        assert comparable(build, from_queues(build)) == expected
    plan = queueio.lift(build)
    for vectorise in (False, True):
        dataset = plan.to_dataset(vectorise=vectorise)
        assert comparable(build, list(dataset.as_numpy_iterator())) == expected
    for style in ("plain", "fast") if build is worked_on else ("plain",):
        scope: dict[str, Any] = {"__name__": "written"}
        exec(str(plan.to_source(style=style)), scope)
        written = list(scope["input_fn"]().as_numpy_iterator())
        assert comparable(build, written) == expected, style


def test_the_written_count_is_a_range_that_a_person_would_write(behaviour: str) -> None:
    source = str(queueio.lift(int32_from_two).to_source())
    assert "CountUpTo" not in source
    assert "tf.data.Dataset.range(first, 6, output_type=tf.int32)" in source
    assert "first: int = 2" in source


def test_a_count_begins_where_a_checkpoint_left_it(tmp_path: Path, behaviour: str) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        alone()
        session.run(v1.global_variables_initializer())
        (count,) = v1.global_variables()
        count.load(4, session)
        checkpoint = str(v1.train.Saver().save(session, str(tmp_path / "model"), 1))
    plan = lift_meta_graph(checkpoint + ".meta", ["batch:0"])
    assert rows(list(plan.to_dataset(checkpoint=checkpoint).as_numpy_iterator())) == [[[4, 5, 6]]]


def test_a_count_begins_where_the_session_set_it_under_the_data_engine(behaviour: str) -> None:
    with (
        tf.Graph().as_default(),
        v1.Session() as session,
        settings.override(engine="data", strict=True),
    ):
        batch = alone()
        session.run(v1.global_variables_initializer())
        v1.global_variables()[0].load(5, session)
        coordinator = train.Coordinator()
        threads = train.start_queue_runners(session, coordinator)
        assert session.run(batch).tolist() == [5, 6]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(batch)
        coordinator.request_stop()
        coordinator.join(threads)


def test_a_variable_that_is_counted_and_set_is_refused(behaviour: str) -> None:
    with tf.Graph().as_default():
        variable = v1.Variable(tf.constant(0, tf.int64), name="count")
        batch = train.batch([variable.count_up_to(5)], 2)
        variable.assign(0)
        with pytest.raises(queueio.NotLifted, match="writes 'count'"):
            queueio.lift(batch)
