"""A program that builds a graph for each round of training and evaluation keeps none of them."""

from __future__ import annotations

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
    until = time.monotonic() + 20
    while any(graph() for graph in rounds) and time.monotonic() < until:
        gc.collect()
        time.sleep(0.05)  # a thread that watches sessions may be looking at the last one
    assert [graph() for graph in rounds] == [None, None, None]
