"""Starting all queue runners of a graph, and `running`, which also ends them."""

from __future__ import annotations

import threading

import pytest
import tensorflow as tf

from queueio.runtime.threads.coordinator import Coordinator
from queueio.runtime.threads.queue_runner import QueueRunner
from queueio.runtime.threads.start import add_queue_runner, running, start_queue_runners

v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def graph(request):
    if "eager" in request.node.name:
        yield None
        return
    with tf.Graph().as_default() as graph:
        yield graph


def filled_queue(capacity=5):
    queue = v1.FIFOQueue(capacity, [tf.int32], shapes=[[]])
    add_queue_runner(QueueRunner(queue, [queue.enqueue(1)]))
    return queue


def runner_threads():
    return [t for t in threading.enumerate() if t.name.startswith("QueueRunnerThread")]


def test_eager_execution_is_refused():
    with pytest.raises(RuntimeError, match="Queues are not compatible with eager execution"):
        start_queue_runners()


def test_a_session_is_needed():
    with pytest.raises(ValueError, match="No default session is registered"):
        start_queue_runners()


def test_something_that_is_no_session_is_refused():
    with pytest.raises(TypeError, match=r"sess must be a `tf.Session` object. Given class: <class"):
        start_queue_runners("a session")


def test_a_monitored_session_looks_after_its_own_runners():
    filled_queue()
    with v1.train.SingularMonitoredSession() as sess:
        assert start_queue_runners(sess) == []


def test_no_queue_runners_is_worth_a_warning(caplog):
    with v1.Session() as sess, caplog.at_level("WARNING"):
        v1.logging.set_verbosity(v1.logging.WARN)
        assert start_queue_runners(sess) == []
    assert "found no queue runners: collection 'queue_runners'" in caplog.text


def test_the_default_session_is_used_and_threads_are_daemons():
    queue, coord = filled_queue(), Coordinator()
    with v1.Session() as sess:
        threads = start_queue_runners(coord=coord)
        assert len(threads) == 2 and all(t.daemon for t in threads)
        assert sess.run(queue.dequeue()) == 1
        coord.request_stop()
        coord.join(threads)


def test_starting_twice_starts_nothing_more():
    filled_queue()
    coord = Coordinator()
    with v1.Session() as sess:
        assert len(start_queue_runners(sess, coord)) == 2
        assert start_queue_runners(sess, coord) == []
        coord.request_stop()
        coord.join()


def test_threads_may_be_made_without_being_started():
    filled_queue()
    with v1.Session() as sess:
        threads = start_queue_runners(sess, start=False, daemon=False)
        assert [(t.is_alive(), t.daemon) for t in threads] == [(False, False)]


def test_another_collection_can_be_chosen():
    queue = v1.FIFOQueue(5, [tf.int32], shapes=[[]])
    add_queue_runner(QueueRunner(queue, [queue.enqueue(1)]), "mine")
    coord = Coordinator()
    with v1.Session() as sess:
        assert len(start_queue_runners(sess, coord, collection="mine")) == 2
        coord.request_stop()
        coord.join()


def test_running_leaves_no_thread_behind():
    queue = filled_queue()
    before = set(threading.enumerate())
    with v1.Session() as sess, running(sess) as coord:
        assert sess.run(queue.dequeue()) == 1
        assert len(runner_threads()) == 2
    assert coord.should_stop() and coord.joined
    assert set(threading.enumerate()) <= before


def test_ctrl_c_while_the_threads_start_ends_those_that_have():
    class Pressed(QueueRunner):
        def create_threads(self, *args, **kwargs):
            assert runner_threads()
            raise KeyboardInterrupt

    queue = filled_queue()
    add_queue_runner(Pressed(queue, [queue.enqueue(2)]))
    with v1.Session() as sess, pytest.raises(KeyboardInterrupt), running(sess):
        pass
    assert runner_threads() == []


def test_running_ends_its_threads_when_the_block_fails():
    filled_queue()
    with v1.Session() as sess, pytest.raises(ZeroDivisionError), running(sess):
        raise ZeroDivisionError
    assert runner_threads() == []


def test_running_lets_the_end_of_the_input_through():
    number = v1.train.range_input_producer(3, num_epochs=1).dequeue()
    with v1.Session() as sess:
        sess.run(v1.local_variables_initializer())
        with pytest.raises(tf.errors.OutOfRangeError), running(sess):
            for _ in range(4):
                sess.run(number)


def test_running_takes_a_coordinator_and_raises_what_was_reported_to_it():
    filled_queue()
    with v1.Session() as sess:
        mine = Coordinator()
        with pytest.raises(ValueError, match="reported"), running(sess, mine) as coord:
            assert coord is mine
            coord.request_stop(ValueError("reported"))


def test_running_names_a_thread_that_will_not_end():
    release = threading.Event()
    refused = pytest.raises(RuntimeError, match="threads still running: stubborn")
    with v1.Session() as sess, refused, running(sess, stop_grace_period_secs=0.1) as coord:
        stubborn = threading.Thread(target=release.wait, name="stubborn")
        coord.register_thread(stubborn)
        stubborn.start()
    release.set()
