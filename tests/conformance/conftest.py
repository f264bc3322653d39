"""What the tests of single symbols share: a graph in either behaviour, small files, a way to run.

Every test runs twice, under TensorFlow 2's behaviour (resource variables, control flow v2) and
under TensorFlow 1's (references, control flow v1).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import tensorflow as tf

from queueio import train

sys.path.insert(0, str(Path(__file__).parents[1] / "golden"))

v1 = tf.compat.v1
LIMIT = 10000  # milliseconds: a hang ends as a DeadlineExceededError


@pytest.fixture(params=["v2", "v1"])
def behaviour(request: pytest.FixtureRequest) -> str:
    if request.param == "v1":
        request.getfixturevalue("v1_behaviour")
    return str(request.param)


@pytest.fixture(autouse=True)
def graph(behaviour: str) -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def eager(graph: tf.Graph) -> Iterator[None]:
    """Eager execution, as outside of any graph."""
    with tf.__internal__.eager_context.eager_mode():
        yield


@pytest.fixture
def session(graph: tf.Graph) -> Iterator[Any]:
    """A session for the finished graph: ask for it first, use it last."""
    with v1.Session(graph=graph, config=v1.ConfigProto(operation_timeout_in_ms=LIMIT)) as session:
        yield session


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of the golden pipelines as data/… in the working directory."""
    import datafiles

    datafiles.write(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "data"


@pytest.fixture
def numbers() -> Callable[..., Any]:
    """The int32 scalars 0 .. count - 1, in order."""

    def make(count: int, epochs: int = 1) -> Any:
        queue = train.range_input_producer(count, num_epochs=epochs, shuffle=False)
        return queue.dequeue()

    return make


@pytest.fixture
def files(data: Path) -> Callable[..., Any]:
    """A queue of names of the golden files, in order, `num_epochs` times."""

    def queue(*names: str, num_epochs: int = 1) -> Any:
        paths = [f"data/{name}" for name in names]
        return train.string_input_producer(paths, num_epochs=num_epochs, shuffle=False)

    return queue


@pytest.fixture
def read(run: Callable[..., Any]) -> Callable[..., list[Any]]:
    """All the (key, value) pairs of a reader, up to the natural end of its files."""

    def pairs(fetches: Any) -> list[Any]:
        outcome = run(fetches)
        assert isinstance(outcome.end, tf.errors.OutOfRangeError), outcome.end
        return [(key, value) for key, value in outcome.steps]

    return pairs


class Outcome(NamedTuple):
    steps: list[Any]
    end: BaseException
    join: BaseException | None


@pytest.fixture
def run(session: Any) -> Callable[..., Outcome]:
    """Initialises, starts the runners and runs the fetches until they raise."""

    def until_the_end(fetches: Any, initialise: bool = True) -> Outcome:
        if initialise:
            session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        coordinator = train.Coordinator()
        threads = train.start_queue_runners(session, coordinator)
        steps: list[Any] = []
        with pytest.raises(tf.errors.OpError) as end:
            while len(steps) < 200:
                steps.append(session.run(fetches))
        coordinator.request_stop()
        try:
            coordinator.join(threads, stop_grace_period_secs=10)
        except tf.errors.OpError as error:
            return Outcome(steps, end.value, error)
        return Outcome(steps, end.value, None)

    return until_the_end


@pytest.fixture
def drain(run: Callable[..., Outcome]) -> Callable[..., list[Any]]:
    """Every step up to the natural end, which must be an OutOfRangeError."""

    def steps(fetches: Any) -> list[Any]:
        outcome = run(fetches)
        assert isinstance(outcome.end, tf.errors.OutOfRangeError), outcome.end
        assert outcome.join is None
        return outcome.steps

    return steps


@pytest.fixture
def values(drain: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    """The steps of one fetch as plain Python values."""

    def plain(fetch: Any) -> list[Any]:
        return [step.tolist() if hasattr(step, "tolist") else step for step in drain(fetch)]

    return plain


@pytest.fixture
def examples(values: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    """The examples of all batches of one fetch, one after the other."""
    return lambda batch: [example for step in values(batch) for example in step]
