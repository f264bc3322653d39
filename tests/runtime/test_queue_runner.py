"""Queue runners: what they refuse, their threads' names and ends, and their protos."""

from __future__ import annotations

import threading
import time

import pytest
import tensorflow as tf

from queueio.runtime import ledger
from queueio.runtime.threads.coordinator import Coordinator
from queueio.runtime.threads.queue_runner import QueueRunner

v1 = tf.compat.v1


@pytest.fixture
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def counting_queue(limit, capacity=100):
    """A queue and an enqueue op that works `limit` times and then says OutOfRange."""
    with v1.variable_scope(None, "counter"):
        counter = v1.get_variable("n", [], tf.int64, v1.zeros_initializer(), trainable=False)
    queue = v1.FIFOQueue(capacity, [tf.int64], shapes=[[]])
    return queue, queue.enqueue(counter.count_up_to(limit))


def joined(threads):
    for thread in threads:
        thread.join(10)
    assert not any(thread.is_alive() for thread in threads)


def test_eager_execution_is_refused():
    with pytest.raises(RuntimeError, match="QueueRunners are not supported when eager"):
        QueueRunner(queue=object(), enqueue_ops=[object()])


def test_a_queue_and_enqueue_ops_are_needed(graph):
    queue, enqueue = counting_queue(1)
    with pytest.raises(ValueError, match="Must provide queue and enqueue_ops"):
        QueueRunner(queue, [])
    with pytest.raises(ValueError, match="Must provide queue and enqueue_ops"):
        QueueRunner(enqueue_ops=[enqueue])


def test_a_proto_excludes_a_queue(graph):
    queue, enqueue = counting_queue(1)
    proto = QueueRunner(queue, [enqueue]).to_proto()
    with pytest.raises(ValueError, match="mutually exclusive"):
        QueueRunner(queue, [enqueue], queue_runner_def=proto)


@pytest.mark.parametrize("types", [tf.errors.OutOfRangeError, (), (ValueError,), ("x",), [1]])
def test_closed_types_must_be_a_tuple_of_tensorflow_errors(graph, types):
    queue, enqueue = counting_queue(1)
    with pytest.raises(TypeError, match="queue_closed_exception_types"):
        QueueRunner(queue, [enqueue], queue_closed_exception_types=types)


def test_cancelled_is_not_a_closed_type_by_default(graph):
    queue, enqueue = counting_queue(1)
    types = QueueRunner(queue, [enqueue]).queue_closed_exception_types
    assert types == (tf.errors.OutOfRangeError,)


def test_the_attributes_that_subclasses_use_are_there(graph):
    queue, enqueue = counting_queue(1)
    runner = QueueRunner(queue, [enqueue])
    assert isinstance(runner, v1.train.QueueRunner)
    assert runner.queue is runner._queue is queue and runner.enqueue_ops == [enqueue]
    assert runner.name == queue.name
    assert runner.close_op is runner._close_op and runner.cancel_op is runner._cancel_op
    assert not runner.close_op.get_attr("cancel_pending_enqueues")
    assert runner.cancel_op.get_attr("cancel_pending_enqueues")
    assert runner._exceptions_raised == runner.exceptions_raised == []
    assert len(runner._runs_per_session) == 0 and runner._lock.acquire(False)


def test_the_proto_is_what_tensorflow_itself_makes(graph):
    queue, enqueue = counting_queue(1)
    types = (tf.errors.OutOfRangeError, tf.errors.CancelledError)
    ours = QueueRunner(queue, [enqueue, enqueue], queue_closed_exception_types=types)
    stock = v1.train.QueueRunner(
        queue, [enqueue, enqueue], ours.close_op, ours.cancel_op, queue_closed_exception_types=types
    )
    assert ours.to_proto() == stock.to_proto()
    assert QueueRunner.from_proto(ours.to_proto()).to_proto() == stock.to_proto()


def test_a_proto_moves_between_scopes(graph):
    with tf.name_scope("inner"):
        queue, enqueue = counting_queue(1)
        runner = QueueRunner(queue, [enqueue])
    assert runner.to_proto("elsewhere") is None
    proto = runner.to_proto("inner")
    assert proto.queue_name == "fifo_queue"
    again = QueueRunner.from_proto(proto, import_scope="inner")
    assert again.enqueue_ops == [enqueue] and again.to_proto("inner") == proto


def test_a_proto_without_closed_types_means_the_default(graph):
    queue, enqueue = counting_queue(1)
    proto = QueueRunner(queue, [enqueue]).to_proto()
    del proto.queue_closed_exception_types[:]
    assert QueueRunner.from_proto(proto)._queue_closed_exception_types == (
        tf.errors.OutOfRangeError,
    )


def test_threads_have_tf1s_names_and_belong_to_the_coordinator(graph):
    queue, enqueue = counting_queue(3)
    runner, coord = QueueRunner(queue, [enqueue, enqueue]), Coordinator()
    with v1.Session() as sess:
        threads = runner.create_threads(sess, coord, daemon=True)
        assert [t.name for t in threads] == [
            "QueueRunnerThread-fifo_queue-fifo_queue_enqueue",
            "QueueRunnerThread-fifo_queue-fifo_queue_enqueue",
            "QueueRunnerThread-fifo_queue-close_on_stop",
        ]
        assert all(t.daemon and not t.is_alive() for t in threads)
        assert coord._registered_threads == set(threads)


def test_without_a_coordinator_there_is_no_closing_thread(graph):
    queue, enqueue = counting_queue(3)
    with v1.Session() as sess:
        threads = QueueRunner(queue, [enqueue]).create_threads(sess)
        assert len(threads) == 1 and not threads[0].daemon


def test_the_last_thread_to_see_the_end_closes_the_queue(graph):
    queue, enqueue = counting_queue(5)
    runner, coord = QueueRunner(queue, [enqueue] * 3), Coordinator()
    with v1.Session() as sess:
        sess.run(v1.global_variables_initializer())
        coord.join(runner.create_threads(sess, coord, start=True))
        assert sorted(sess.run(queue.dequeue_many(5))) == [0, 1, 2, 3, 4]
        assert sess.run(queue.is_closed())
        assert not coord.should_stop()
        record = ledger.of(sess).runs[0]
        assert sum(t.enqueued for t in record.threads) == 5
        assert {t.state for t in record.threads} == {"natural"}


def test_a_runner_runs_once_per_session_at_a_time_and_in_several_sessions(graph):
    queue, enqueue = counting_queue(10**9, capacity=2)
    runner, coord = QueueRunner(queue, [enqueue]), Coordinator()
    with v1.Session() as one, v1.Session() as two:
        for sess in (one, two):
            sess.run(v1.global_variables_initializer())
        first = runner.create_threads(one, coord, start=True)
        assert len(first) == 2
        assert runner.create_threads(one, coord, start=True) == []
        second = runner.create_threads(two, coord, start=True)
        assert len(second) == 2
        coord.request_stop()
        coord.join(first + second)


def test_a_stop_cancels_threads_that_wait_for_room(graph):
    queue, enqueue = counting_queue(10**9, capacity=1)
    coord = Coordinator()
    with v1.Session() as sess:
        sess.run(v1.global_variables_initializer())
        threads = QueueRunner(queue, [enqueue] * 2).create_threads(sess, coord, start=True)
        sess.run(queue.dequeue())
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=10)
        assert coord.exceptions == ()


@pytest.mark.parametrize("begun", [1, 2])
def test_ctrl_c_between_two_starts_leaves_none_that_nobody_cancels(graph, monkeypatch, begun):
    queue, enqueue = counting_queue(10, capacity=1)
    runner = QueueRunner(queue, [enqueue] * 2)
    start, started = threading.Thread.start, []

    def interrupted(thread):
        start(thread)
        if isinstance(thread, ledger.RunnerThread):
            started.append(thread)
        if len(started) == begun:
            started.append(None)
            raise KeyboardInterrupt

    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        coord = Coordinator()
        monkeypatch.setattr(threading.Thread, "start", interrupted)
        with pytest.raises(KeyboardInterrupt):
            runner.create_threads(session, coord, start=True)
        time.sleep(0.5)  # until they wait for room
        coord.request_stop()
        coord.join(stop_grace_period_secs=10)


def test_an_error_reaches_the_coordinator_and_says_where_it_was_raised(graph):
    queue = v1.FIFOQueue(10, [tf.int32], shapes=[[]])
    enqueue = queue.enqueue(v1.div(1, v1.placeholder_with_default(0, [])))
    coord = Coordinator()
    with v1.Session() as sess:
        threads = QueueRunner(queue, [enqueue]).create_threads(sess, coord, start=True)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            coord.join(threads, stop_grace_period_secs=10)
    assert "test_queue_runner.py" in caught.value.message


def test_without_a_coordinator_the_runner_keeps_the_error(graph, monkeypatch):
    monkeypatch.setattr(threading, "excepthook", lambda args: None)
    queue = v1.FIFOQueue(10, [tf.int32], shapes=[[]])
    runner = QueueRunner(queue, [queue.enqueue(v1.div(1, v1.placeholder_with_default(0, [])))])
    with v1.Session() as sess:
        joined(runner.create_threads(sess, start=True))
        assert [type(e) for e in runner.exceptions_raised] == [tf.errors.InvalidArgumentError]
        assert not sess.run(queue.is_closed())


def test_a_subclass_with_its_own_run_is_started_and_its_error_is_known(graph):
    class Own(QueueRunner):
        def _run(self, sess, enqueue_op, coord=None):
            try:
                raise KeyError("own run")
            except KeyError as error:
                coord.request_stop(error)
            finally:
                with self._lock:
                    self._runs_per_session[sess] -= 1

    queue, enqueue = counting_queue(1)
    coord = Coordinator()
    with v1.Session() as sess:
        threads = Own(queue, [enqueue]).create_threads(sess, coord, start=True)
        with pytest.raises(KeyError, match="own run"):
            coord.join(threads, stop_grace_period_secs=10)
        (thread,) = ledger.of(sess).runs[0].threads
        assert thread.state == "failed" and isinstance(thread.error, KeyError)


def test_a_coordinator_of_ones_own_making_is_enough(graph):
    class Duck:
        def __init__(self):
            self.event, self.errors = threading.Event(), []

        def should_stop(self):
            return self.event.is_set()

        def wait_for_stop(self, timeout=None):
            return self.event.wait(timeout)

        def request_stop(self, ex=None):
            self.errors.append(ex)
            self.event.set()

        def register_thread(self, thread):
            pass

    queue, enqueue = counting_queue(3)
    with v1.Session() as sess:
        sess.run(v1.global_variables_initializer())
        joined(QueueRunner(queue, [enqueue]).create_threads(sess, Duck(), start=True))


def test_closing_the_session_ends_threads_without_a_word(graph, capsys):
    queue, enqueue = counting_queue(10**9, capacity=1)
    runner = QueueRunner(queue, [enqueue])
    with v1.Session() as sess:
        sess.run(v1.global_variables_initializer())
        threads = runner.create_threads(sess, start=True)
        sess.run(queue.dequeue())
    joined(threads)
    assert runner.exceptions_raised == []
    assert "Exception" not in capsys.readouterr().err
