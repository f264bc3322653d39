"""train.Coordinator: one flag that ends many threads."""

from __future__ import annotations

import threading
import time

import pytest
import tensorflow as tf

from queueio import train


def test_join_raises_what_a_thread_reported() -> None:
    coordinator = train.Coordinator()

    def work() -> None:
        with coordinator.stop_on_exception():
            raise KeyError("lost")

    thread = threading.Thread(target=work)
    thread.start()
    with pytest.raises(KeyError, match="lost"):
        coordinator.join([thread])
    assert coordinator.should_stop()


def test_the_first_error_wins() -> None:
    coordinator = train.Coordinator()
    coordinator.request_stop(KeyError("first"))
    coordinator.request_stop(ValueError("second"))
    with pytest.raises(KeyError, match="first"):
        coordinator.join()


def test_an_error_made_outside_of_an_except_block_counts() -> None:
    coordinator = train.Coordinator()
    coordinator.request_stop(ValueError("never raised"))
    with pytest.raises(ValueError, match="never raised"):
        coordinator.join()


def test_the_triple_of_exc_info_counts_as_well() -> None:
    import sys

    coordinator = train.Coordinator()
    try:
        raise KeyError("old style")
    except KeyError:
        coordinator.request_stop(sys.exc_info())
    with pytest.raises(KeyError, match="old style"):
        coordinator.join()


def test_the_end_of_the_data_is_no_error() -> None:
    coordinator = train.Coordinator()
    coordinator.request_stop(tf.errors.OutOfRangeError(None, None, "the end"))
    coordinator.join()


def test_what_counts_as_a_clean_end_can_be_said() -> None:
    coordinator = train.Coordinator(clean_stop_exception_types=(KeyError,))
    coordinator.request_stop(KeyError("fine"))
    coordinator.join()
    strict = train.Coordinator(clean_stop_exception_types=())
    strict.request_stop(tf.errors.OutOfRangeError(None, None, "the end"))
    with pytest.raises(tf.errors.OutOfRangeError):
        strict.join()


def test_a_thread_that_will_not_end_is_a_runtime_error_with_its_name() -> None:
    coordinator, release = train.Coordinator(), threading.Event()
    thread = threading.Thread(target=release.wait, name="stubborn", daemon=True)
    thread.start()
    coordinator.request_stop()
    try:
        with pytest.raises(RuntimeError, match="stubborn"):
            coordinator.join([thread], stop_grace_period_secs=0.1)
    finally:
        release.set()
        thread.join()


def test_a_thread_that_will_not_end_can_be_left_alone() -> None:
    coordinator, release = train.Coordinator(), threading.Event()
    thread = threading.Thread(target=release.wait, daemon=True)
    thread.start()
    coordinator.request_stop()
    coordinator.join([thread], stop_grace_period_secs=0.1, ignore_live_threads=True)
    release.set()
    thread.join()


def test_wait_for_stop_says_whether_it_came() -> None:
    coordinator = train.Coordinator()
    assert not coordinator.wait_for_stop(timeout=0.01)
    coordinator.request_stop()
    assert coordinator.wait_for_stop(timeout=0.01)


def test_clear_stop_makes_it_usable_again() -> None:
    coordinator = train.Coordinator()
    coordinator.request_stop(KeyError("old"))
    coordinator.clear_stop()
    assert not coordinator.should_stop()
    coordinator.request_stop()
    coordinator.join()


def test_registered_threads_are_joined() -> None:
    coordinator, done = train.Coordinator(), []

    def work() -> None:
        coordinator.wait_for_stop()
        time.sleep(0.05)
        done.append(True)

    thread = threading.Thread(target=work)
    coordinator.register_thread(thread)
    thread.start()
    coordinator.request_stop()
    coordinator.join()
    assert done == [True]


def test_raise_requested_exception() -> None:
    coordinator = train.Coordinator()
    coordinator.raise_requested_exception()
    coordinator.request_stop(KeyError("mine"))
    with pytest.raises(KeyError):
        coordinator.raise_requested_exception()


def test_joined_says_whether_join_came_through() -> None:
    coordinator = train.Coordinator()
    assert not coordinator.joined
    coordinator.request_stop()
    coordinator.join()
    assert coordinator.joined


def test_it_is_one_of_tensorflows() -> None:
    assert isinstance(train.Coordinator(), tf.train.Coordinator)
