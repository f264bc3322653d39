"""The coordinator's rules: refusals first, then TF1's behaviour, then what TF1 lost."""

from __future__ import annotations

import sys
import threading
import time

import pytest
import tensorflow as tf

from queueio.runtime.threads.coordinator import Coordinator, LooperThread

v1 = tf.compat.v1


def ended_thread() -> threading.Thread:
    thread = threading.Thread(target=lambda: None)
    thread.start()
    thread.join()
    return thread


def stuck(coord, release, name="stuck"):
    thread = threading.Thread(target=release.wait, name=name, daemon=True)
    coord.register_thread(thread)
    thread.start()
    return thread


def notes_of(error):
    return "\n".join(getattr(error, "__notes__", ()))


def test_a_stop_reason_that_is_no_exception_is_refused_at_join():
    coord = Coordinator()
    coord.request_stop("it broke")
    with pytest.raises(ValueError, match=r"request_stop\(\) was given 'it broke'"):
        coord.join()


def test_a_looper_thread_refuses_something_that_is_no_coordinator():
    with pytest.raises(ValueError, match="Coordinator"):
        LooperThread(object(), 1.0)


def test_a_thread_that_joins_itself_is_told_so():
    coord = Coordinator()
    coord.request_stop()
    with pytest.raises(RuntimeError, match="threads still running") as caught:
        coord.join([threading.current_thread()])
    assert "cannot wait for its own end" in str(caught.value)
    assert "120 s" not in str(caught.value)


def test_threads_that_outlive_the_grace_period_are_named_with_their_stacks():
    coord, release = Coordinator(), threading.Event()
    stuck(coord, release, "first")
    stuck(coord, release, "second")
    coord.request_stop()
    with pytest.raises(RuntimeError) as caught:
        coord.join(stop_grace_period_secs=0.1)
    release.set()
    text = str(caught.value)
    assert text.startswith("Coordinator stopped with threads still running: ")
    assert {"first", "second"} <= set(text.splitlines()[0].split())
    assert "threading.py" in text and "wait" in text


def test_live_threads_may_be_ignored():
    coord, release = Coordinator(), threading.Event()
    stuck(coord, release)
    coord.request_stop()
    coord.join(stop_grace_period_secs=0.05, ignore_live_threads=True)
    assert coord.joined
    release.set()


def test_the_recorded_error_comes_before_the_complaint_about_live_threads():
    coord, release = Coordinator(), threading.Event()
    stuck(coord, release)
    coord.request_stop(KeyError("first"))
    with pytest.raises(KeyError, match="first"):
        coord.join(stop_grace_period_secs=0.05)
    release.set()


def test_an_error_after_join_is_raised_at_once():
    coord = Coordinator()
    coord.request_stop()
    coord.join()
    with pytest.raises(KeyError):
        coord.request_stop(KeyError("too late"))


def test_it_is_a_tf_train_coordinator():
    assert isinstance(Coordinator(), v1.train.Coordinator)


def test_stop_is_seen_and_cleared():
    coord = Coordinator()
    assert (coord.should_stop(), coord.joined) == (False, False)
    coord.request_stop()
    assert coord.should_stop() and coord.wait_for_stop(0)
    coord.join()
    assert coord.joined
    coord.clear_stop()
    assert (coord.should_stop(), coord.joined) == (False, False)


def test_wait_for_stop_gives_up_after_its_timeout():
    assert Coordinator().wait_for_stop(0.01) is False


def test_an_exception_made_outside_of_an_except_block_is_recorded():
    coord = Coordinator()
    coord.request_stop(RuntimeError("made by hand"))
    with pytest.raises(RuntimeError, match="made by hand"):
        coord.join()


def test_exc_info_is_recorded_with_its_traceback():
    coord = Coordinator()

    def culprit():
        raise ValueError("here")

    try:
        culprit()
    except ValueError:
        coord.request_stop(sys.exc_info())
    with pytest.raises(ValueError) as caught:
        coord.join()
    assert "culprit" in [entry.name for entry in caught.traceback]


def test_empty_exc_info_is_a_plain_stop():
    coord = Coordinator()
    coord.request_stop(sys.exc_info())
    coord.join()


def test_out_of_range_is_a_clean_end_and_cancelled_is_not():
    coord = Coordinator()
    coord.request_stop(tf.errors.OutOfRangeError(None, None, "end"))
    coord.join()
    coord = Coordinator()
    coord.request_stop(tf.errors.CancelledError(None, None, "cancelled"))
    with pytest.raises(tf.errors.CancelledError):
        coord.join()


def test_clean_types_can_be_chosen():
    coord = Coordinator(clean_stop_exception_types=(StopIteration,))
    coord.request_stop(StopIteration())
    coord.join()
    coord = Coordinator(clean_stop_exception_types=[])
    coord.request_stop(tf.errors.OutOfRangeError(None, None, "end"))
    with pytest.raises(tf.errors.OutOfRangeError):
        coord.join()


def test_stop_on_exception_reports_and_swallows():
    coord = Coordinator()
    with coord.stop_on_exception():
        raise KeyError("inside")
    with pytest.raises(KeyError, match="inside"):
        coord.raise_requested_exception()


def test_the_first_error_wins_and_the_others_are_notes_on_it():
    coord = Coordinator()
    coord.request_stop(KeyError("first"))
    coord.request_stop(ValueError("second"))
    with pytest.raises(KeyError) as caught:
        coord.join()
    assert [type(e) for e in coord.exceptions] == [KeyError, ValueError]
    assert "ValueError: second" in notes_of(caught.value)


def test_an_error_reported_twice_is_kept_once():
    coord, error = Coordinator(), KeyError("once")
    coord.request_stop(error)
    coord.request_stop(error)
    assert coord.exceptions == (error,)


def test_cancellations_that_follow_a_stop_are_not_errors():
    coord = Coordinator()
    coord.request_stop()
    coord.request_stop(tf.errors.CancelledError(None, None, "because of the stop"))
    assert coord.exceptions == ()
    coord.join()


def test_an_error_after_a_clean_stop_is_kept_but_not_raised():
    coord = Coordinator()
    coord.request_stop()
    coord.request_stop(KeyError("late"))
    coord.join()
    assert [str(e) for e in coord.exceptions] == ["'late'"]


def test_clear_stop_forgets_the_error():
    coord = Coordinator()
    coord.request_stop(KeyError("old"))
    coord.clear_stop()
    coord.join()
    assert coord.exceptions == ()


def test_join_returns_when_threads_end_though_nobody_asked_for_a_stop():
    coord = Coordinator()
    coord.register_thread(ended_thread())
    coord.join([ended_thread(), threading.Thread(target=lambda: None)])  # one never started
    assert coord.joined and not coord.should_stop()


def test_the_grace_period_begins_with_the_stop_not_with_join():
    coord, release = Coordinator(), threading.Event()
    stuck(coord, release)
    threading.Timer(0.5, coord.request_stop).start()
    started = time.monotonic()
    with pytest.raises(RuntimeError):
        coord.join(stop_grace_period_secs=0.3)
    assert time.monotonic() - started > 0.75
    release.set()


def test_whoever_asked_to_be_called_at_the_stop_is_called_once():
    coord, calls = Coordinator(), []
    coord.call_on_stop(lambda: calls.append(1))
    taken_back = lambda: calls.append(2)  # noqa: E731
    coord.call_on_stop(taken_back)
    coord.forget(taken_back)
    coord.request_stop()
    coord.request_stop()
    coord.call_on_stop(lambda: calls.append(3))
    assert calls == [1, 3]


def test_a_looper_thread_runs_until_the_stop():
    coord, enough, calls = Coordinator(), threading.Event(), []

    def work(word, times):
        calls.append(word * times)
        enough.set()

    looper = LooperThread.loop(coord, None, work, args=("a",), kwargs={"times": 2})
    assert isinstance(looper, LooperThread) and looper.daemon
    enough.wait(10)
    coord.request_stop()
    coord.join([looper])
    assert set(calls) == {"aa"} and not looper.is_alive()


def test_a_looper_threads_error_ends_the_others():
    coord = Coordinator()

    def fail():
        raise ValueError("in the loop")

    LooperThread.loop(coord, None, fail)
    with pytest.raises(ValueError, match="in the loop"):
        coord.join()
