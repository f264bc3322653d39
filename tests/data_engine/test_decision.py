"""The engine decides when the runners start, and can still fall back then."""

from __future__ import annotations

import subprocess
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
import tensorflow as tf

import queueio
from queueio import settings, train
from queueio.data_engine.runner import IteratorRunner
from queueio.graph.traversal import is_queue

v1 = tf.compat.v1


def drained(session: Any, fetches: Any) -> list[Any]:
    steps = []
    with pytest.raises(tf.errors.OutOfRangeError):
        while True:
            steps.append(session.run(fetches))
    return steps


def test_a_second_consumer_that_appears_later_makes_it_fall_back() -> None:
    with tf.Graph().as_default(), queueio.engine("data"), v1.Session() as session:
        numbers = train.range_input_producer(6, num_epochs=1, shuffle=False)
        batch = train.batch([numbers.dequeue()], 2)
        numbers.dequeue(name="late")
        session.run(v1.local_variables_initializer())
        with pytest.warns(queueio.FallbackWarning, match="late"), queueio.running(session):
            assert sorted(x for step in drained(session, batch) for x in step) == list(range(6))


def test_what_the_program_takes_of_the_input_is_not_in_batches_that_nobody_asked_for() -> None:
    with tf.Graph().as_default(), queueio.engine("data"), v1.Session() as session:
        numbers = train.range_input_producer(40, num_epochs=1, shuffle=False, capacity=40)
        batch = train.batch([numbers.dequeue()], 2, capacity=4)
        held = v1.get_collection(v1.GraphKeys.QUEUE_RUNNERS)[1].queue.size()
        taken = numbers.dequeue()
        session.run(v1.local_variables_initializer())
        with pytest.warns(queueio.FallbackWarning), queueio.running(session):
            until = time.monotonic() + 20
            while session.run(held) < 4:  # as many as the queue holds
                assert time.monotonic() < until
            first = len(drained(session, taken))
            assert first >= 40 - 4 - 1  # and one that waits to be put into it
            assert 2 * len(drained(session, batch)) + first >= 40 - 1


def test_a_queue_that_is_larger_than_what_waits_ready_is_full_while_nothing_is_made() -> None:
    with tf.Graph().as_default(), queueio.engine("data"), v1.Session() as session:
        batch = train.batch([train.range_input_producer(9).dequeue()], 2, capacity=1000)
        held = v1.get_collection(v1.GraphKeys.QUEUE_RUNNERS)[1].queue.size()
        session.run(v1.local_variables_initializer())
        with queueio.running(session):
            until = time.monotonic() + 20
            while session.run(held) < 1000:
                assert time.monotonic() < until
            session.run(batch)


def test_a_queue_that_holds_all_that_is_left_of_the_input_says_how_many_that_are() -> None:
    chosen = settings.override(engine="data", small_job=100)
    with tf.Graph().as_default(), chosen, v1.Session() as session:
        train.batch([train.range_input_producer(26, num_epochs=1).dequeue()], 2, capacity=1000)
        queue = v1.get_collection(v1.GraphKeys.QUEUE_RUNNERS)[1].queue
        state = queue.size(), queue.is_closed()
        session.run(v1.local_variables_initializer())
        with queueio.running(session):
            until = time.monotonic() + 20
            while session.run(state) != (26, True):
                assert time.monotonic() < until


def test_the_end_of_what_tf_data_made_ahead_is_not_that_of_the_input() -> None:
    chosen = settings.override(engine="data", small_job=0)
    with tf.Graph().as_default(), chosen, v1.Session() as session:
        number = train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
        batch = train.batch([number], 4, capacity=4)
        closed = v1.get_collection(v1.GraphKeys.QUEUE_RUNNERS)[1].queue.is_closed()
        session.run(v1.local_variables_initializer())
        with queueio.running(session), pytest.warns(queueio.FallbackWarning, match="read twice"):
            until = time.monotonic() + 20
            while not session.run(closed):
                assert time.monotonic() < until
            values, one = session.run([batch, number])
            assert values.tolist() == [0, 1, 2, 3]
            assert one in range(8)


class FiveTimes(v1.train.QueueRunner):
    """Puts in five elements of however many there are, then closes the queue."""

    def _run(self, sess: Any, enqueue_op: Any, coord: Any = None) -> None:
        for _ in range(5):
            sess.run(enqueue_op)
        sess.run(self.close_op)
        with self._lock:
            self._runs_per_session[sess] -= 1


class Nameless(v1.train.QueueRunner):
    """Its constructor does not call QueueRunner's; TF1 asks it for its threads alone."""

    def __init__(self, run: Callable[[Any], None]) -> None:
        self.run = run

    def create_threads(self, sess: Any, coord: Any = None, *_: Any, **__: Any) -> Any:
        thread = threading.Thread(target=self.run, args=[sess], daemon=True)
        thread.start()
        return [thread]


@pytest.mark.parametrize("named", [True, False])
def test_a_runner_that_has_its_own_way_gives_what_it_gave_on_the_queues(named: bool) -> None:
    whole = settings.override(engine="data", small_job=0)
    with tf.Graph().as_default(), whole, v1.Session() as session:
        numbers = train.range_input_producer(12, num_epochs=1, shuffle=False).dequeue()
        queue = v1.FIFOQueue(20, [tf.int32], [[]])
        five = FiveTimes(queue, [queue.enqueue(numbers)])
        if named:
            v1.train.add_queue_runner(five)
        else:
            five._runs_per_session[session] = 1
            v1.train.add_queue_runner(Nameless(lambda sess: five._run(sess, five.enqueue_ops[0])))
        with pytest.warns(queueio.FallbackWarning, match="own way|no queue runner runs it"):
            batch = train.batch([queue.dequeue()], 2, allow_smaller_final_batch=True)
        session.run(v1.local_variables_initializer())
        with queueio.running(session):
            assert [list(step) for step in drained(session, batch)] == [[0, 1], [2, 3], [4]]


def test_no_thread_of_the_stages_before_it_is_started() -> None:
    with tf.Graph().as_default(), queueio.engine("data"), v1.Session() as session:
        batch = train.batch([train.range_input_producer(6, num_epochs=1).dequeue()], 2)
        session.run(v1.local_variables_initializer())
        with queueio.running(session):
            names = [t.name for t in threading.enumerate() if t.name.startswith("QueueRunner")]
            assert not [name for name in names if "input_producer" in name]
            assert len(drained(session, batch)) == 3


def test_names_sizes_and_runners_are_those_of_tf1() -> None:
    with tf.Graph().as_default() as graph, queueio.engine("data"), v1.Session() as session:
        numbers = train.range_input_producer(64, num_epochs=1).dequeue()
        batch = train.shuffle_batch([numbers, numbers], 4, 40, 10)
        assert [t.name for t in batch] == ["shuffle_batch:0", "shuffle_batch:1"]
        assert [t.shape.as_list() for t in batch] == [[4], [4]]
        runners = graph.get_collection(v1.GraphKeys.QUEUE_RUNNERS)
        names = ["input_producer", "shuffle_batch/random_shuffle_queue"]
        assert [runner.name for runner in runners] == names
        tags = [s.op.name for s in graph.get_collection(v1.GraphKeys.SUMMARIES)]
        assert "shuffle_batch/fraction_over_10_of_30_full" in tags
        session.run(v1.local_variables_initializer())
        with queueio.running(session):
            session.run(batch)
            assert 0 <= session.run("shuffle_batch/random_shuffle_queue_Size:0") <= 40


def numbered(count: int = 2000) -> Any:
    return train.range_input_producer(count, shuffle=False).dequeue()


BUILDERS = {
    "batch": lambda: train.batch([numbered()], 32),
    "shuffled": lambda: train.shuffle_batch([numbered()], 4, 100, 50),
    "padded": lambda: train.batch([tf.range(numbered(5))], 4, dynamic_pad=True),
    "sparse": lambda: train.batch([tf.sparse.from_dense([numbered()])], 4, capacity=10),
    "final": lambda: train.batch([numbered()], 4, allow_smaller_final_batch=True),
}


def seen_in(graph: Any) -> dict[str, list[str]]:
    """The collections, by the names of what is in them."""
    return {
        key: [getattr(item, "name", str(item)) for item in graph.get_collection(key)]
        for key in graph.get_all_collection_keys()
    }


@pytest.mark.parametrize("builder", BUILDERS)
def test_the_collections_and_the_names_outside_of_its_scope_are_those_of_the_queues(
    builder: str,
) -> None:
    seen = {}
    for engine in ("queue", "data"):
        with tf.Graph().as_default() as graph, queueio.engine(engine):
            BUILDERS[builder]()
            names = {op.name for op in graph.get_operations() if "/queueio/" not in op.name}
            seen[engine] = (seen_in(graph), names)
    (collections, names), (ours, our_names) = seen["queue"], seen["data"]
    assert ours == collections
    assert our_names <= names
    apart = {name.rpartition("/")[2] for name in names - our_names}
    assert apart <= {"n", "Squeeze", "TakeManySparseFromTensorsMap"}  # MIGRATION.md says so


@pytest.mark.parametrize("builder", ["batch", "shuffled", "sparse"])
def test_the_size_is_that_of_a_full_queue_where_the_engine_is_ahead(builder: str) -> None:
    with tf.Graph().as_default() as graph, queueio.engine("data"), v1.Session() as session:
        BUILDERS[builder]()
        made = list(filter(is_queue, graph.get_operations()))
        (queue,) = (q for q in made if "batch" in q.name and "/queueio/" not in q.name)
        with queueio.running(session):
            deadline = time.monotonic() + 20
            while session.run(f"{queue.name}_Size:0") < queue.get_attr("capacity"):
                assert time.monotonic() < deadline
                time.sleep(0.01)
            assert session.run(f"{queue.name}_Size:0") == queue.get_attr("capacity")


@pytest.mark.parametrize(
    "build",
    [
        lambda: train.batch([tf.constant(1)], 2),
        lambda: train.shuffle_batch([tf.constant(1)], 2, 10, 3),
        lambda: train.range_input_producer(5, shuffle=False).dequeue_many(2),
    ],
    ids=["batch", "shuffle_batch", "range_input_producer"],
)
def test_what_is_made_in_a_branch_of_a_cond_ends_in_the_error_that_tf1_gave(
    build: Callable[[], Any], v1_behaviour: None
) -> None:
    with tf.Graph().as_default(), queueio.engine("data"), v1.Session() as session:
        which = v1.placeholder_with_default(True, [])
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            tensor = v1.cond(which, build, lambda: tf.zeros([2], tf.int32))
            coord = train.Coordinator()
            threads = train.start_queue_runners(session, coord)
        with pytest.raises(ValueError, match="marked as not fetchable"):
            coord.join(threads)
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(tensor, options=v1.RunOptions(timeout_in_ms=100))
    assert all("no session call may run such an op" in str(warned.message) for warned in told)


def test_a_close_op_that_the_program_runs_ends_the_batches() -> None:
    with tf.Graph().as_default(), queueio.engine("data"), v1.Session() as session:
        batch = train.batch([numbered()], 4)
        # Who is first, the thread that is cancelled or the end of the block, is not settled.
        with suppress(tf.errors.CancelledError), queueio.running(session):
            session.run(batch)
            session.run(v1.get_collection(v1.GraphKeys.QUEUE_RUNNERS)[1].cancel_op)
            assert len(drained(session, batch)) <= 16


@pytest.mark.parametrize("small_job", [0, 100])
@pytest.mark.parametrize("end", ["natural", "asked"])
def test_the_example_queue_says_that_it_is_closed_after_the_end(end: str, small_job: int) -> None:
    chosen = settings.override(engine="data", small_job=small_job)
    with tf.Graph().as_default(), queueio.engine("data"), chosen, v1.Session() as session:
        epochs = 1 if end == "natural" else None
        batch = train.batch([train.range_input_producer(8, num_epochs=epochs).dequeue()], 4)
        closed = v1.get_collection(v1.GraphKeys.QUEUE_RUNNERS)[1].queue.is_closed()
        session.run(v1.local_variables_initializer())
        coord = v1.train.Coordinator()
        threads = v1.train.start_queue_runners(session, coord)
        session.run(batch)
        if end == "natural":
            drained(session, batch)
            until = time.monotonic() + 20
            while not session.run(closed):  # a program's loop, which asks no coordinator
                assert time.monotonic() < until
        else:
            assert not session.run(closed)
        coord.request_stop()
        coord.join(threads)
        assert session.run(closed)


def test_an_epoch_counter_that_was_set_by_hand_counts_from_there() -> None:
    with tf.Graph().as_default(), queueio.engine("data"), v1.Session() as session:
        batch = train.batch([train.range_input_producer(2, num_epochs=5).dequeue()], 2)
        session.run(v1.local_variables_initializer())
        (counter,) = v1.local_variables()
        counter.load(3, session)
        with queueio.running(session):
            assert len(drained(session, batch)) == 2


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(ValueError, match="not known"), queueio.engine("fast"):
        pass


def test_a_seed_makes_the_order_reproducible() -> None:
    def order(threads: int) -> list[int]:
        with tf.Graph().as_default(), queueio.engine("data"), v1.Session() as session:
            numbers = train.range_input_producer(50, num_epochs=2, seed=1).dequeue()
            batch = train.shuffle_batch([numbers], 5, 40, 20, num_threads=threads, seed=2)
            session.run(v1.local_variables_initializer())
            with queueio.running(session):
                return [int(x) for step in drained(session, batch) for x in step]

    first = order(1)
    assert first == order(4) != sorted(first)


def test_an_op_before_the_batch_gets_an_answer_however_late_the_iterator_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begin = IteratorRunner._run

    def late(*args: Any) -> None:
        time.sleep(0.3)  # long enough for the producer to use up the epochs, had it been started
        begin(*args)

    monkeypatch.setattr(IteratorRunner, "_run", late)
    with tf.Graph().as_default(), queueio.engine("data"), v1.Session() as session:
        number = train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
        batch = train.batch([number], 2)
        session.run(v1.local_variables_initializer())
        with queueio.running(session):
            with pytest.warns(queueio.FallbackWarning, match="read twice") as told:
                assert session.run(number) == 0
            assert told[0].filename == __file__
            assert sorted(x for step in drained(session, batch) for x in step) == list(range(6))


def test_enqueue_ops_run_by_hand_fill_the_batch() -> None:
    with tf.Graph().as_default(), queueio.engine("data"), v1.Session() as session:
        batch = train.batch([train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()],
                            2)  # fmt: skip
        session.run(v1.local_variables_initializer())
        producer, batches = v1.get_collection(v1.GraphKeys.QUEUE_RUNNERS)
        with pytest.warns(queueio.FallbackWarning, match="the program itself runs"):
            session.run(producer.enqueue_ops)
            for _ in range(6):
                session.run(batches.enqueue_ops)
        assert [session.run(batch).tolist() for _ in range(3)] == [[0, 1], [2, 3], [4, 5]]


def test_a_graph_seed_gives_later_ops_the_numbers_of_the_queue_engine() -> None:
    def number(engine: str) -> float:
        with tf.Graph().as_default(), queueio.engine(engine), v1.Session() as session:
            v1.set_random_seed(7)
            train.shuffle_batch([train.range_input_producer(6).dequeue()], 2, 20, 5)
            return float(session.run(v1.random_uniform([])))

    assert number("data") == number("queue")


SHUFFLED = """
import queueio
import queueio.v1 as tf

with queueio.engine("data"):
    batch = tf.train.shuffle_batch([tf.train.range_input_producer(9).dequeue()], 5, 40, 20)
with tf.Session() as session, queueio.running(session):
    print(len(session.run(batch)))
"""


def test_it_shuffles_without_a_warning_of_tf_data(
    run_python: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    done = run_python(SHUFFLED)
    assert done.stdout.split() == ["5"]
    assert "UserWarning" not in done.stderr


def test_batches_of_nothing_are_left_to_the_queues() -> None:
    with tf.Graph().as_default(), queueio.engine("data"), v1.Session() as session:
        with pytest.warns(queueio.FallbackWarning, match="Give a batch size of 1 or more"):
            batch = train.batch([train.range_input_producer(9).dequeue()], 0)
        with queueio.running(session):
            assert session.run(batch).tolist() == []


@pytest.mark.parametrize("own", [True, False], ids=["an op of its own", "the runner's op"])
@pytest.mark.parametrize("cancel", [True, False], ids=["cancelling", "not cancelling"])
def test_a_program_that_closes_the_example_queue_ends_the_batches(own: bool, cancel: bool) -> None:
    with tf.Graph().as_default() as graph, queueio.engine("data"), v1.Session() as session:
        batch = train.batch([train.range_input_producer(9).dequeue()], 2)
        (runner,) = (r for r in graph.get_collection("queue_runners") if "batch" in r.name)
        close = runner.cancel_op if cancel else runner.close_op
        if own:
            close = runner.queue.close(cancel_pending_enqueues=cancel)
        coordinator = train.Coordinator()
        threads = train.start_queue_runners(session, coordinator)
        session.run(batch)
        session.run(close)
        with pytest.raises(tf.errors.OutOfRangeError):
            for _ in range(200):
                session.run(batch)
        coordinator.request_stop()
        with suppress(tf.errors.CancelledError):  # as on the queues, where one waited
            coordinator.join(threads)


CLOSED = """
import time
import queueio.v1 as tf

batch = tf.train.batch([tf.train.range_input_producer(9).dequeue()], 2)
with tf.Session() as session:
    tf.train.start_queue_runners(session)
    session.run(batch)
    time.sleep({rest})
time.sleep(0.2)
print("done")
"""


@pytest.mark.long
@pytest.mark.parametrize("rest", [0, 0.003, 0.3])
def test_a_session_that_is_closed_without_a_coordinator_leaves_no_traceback(
    rest: float, run_python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    env = {"QUEUEIO_ENGINE": "data", "QUEUEIO_SMALL_JOB": "0"}
    done = run_python(CLOSED.replace("{rest}", str(rest)), env=env)
    assert done.stdout.split() == ["done"]
    assert "Traceback" not in done.stderr and "Exception in QueueRunner" not in done.stderr
