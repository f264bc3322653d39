"""train.LooperThread: calls something every so often until the coordinator stops."""

from __future__ import annotations

import pytest
import tensorflow as tf

from queueio import train


def test_it_wants_a_coordinator() -> None:
    with pytest.raises(ValueError, match=r"(?i)coord"):
        train.LooperThread("not a coordinator", 1.0)


def test_an_error_stops_the_coordinator_and_is_raised_by_join() -> None:
    coordinator = train.Coordinator()

    def fail() -> None:
        raise KeyError("in the loop")

    thread = train.LooperThread.loop(coordinator, None, fail)
    with pytest.raises(KeyError, match="in the loop"):
        coordinator.join([thread])


@pytest.mark.parametrize("seconds", [None, 0.001])
def test_it_calls_until_it_is_told_to_stop(seconds: float | None) -> None:
    coordinator, calls = train.Coordinator(), []

    def count(step: int, by: int = 1) -> None:
        calls.append(by * step)
        if len(calls) == 3:
            coordinator.request_stop()

    thread = train.LooperThread.loop(coordinator, seconds, count, args=(2,), kwargs={"by": 5})
    coordinator.join([thread])
    assert calls == [10, 10, 10]


def test_a_subclass_may_override_what_runs() -> None:
    coordinator, calls = train.Coordinator(), []

    class Mine(train.LooperThread):
        def start_loop(self) -> None:
            calls.append("start")

        def run_loop(self) -> None:
            calls.append("loop")
            coordinator.request_stop()

        def stop_loop(self) -> None:
            calls.append("stop")

    thread = Mine(coordinator, None)
    thread.start()
    coordinator.join([thread])
    assert calls == ["start", "loop", "stop"]


def test_a_coordinator_of_tensorflow_does_as_well() -> None:
    coordinator = tf.train.Coordinator()
    thread = train.LooperThread.loop(coordinator, None, coordinator.request_stop)
    coordinator.join([thread])
