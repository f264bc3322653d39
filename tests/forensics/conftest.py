"""Makes a stage of a stock TF1 graph fail, without threads, and asks where it came from."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
import tensorflow as tf

from queueio.forensics import Location, locate

v1 = tf.compat.v1


class Failure(NamedTuple):
    """An error of a run, and what `locate` says about it."""

    error: tf.errors.OpError
    location: Location | None

    @property
    def text(self) -> str:
        return str(self.location)


def drive(session: Any, queue: Any, op: Any, limit: int = 10_000) -> list[Any]:
    """Fills the filename queue once, closes it, and runs `op` until it raises."""
    enqueue = next(o for o in session.graph.get_operations() if o.type == "QueueEnqueueManyV2")
    session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
    session.run(enqueue)
    session.run(queue.close())
    results = []
    for _ in range(limit):
        results.append(session.run(op))
    raise AssertionError("the pipeline never ended")


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*[Dd]eprecated.*")
        yield


@pytest.fixture
def fail() -> Callable[..., Failure]:
    """`fail(reader, files, decode)`: the error of decode(value) over the files, located."""

    def run(
        reader: Callable[[], Any],
        files: Any,
        decode: Callable[[Any], Any] = lambda value: value,
        with_session: bool = True,
        **options: Any,
    ) -> Failure:
        with tf.Graph().as_default(), v1.Session() as session:
            names = files() if callable(files) else [str(f) for f in files]
            queue = v1.train.string_input_producer(names, shuffle=False)
            _, value = reader().read(queue)
            target = decode(value)
            with pytest.raises(tf.errors.OpError) as caught:
                drive(session, queue, target)
            first = tf.nest.flatten(target)[0]
            op = getattr(first, "op", first)
            where = locate(caught.value, op, session if with_session else None, **options)
            return Failure(caught.value, where)

    return run
