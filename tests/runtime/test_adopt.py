"""Runners and coordinators that TensorFlow itself made behave like ours."""

from __future__ import annotations

import threading

import pytest
import tensorflow as tf

from queueio.runtime import ledger
from queueio.runtime.threads.start import start_queue_runners

v1 = tf.compat.v1
pytestmark = pytest.mark.usefixtures("watched")


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        v1.train.get_or_create_global_step()
        yield graph


def rows(path, text, num_epochs=1):
    path.write_text(text)
    files = v1.train.string_input_producer([str(path)], num_epochs=num_epochs)
    return v1.decode_csv(v1.TextLineReader().read(files)[1], [[0]])[0]


def test_a_stock_coordinator_keeps_all_errors_and_records_one_made_by_hand():
    coord = v1.train.Coordinator()
    coord.request_stop(KeyError("first"))
    coord.request_stop(ValueError("second"))
    assert len(coord.exceptions) == 2
    with pytest.raises(KeyError):
        coord.join()


def test_a_stock_coordinator_joins_at_once_after_a_natural_end():
    number = v1.train.range_input_producer(3, num_epochs=1).dequeue()
    v1.train.batch([number], 2)
    coord = v1.train.Coordinator()
    with v1.Session() as sess:
        sess.run(v1.local_variables_initializer())
        coord.join(v1.train.start_queue_runners(sess, coord))  # stock waits here for ever
        assert not coord.should_stop()


def test_a_monitored_session_raises_the_root_cause(tmp_path):
    batch = v1.train.batch([rows(tmp_path / "a.csv", "1\nx\n")], 2)
    failed = pytest.raises(tf.errors.InvalidArgumentError, match=r"a.csv, line 2")
    with failed, v1.train.MonitoredTrainingSession() as sess:
        while not sess.should_stop():
            sess.run(batch)


def test_a_monitored_session_ends_without_a_word_at_the_natural_end(tmp_path):
    batch = v1.train.batch([rows(tmp_path / "a.csv", "1\n2\n3\n4\n5\n")], 2)
    seen = []
    with v1.train.MonitoredTrainingSession() as sess:
        while not sess.should_stop():
            seen += sess.run(batch).tolist()
    assert sorted(seen) == [1, 2, 3, 4]
    assert not [t for t in threading.enumerate() if t.name.startswith("QueueRunnerThread")]


def test_a_supervisors_runners_are_not_started_again(tmp_path):
    # More names than the file queue holds, so that no runner has ended before the second start.
    row = rows(tmp_path / "a.csv", "1\n2\n3\n", num_epochs=40)
    batch = v1.train.batch([row], 7, capacity=7)
    supervisor = v1.train.Supervisor(logdir=None, summary_op=None)
    with supervisor.managed_session() as sess:
        assert start_queue_runners(sess, supervisor.coord) == []
        for _ in range(17):
            sess.run(batch)
        with pytest.raises(tf.errors.OutOfRangeError) as caught:
            sess.run(batch)
    assert "natural end" in caught.value.message and "dropped 1" in caught.value.message


def test_a_supervisors_services_count_a_resource_variables_steps(tmp_path):
    row = rows(tmp_path / "a.csv", "1\n2\n3\n")
    step = v1.Variable(0, trainable=False, use_resource=True, name="step")
    count = step.assign_add(1)
    supervisor = v1.train.Supervisor(
        logdir=str(tmp_path / "log"), global_step=step, summary_op=None
    )
    with supervisor.managed_session() as sess:  # on the way out it raises what its threads raised
        sess.run([row, count])
    assert supervisor.coord.exceptions == ()


def test_runners_of_an_imported_metagraph_are_diagnosed(tmp_path):
    v1.train.batch([rows(tmp_path / "a.csv", "1\nx\n")], 2, name="examples")
    exported = v1.train.export_meta_graph()
    with tf.Graph().as_default() as again:
        v1.train.import_meta_graph(exported)
        coord = v1.train.Coordinator()
        with v1.Session() as sess:
            sess.run(v1.local_variables_initializer())
            threads = start_queue_runners(sess, coord)
            with pytest.raises(tf.errors.OutOfRangeError) as caught:
                for _ in range(2):
                    sess.run("examples:0")
            with pytest.raises(tf.errors.InvalidArgumentError):
                coord.join(threads, stop_grace_period_secs=10)
            assert {r.queue_op.graph for r in ledger.of(sess).runs} == {again}
    assert "DecodeCSV 'DecodeCSV' (imported graph)" in caught.value.message
    assert "line 2" in caught.value.message


def test_a_subclass_of_the_stock_runner_keeps_its_own_run():
    ran = []

    class Own(v1.train.QueueRunner):
        def _run(self, sess, enqueue_op, coord=None):
            ran.append(enqueue_op)
            super()._run(sess, enqueue_op, coord)

    queue = v1.FIFOQueue(2, [tf.int32], shapes=[[]])
    enqueue = queue.enqueue(1)
    v1.train.add_queue_runner(Own(queue, [enqueue]))
    coord = v1.train.Coordinator()
    with v1.Session() as sess:
        threads = start_queue_runners(sess, coord)
        sess.run(queue.dequeue())
        coord.request_stop()
        coord.join(threads)
        assert ran == [enqueue]
        assert ledger.of(sess).runs[0].threads[0].enqueued >= 1


UNINSTALL = """
import tensorflow as tf
v1 = tf.compat.v1
kinds = v1.train.Coordinator, v1.train.QueueRunner, v1.Session.__mro__[1]
before = [dict(vars(kind)) for kind in kinds]
from queueio.runtime import watch
watch.install()
watch.install()
assert [dict(vars(kind)) for kind in kinds] != before
watch.uninstall()
assert [dict(vars(kind)) for kind in kinds] == before, "something stayed behind"
print("as before")
"""


def test_everything_can_be_put_back(run_python):
    assert run_python(UNINSTALL).stdout == "as before\n"
