"""A program that makes a graph or a session for each round of training keeps none of them."""

from __future__ import annotations

import contextlib
import gc
import time
import weakref
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from queueio import settings, train

v1 = tf.compat.v1


def trained(files: list[str], folder: Path) -> Any:
    """Builds, trains and saves, and gives a weak reference to the graph."""
    with tf.Graph().as_default() as graph:
        _, line = v1.TextLineReader().read(train.string_input_producer(files))
        batch = train.shuffle_batch([v1.decode_csv(line, [[0]])[0]], 4, 20, 8)
        step = v1.assign_add(v1.train.get_or_create_global_step(), 1)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            coord = train.Coordinator()
            threads = train.start_queue_runners(session, coord)
            for _ in range(3):
                session.run([batch, step])
            v1.train.Saver().save(session, str(folder / "model"))
            coord.request_stop()
            coord.join(threads, stop_grace_period_secs=20)
    return weakref.ref(graph)


@pytest.mark.parametrize("engine", ["data", "queue"])
def test_the_graph_of_a_round_that_is_over_is_freed(engine: str, tmp_path: Path) -> None:
    file = tmp_path / "numbers.csv"
    file.write_text("".join(f"{n}\n" for n in range(100)))
    with settings.override(engine=engine):
        rounds = [trained([str(file)], tmp_path) for _ in range(3)]
    assert living(rounds) == []


def living(rounds: list[Any]) -> list[Any]:
    """What is still there after a while, of what was referred to weakly."""
    until = time.monotonic() + 20
    while any(each() for each in rounds) and time.monotonic() < until:
        gc.collect()
        time.sleep(0.05)  # a thread that watches sessions may be looking at the last one
    return [each() for each in rounds if each() is not None]


def ended(batch: Any, coord: Any, calls: int, saver: Any, path: Path) -> Any:
    """A weak reference to a session that made these calls, as far as they went, and is over."""
    with v1.Session() as session:
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        threads = train.start_queue_runners(session, coord)
        with contextlib.suppress(tf.errors.OpError):
            for _ in range(calls):
                session.run(batch)
        saver.save(session, str(path))
        if coord is not None:
            coord.request_stop()
            with contextlib.suppress(tf.errors.OpError):
                coord.join(threads, stop_grace_period_secs=20)
    return weakref.ref(session)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("last", "calls"), [("1", 99), ("no number", 99), ("1", 2)])
def test_a_session_that_is_over_is_freed_where_its_graph_stays(
    last: str, calls: int, tmp_path: Path
) -> None:
    file = tmp_path / "numbers.csv"
    file.write_text("1\n" * 99 + f"{last}\n")
    with settings.override(engine="data", small_job=0), tf.Graph().as_default():
        _, line = v1.TextLineReader().read(train.string_input_producer([str(file)], num_epochs=1))
        batch = train.batch([v1.decode_csv(line, [[0]])[0]], 4)
        step = v1.assign_add(v1.train.get_or_create_global_step(), 1)
        saver = v1.train.Saver()
        over = [
            ended([batch, step], coord, calls, saver, tmp_path / "model")
            for coord in (train.Coordinator(), train.Coordinator(), None)[: 3 if calls == 2 else 2]
        ]
        assert living(over) == []
