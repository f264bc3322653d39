"""Pipelines of which one step takes go on together after a restore, or begin anew together."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import queueio
from queueio import train

v1 = tf.compat.v1
Pair = Callable[[], list[Any]]


def numbers(ends: int = 30) -> Any:
    return train.range_input_producer(ends, num_epochs=1, shuffle=False).dequeue()


def batch() -> Any:
    return train.batch([numbers()], 2)


def of_own_queue(kind: Any = tf.queue.FIFOQueue, *kept: int, threads: int = 1) -> Any:
    queue = kind(20, *kept, [tf.int32], [[]])
    train.add_queue_runner(train.QueueRunner(queue, [queue.enqueue(numbers())] * threads))
    return queue.dequeue_many(2)


def on_the_queues() -> Any:
    with queueio.engine("queue"):
        return batch()


def of_python() -> Any:
    left = iter(range(30))
    number = v1.py_func(lambda: next(left), [], tf.int64)
    number.set_shape([])
    return train.batch([number], 2)


@contextlib.contextmanager
def built(pair: Pair, path: Path | None) -> Iterator[tuple[Any, Any, Any]]:
    with tf.Graph().as_default(), queueio.engine("data"):
        taken = pair()
        step = v1.assign_add(v1.train.get_or_create_global_step(), 1)
        saver = v1.train.Saver()
        with v1.Session() as session:
            session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
            if path:
                saver.restore(session, str(path / "model"))
            with queueio.running(session):
                yield session, saver, [taken, step]


def after_a_restore(pair: Pair, path: Path, at_once: bool = True) -> list[list[int]]:
    """The first batches of a run that goes on from one which took three of each."""
    with built(pair, None) as (session, saver, step):
        for _ in range(3):
            for part in [step] if at_once else step[0]:
                session.run(part)
        saver.save(session, str(path / "model"))
    with built(pair, path) as (session, _, step):
        return [part.tolist() for part in session.run(step)[0]]


TOGETHER: dict[str, Pair] = {
    "a queue of its own": lambda: [batch(), of_own_queue()],
    "one left to the queues": lambda: [batch(), on_the_queues()],
    "a Python function": lambda: [batch(), of_python()],
}


@pytest.mark.long
@pytest.mark.parametrize("pair", TOGETHER.values(), ids=TOGETHER)
@pytest.mark.filterwarnings("ignore:pipeline '.*' runs on TF1's queues")
def test_where_no_checkpoint_holds_one_of_a_step_both_begin_anew_and_say_so(
    pair: Pair, tmp_path: Path
) -> None:
    """To go on where one stood, with the other from its start, would tear each pair."""
    with pytest.warns(queueio.FallbackWarning, match="does not hold where pipeline 'batch' stands"):
        assert after_a_restore(pair, tmp_path) == [[0, 1], [0, 1]]


def test_a_third_begins_anew_with_the_one_that_it_is_taken_with(tmp_path: Path) -> None:
    def three() -> list[Any]:
        return [batch(), batch(), of_own_queue()]

    with built(three, None) as (session, saver, (taken, step)):
        session.run([taken[:2], step])
        session.run(taken[1:])
        with pytest.warns(queueio.FallbackWarning, match="pipeline 'batch' stands.*'batch_1'"):
            saver.save(session, str(tmp_path / "model"))
    assert not list(tmp_path.glob("*-of-ready"))


APART: dict[str, tuple[Pair, bool]] = {
    "calls of their own": (lambda: [batch(), of_own_queue()], False),
    "a shuffled one": (lambda: [batch(), of_own_queue(tf.queue.RandomShuffleQueue, 4)], True),
    "threads that race": (lambda: [batch(), of_own_queue(threads=2)], True),
}


@pytest.mark.long
@pytest.mark.parametrize(("pair", "at_once"), APART.values(), ids=APART)
@pytest.mark.filterwarnings("ignore:pipeline '.*' runs on TF1's queues")
def test_a_pipeline_goes_on_beside_one_that_never_kept_step_with_it(
    pair: Pair, at_once: bool, tmp_path: Path
) -> None:
    assert after_a_restore(pair, tmp_path, at_once)[0] == [6, 7]
