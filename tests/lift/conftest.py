"""What the lifter's tests share: running a queue pipeline, and reading a dataset."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
sys.path.insert(0, str(GOLDEN))

import datafiles  # noqa: E402

v1 = tf.compat.v1
CONFIG = v1.ConfigProto(operation_timeout_in_ms=20000)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the data files of the golden pipelines."""
    datafiles.write(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(params=["v1", "v2"])
def behaviour(request: pytest.FixtureRequest) -> str:
    """TF1's behaviour (ref variables, Switch and Merge) or TF2's (resources, If)."""
    if request.param == "v1":
        request.getfixturevalue("v1_behaviour")
    return str(request.param)


@pytest.fixture
def from_queues() -> Callable[..., list[Any]]:
    """Runs a function that builds a queue pipeline; gives what each session call gave."""

    def run(build: Callable[[], Any], steps: int = 1000) -> list[Any]:
        return list(steps_of(build, steps))

    return run


def steps_of(build: Callable[[], Any], steps: int) -> Iterator[Any]:
    with tf.Graph().as_default(), v1.Session(config=CONFIG) as session:
        fetches = build()
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        session.run(v1.tables_initializer())
        coordinator = tf.train.Coordinator()
        threads = v1.train.start_queue_runners(session, coordinator)
        try:
            for _ in range(steps):
                yield session.run(fetches)
        except tf.errors.OutOfRangeError:
            pass
        finally:
            coordinator.request_stop()
            coordinator.join(threads, stop_grace_period_secs=10)
