"""train.string_input_producer: file names, or other strings."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import train

v1 = tf.compat.v1


def test_an_empty_list_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="string_input_producer"):
        train.string_input_producer([])


def test_an_empty_tensor_fails_when_it_runs(run: Any) -> None:
    names = v1.placeholder_with_default(tf.constant([], tf.string), [None])
    outcome = run(train.string_input_producer(names, num_epochs=1).dequeue())
    assert isinstance(outcome.end, tf.errors.OutOfRangeError)
    assert isinstance(outcome.join, tf.errors.InvalidArgumentError)


def test_numbers_are_refused() -> None:
    with pytest.raises((TypeError, ValueError)):
        train.string_input_producer([1, 2])


def test_zero_epochs_are_refused() -> None:
    with pytest.raises(ValueError, match="0"):
        train.string_input_producer(["a"], num_epochs=0)


def test_eager_execution_is_refused(eager: None) -> None:
    with pytest.raises(RuntimeError, match="eager"):
        train.string_input_producer(["a"])


def test_strings_come_in_order_epoch_after_epoch(values: Any) -> None:
    queue = train.string_input_producer(["b", "a"], num_epochs=2, shuffle=False)
    assert values(queue.dequeue()) == [b"b", b"a", b"b", b"a"]


def test_the_default_shuffles_within_each_epoch(values: Any) -> None:
    names = [f"file-{i}" for i in range(8)]
    got = values(train.string_input_producer(names, num_epochs=2).dequeue())
    expected = sorted(name.encode() for name in names)
    assert [sorted(got[:8]), sorted(got[8:])] == [expected, expected]


def test_without_num_epochs_it_goes_on_for_ever(session: Any) -> None:
    name = train.string_input_producer(["a"], shuffle=False).dequeue()
    coordinator = train.Coordinator()
    threads = train.start_queue_runners(session, coordinator)
    assert [session.run(name) for _ in range(50)] == [b"a"] * 50
    coordinator.request_stop()
    coordinator.join(threads, stop_grace_period_secs=10)


def test_names_runner_counter_and_summary(graph: Any) -> None:
    queue = train.string_input_producer(["a"], num_epochs=1, capacity=7, name="files")
    assert queue.name == "files"
    (runner,) = graph.get_collection(v1.GraphKeys.QUEUE_RUNNERS)
    assert runner.name == "files"
    (counter,) = graph.get_collection(v1.GraphKeys.LOCAL_VARIABLES)
    assert counter.op.name == "files/limit_epochs/epochs"
    (summary,) = graph.get_collection(v1.GraphKeys.SUMMARIES)
    assert summary.op.name == "files/fraction_of_7_full"


def test_a_second_producer_gets_a_number() -> None:
    names = [train.string_input_producer(["a"]).name for _ in range(2)]
    assert names == ["input_producer", "input_producer_1"]
