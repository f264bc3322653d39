"""train.start_queue_runners: starts the threads of every runner of the graph."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import train

v1 = tf.compat.v1


def stop(coordinator: Any, threads: Any) -> None:
    coordinator.request_stop()
    coordinator.join(threads, stop_grace_period_secs=10)


def test_without_a_session_it_is_refused() -> None:
    with pytest.raises(ValueError, match="session"):
        train.start_queue_runners()


def test_something_that_is_no_session_is_refused() -> None:
    with pytest.raises(TypeError, match="session"):
        train.start_queue_runners("session")


def test_eager_execution_is_refused(eager: None) -> None:
    with pytest.raises(RuntimeError, match="eager"):
        train.start_queue_runners()


def test_the_default_session_is_used(session: Any) -> None:
    train.string_input_producer(["a"])
    coordinator = train.Coordinator()
    with session.as_default():
        threads = train.start_queue_runners(coord=coordinator)
    assert len(threads) == 2 and all(thread.is_alive() for thread in threads)
    stop(coordinator, threads)


def test_threads_are_daemons_unless_told_otherwise(session: Any) -> None:
    train.string_input_producer(["a"])
    coordinator = train.Coordinator()
    threads = train.start_queue_runners(session, coordinator)
    assert all(thread.daemon for thread in threads)
    stop(coordinator, threads)


def test_threads_can_be_made_without_starting(session: Any) -> None:
    train.string_input_producer(["a"])
    threads = train.start_queue_runners(session, daemon=False, start=False)
    assert [(t.is_alive(), t.daemon) for t in threads] == [(False, False)]


def test_a_second_call_starts_nothing_twice(session: Any) -> None:
    train.string_input_producer(["a"])
    coordinator = train.Coordinator()
    threads = train.start_queue_runners(session, coordinator)
    assert train.start_queue_runners(session, coordinator) == []
    stop(coordinator, threads)


def test_another_collection_can_be_named(session: Any) -> None:
    train.string_input_producer(["a"])
    assert train.start_queue_runners(session, collection="mine") == []


def test_the_runners_are_those_of_the_graph_of_the_session(session: Any) -> None:
    train.string_input_producer(["a"])
    with tf.Graph().as_default():
        coordinator = train.Coordinator()
        threads = train.start_queue_runners(session, coordinator)
    assert len(threads) == 2
    stop(coordinator, threads)


def test_a_monitored_session_starts_its_own(numbers: Any) -> None:
    batch = train.batch([numbers(4)], 2)
    with v1.train.MonitoredSession() as session:
        assert train.start_queue_runners(session) == []
        assert session.run(batch).tolist() == [0, 1]


def test_without_a_coordinator_the_data_still_ends(session: Any, numbers: Any) -> None:
    batch = train.batch([numbers(2)], 2)
    session.run(v1.local_variables_initializer())
    threads = train.start_queue_runners(session)
    assert session.run(batch).tolist() == [0, 1]
    with pytest.raises(tf.errors.OutOfRangeError):
        session.run(batch)
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()
