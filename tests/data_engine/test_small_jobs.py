"""The data engine leaves a few examples to the queues, which deliver them before it is ready."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import queueio
from queueio import io, settings, train

v1 = tf.compat.v1


def of_numbers(count: int, epochs: int | None) -> Any:
    return train.range_input_producer(count, num_epochs=epochs, shuffle=False).dequeue()


def of_lines(folder: Path, count: int, epochs: int | None) -> Any:
    for part in range(2):
        (folder / f"{part}.csv").write_text("".join(f"{n}\n" for n in range(part, count, 2)))
    names = [str(folder / f"{part}.csv") for part in range(2)]
    files = train.string_input_producer(names, num_epochs=epochs, shuffle=False)
    return tf.strings.to_number(io.TextLineReader().read(files)[1], tf.int32)


def engine_of(build: Callable[[], Any], most: int, steps: int = 1) -> tuple[str, list[int]]:
    """The engine that the first batch function's queue runs on, and what came out of it."""
    chosen = settings.override(engine="data", small_job=most, strict=True)
    with tf.Graph().as_default() as graph, queueio.engine("data"), chosen:
        batch = build()
        runners = graph.get_collection(v1.GraphKeys.QUEUE_RUNNERS)
        (runner,) = (each for each in runners if hasattr(each, "forwarder"))
        with v1.Session() as session:
            session.run(v1.local_variables_initializer())
            found: list[int] = []
            with queueio.running(session):
                try:
                    for _ in range(steps):
                        found += session.run(batch).tolist()
                except tf.errors.OutOfRangeError:
                    pass
                return "data" if runner.made_in(session) else "queue", found


@pytest.mark.parametrize("kind", ["numbers", "lines"])
@pytest.mark.parametrize(("most", "engine"), [(40, "queue"), (39, "data"), (0, "data")])
def test_the_queues_deliver_all_of_a_few_examples_without_a_word(
    kind: str, most: int, engine: str, tmp_path: Path
) -> None:
    def build() -> Any:
        one = of_numbers(20, 2) if kind == "numbers" else of_lines(tmp_path, 20, 2)
        return train.shuffle_batch([one], 8, 30, 10, allow_smaller_final_batch=True)

    with warnings.catch_warnings():
        warnings.simplefilter("error", queueio.FallbackWarning)
        which, found = engine_of(build, most, steps=10)
    assert which == engine
    assert sorted(found) == sorted(2 * list(range(20)))


def test_an_input_without_an_end_is_no_small_job() -> None:
    assert engine_of(lambda: train.batch([of_numbers(5, None)], 4), 10**6)[0] == "data"


def test_one_whose_examples_nobody_can_count_is_none() -> None:
    def build() -> Any:
        some = train.limit_epochs(tf.random.uniform([], 1, 5, tf.int32), 3)
        return train.batch([tf.range(some)], 2, enqueue_many=True)

    assert engine_of(build, 10**6)[0] == "data"


def test_where_a_checkpoint_may_hold_its_place_the_data_engine_keeps_it() -> None:
    def build() -> Any:
        step = v1.train.get_or_create_global_step()
        v1.train.Saver([step])
        return train.batch([of_numbers(20, 1)], 4)

    assert engine_of(build, 10**6)[0] == "data"


def test_the_report_says_why_and_how_to_have_the_data_engine() -> None:
    from queueio.data_engine.runner import SmallJob

    told = str(SmallJob(1200))
    assert "1,200 examples" in told
    assert "QUEUEIO_SMALL_JOB=0" in told
