"""Queues that the program closes itself: one before the batch, or its own before the start."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import tensorflow as tf

import queueio
from queueio import errors, settings, train

v1 = tf.compat.v1
SOON = v1.RunOptions(timeout_in_ms=5000)
"""A call that waits for ever ends, as an error."""


@contextlib.contextmanager
def endless(own: bool = False) -> Iterator[tuple[Any, Any, Any]]:
    """A queue of numbers without end, one of the batch, and a batch of it, in the data engine."""
    with (
        tf.Graph().as_default(),
        queueio.engine("data"),
        settings.override(small_job=0, strict=False),
    ):
        numbers = train.range_input_producer(6, shuffle=False)
        if own:
            queue = tf.queue.FIFOQueue(8, [tf.int32], shapes=[[]])
            train.add_queue_runner(train.QueueRunner(queue, [queue.enqueue(numbers.dequeue())]))
            batch = queue.dequeue_many(4)
        else:
            batch = train.batch([numbers.dequeue()], 4, capacity=8)
            queue = v1.get_collection(v1.GraphKeys.QUEUE_RUNNERS)[-1].queue
        yield numbers, queue, batch


def to_the_end(session: Any, batch: Any) -> int:
    """How many batches come, of 1000 at most."""
    for count in range(1000):
        try:
            session.run(batch, options=SOON)
        except tf.errors.OutOfRangeError:
            return count
    return 1000


def started(session: Any, coord: Any) -> Callable[[], object]:
    threads = train.start_queue_runners(session, coord)
    return lambda: coord.join(threads, stop_grace_period_secs=10)


@pytest.mark.parametrize("own", [False, True], ids=["batch", "own queue"])
def test_the_queues_do_the_work_where_the_graph_can_end_the_input(own: bool) -> None:
    """TF1 ends, and its coordinator is told of the thread that found the queue closed."""
    with endless(own) as (numbers, _, batch):
        close = numbers.close(cancel_pending_enqueues=True)  # else it waits for what is put in
        coord = train.Coordinator()
        with v1.Session() as session:
            with pytest.warns(
                errors.FallbackWarning, match=r"closes 'input_producer', which ends the in"
            ):
                join = started(session, coord)
                first = session.run(batch)
            session.run(close)
            assert list(first) == [0, 1, 2, 3]
            assert to_the_end(session, batch) < 1000
            assert coord.wait_for_stop(5)
            with pytest.raises(tf.errors.CancelledError):
                join()


@pytest.mark.parametrize("own", [False, True], ids=["batch", "own queue"])
def test_a_close_op_made_after_the_start_is_refused(own: bool) -> None:
    with endless(own) as (numbers, _, batch), v1.Session() as session, queueio.running(session):
        session.run(batch)
        with pytest.raises(errors.NotLifted, match=r"closes 'input_producer', .*request_stop"):
            session.run(numbers.close())
        assert len(session.run(batch)) == 4


@pytest.mark.parametrize("cancel", [False, True], ids=["close", "cancel"])
def test_a_queue_closed_before_the_start_is_at_its_end(cancel: bool) -> None:
    """TF1 says so to who takes from it, and its coordinator hears that it could not be filled."""
    with endless() as (_, queue, batch):
        close = queue.close(cancel_pending_enqueues=cancel)
        coord = train.Coordinator()
        with v1.Session() as session:
            with pytest.warns(errors.FallbackWarning, match="closes its queue, before the start"):
                session.run(close)
            assert to_the_end(session, batch) == 0
            join = started(session, coord)
            assert to_the_end(session, batch) == 0
            assert coord.wait_for_stop(5)
            with pytest.raises(tf.errors.CancelledError):
                join()


@pytest.mark.parametrize("own", [False, True], ids=["batch", "own queue"])
@pytest.mark.parametrize("which", ["close_op", "cancel_op"])
def test_a_queue_runners_own_op_run_by_the_program_ends_the_input(which: str, own: bool) -> None:
    """TF1 ends after what its queues still hold."""
    with endless(own) as (_, _, batch), v1.Session() as session:
        coord = train.Coordinator()
        join = started(session, coord)
        assert list(session.run(batch)) == [0, 1, 2, 3]
        session.run(getattr(v1.get_collection(v1.GraphKeys.QUEUE_RUNNERS)[0], which))
        assert to_the_end(session, batch) < 1000
        coord.request_stop()
        with contextlib.suppress(tf.errors.CancelledError):  # TF1's, if its thread was putting in
            join()


def test_a_close_of_the_example_queue_that_takes_its_time_finds_it_open() -> None:
    """What ends with the batches closes the queue as well, and that fails the second time."""
    with endless() as (_, queue, batch), v1.Session() as session:
        with tf.control_dependencies([v1.py_func(lambda: time.sleep(0.5), [], [])]):
            close = queue.close()
        coord = train.Coordinator()
        join = started(session, coord)
        session.run(batch)
        session.run(close)
        assert to_the_end(session, batch) < 1000
        coord.request_stop()
        with contextlib.suppress(tf.errors.CancelledError):  # as on the queues, where one waited
            join()
