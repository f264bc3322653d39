"""train.QueueRunner: the threads that fill a queue."""

from __future__ import annotations

import threading
from typing import Any

import pytest
import tensorflow as tf

from queueio import train

v1 = tf.compat.v1


def queue_of(capacity: int = 5) -> Any:
    return v1.FIFOQueue(capacity, tf.int32, [[]], name="queue")


def test_it_wants_a_queue_and_ops() -> None:
    with pytest.raises(ValueError, match="queue and enqueue_ops"):
        train.QueueRunner(None, [tf.no_op()])
    with pytest.raises(ValueError, match="queue and enqueue_ops"):
        train.QueueRunner(queue_of(), [])


def test_it_wants_a_proto_or_a_queue_but_not_both() -> None:
    queue = queue_of()
    proto = train.QueueRunner(queue, [queue.enqueue(1)]).to_proto()
    with pytest.raises(ValueError, match="exclusive"):
        train.QueueRunner(queue, [queue.enqueue(1)], queue_runner_def=proto)


@pytest.mark.parametrize("types", [(tf.errors.OutOfRangeError, "Cancelled"), (KeyError,), [], ()])
def test_closed_types_must_be_tensorflow_errors(types: Any) -> None:
    queue = queue_of()
    with pytest.raises(TypeError):
        train.QueueRunner(queue, [queue.enqueue(1)], queue_closed_exception_types=types)


def test_eager_execution_is_refused(eager: None) -> None:
    with pytest.raises(RuntimeError, match="eager"):
        train.QueueRunner("queue", ["op"])


def test_the_last_thread_to_end_closes_the_queue(values: Any, numbers: Any) -> None:
    queue = queue_of()
    train.add_queue_runner(train.QueueRunner(queue, [queue.enqueue(numbers(6))] * 3))
    assert sorted(values(queue.dequeue())) == list(range(6))


def test_threads_are_named_after_queue_and_op(session: Any) -> None:
    queue = queue_of()
    runner = train.QueueRunner(queue, [queue.enqueue(1)])
    threads = runner.create_threads(session, coord=train.Coordinator())
    assert sorted(thread.name for thread in threads) == [
        "QueueRunnerThread-queue-close_on_stop",
        "QueueRunnerThread-queue-queue_enqueue",
    ]
    assert all(isinstance(t, threading.Thread) and not t.daemon for t in threads)


def test_threads_are_made_once_per_session(session: Any) -> None:
    queue = queue_of()
    runner = train.QueueRunner(queue, [queue.enqueue(1)])
    coordinator = train.Coordinator()
    threads = runner.create_threads(session, coord=coordinator, start=True)
    assert runner.create_threads(session, coord=coordinator, start=True) == []
    coordinator.request_stop()
    coordinator.join(threads, stop_grace_period_secs=10)
    again = runner.create_threads(session)
    assert len(again) == 1


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_without_a_coordinator_errors_are_kept(session: Any) -> None:
    queue = queue_of()
    unfed = v1.placeholder(tf.int32, [])
    runner = train.QueueRunner(queue, [queue.enqueue(unfed)])
    (thread,) = runner.create_threads(session, start=True)
    thread.join(10)
    (error,) = runner.exceptions_raised
    assert isinstance(error, tf.errors.InvalidArgumentError)


def test_with_a_coordinator_join_raises_the_error(session: Any) -> None:
    queue = queue_of()
    unfed = v1.placeholder(tf.int32, [])
    runner = train.QueueRunner(queue, [queue.enqueue(unfed)])
    coordinator = train.Coordinator()
    threads = runner.create_threads(session, coord=coordinator, start=True)
    with pytest.raises(tf.errors.InvalidArgumentError):
        coordinator.join(threads, stop_grace_period_secs=10)


def test_stopping_the_coordinator_frees_a_blocked_thread(session: Any) -> None:
    queue = queue_of(1)
    runner = train.QueueRunner(queue, [queue.enqueue(1)])
    coordinator = train.Coordinator()
    threads = runner.create_threads(session, coord=coordinator, start=True)
    assert session.run(queue.dequeue()) == 1
    coordinator.request_stop()
    coordinator.join(threads, stop_grace_period_secs=10)
    assert not any(thread.is_alive() for thread in threads)


def test_it_survives_its_proto(graph: Any, values: Any, numbers: Any) -> None:
    queue = queue_of()
    types = (tf.errors.OutOfRangeError, tf.errors.CancelledError)
    runner = train.QueueRunner(
        queue, [queue.enqueue(numbers(3))], queue_closed_exception_types=types
    )
    copy = train.QueueRunner.from_proto(runner.to_proto())
    assert copy.name == runner.name == "queue"
    assert [op.name for op in copy.enqueue_ops] == [op.name for op in runner.enqueue_ops]
    assert (copy.close_op.name, copy.cancel_op.name) == ("queue_Close", "queue_Close_1")
    assert copy.queue_closed_exception_types == types
    train.add_queue_runner(copy)
    assert values(queue.dequeue()) == [0, 1, 2]


def test_only_the_end_of_the_data_is_a_closed_queue_by_default() -> None:
    queue = queue_of()
    runner = train.QueueRunner(queue, [queue.enqueue(1)])
    assert runner.queue_closed_exception_types == (tf.errors.OutOfRangeError,)


def test_it_is_one_of_tensorflows_and_in_the_namespace() -> None:
    assert issubclass(train.QueueRunner, v1.train.QueueRunner)
    assert train.queue_runner.QueueRunner is train.QueueRunner
    assert train.queue_runner.add_queue_runner is train.add_queue_runner
    assert train.queue_runner.start_queue_runners is train.start_queue_runners
