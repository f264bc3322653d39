"""Who is told of session calls, and how long."""

from __future__ import annotations

import re
import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import pytest
import tensorflow as tf

from queueio.runtime import calls, watch
from queueio.runtime.diagnosis.state import waits_of
from queueio.schedule.needs import needs_of

v1 = tf.compat.v1


@pytest.fixture
def heard() -> Iterator[list[str]]:
    """The names of what is fetched by calls that a listener was told of; it needs each twice."""
    watch.install()
    found: list[str] = []

    def listener(call: Any) -> bool:
        found.append(call.key[0])
        return found.count(call.key[0]) % 2 == 0

    calls.listen(listener)
    yield found
    calls.unlisten(listener)


def test_a_listener_hears_of_a_call_until_it_has_nothing_to_say_of_it(heard: list[str]) -> None:
    with tf.Graph().as_default():
        one, other = tf.constant(1, name="one"), tf.constant(2, name="other")
        with v1.Session() as session:
            for _ in range(110):  # the first hundred calls are looked at by somebody else as well
                session.run(one)
            heard.clear()
            for _ in range(5):
                session.run(one)
                session.run([other])
            assert heard.count("one:0") == 0
            assert heard.count("other:0") == 2
            calls.ask_again()
            session.run(one)
            assert heard.count("one:0") == 1
        with v1.Session() as session:
            session.run(other)
            assert heard.count("other:0") == 3


ONE_THREAD = v1.ConfigProto(inter_op_parallelism_threads=1, use_per_session_threads=True)


def numbers() -> tuple[Any, Any]:
    """A queue's op that puts 1, 2, 3 and 4 in, and a batch of two of them."""
    queue = tf.queue.FIFOQueue(8, [tf.int32], shapes=[[]])
    return queue.enqueue_many([[1, 2, 3, 4]]), tf.identity(queue.dequeue_many(2))


def test_a_batch_is_taken_while_all_threads_of_tensorflow_are_at_work() -> None:
    watch.install()
    begun, over = threading.Event(), threading.Event()

    def busy() -> int:
        begun.set()
        return int(over.wait(60))

    with tf.Graph().as_default(), ThreadPoolExecutor() as threads:
        fill, batch = numbers()
        occupied = v1.py_func(busy, [], tf.int64)
        with v1.Session(config=ONE_THREAD) as session:
            session.run(fill)
            ended = threads.submit(session.run, occupied)
            try:
                assert begun.wait(60)
                taken = threads.submit(session.run, batch).result(timeout=60).tolist()
                grouped = threads.submit(session.run, [tf.group(batch)]).result(timeout=60)
                assert not ended.done()
            finally:
                over.set()
    assert (taken, grouped) == ([1, 2], [None])


def test_a_call_that_computes_is_left_to_tensorflows_threads() -> None:
    watch.install()
    with tf.Graph().as_default():
        fill, batch = numbers()
        thread = v1.py_func(threading.get_ident, [], tf.int64)
        fed = v1.placeholder_with_default(3, [])
        with v1.Session() as session:
            session.run(fill)
            assert session.run([batch, thread])[1] != threading.get_ident()
            for fetches, feeds in (([fill], None), ([batch + 1], None), ([batch], {fed: 1})):
                assert calls.SessionCall(session, fetches, feeds).prepared(None) is None


class Both(NamedTuple):
    numbers: Any
    words: Any


class Listener:
    """Notes the names of the ops that calls fetch."""

    def __init__(self) -> None:
        self.ops: set[str] = set()

    def __call__(self, call: Any) -> bool:
        self.ops |= {op.name for op in call.ops()}
        return True


FORMS: dict[str, Any] = {
    "an op": lambda batch, words: batch.op,
    "a group": lambda batch, words: tf.group(batch, words),
    "a tensor": lambda batch, words: batch,
    "a list": lambda batch, words: [batch, words],
    "a tuple": lambda batch, words: (words, batch),
    "one of a list": lambda batch, words: [words],
    "one twice": lambda batch, words: [batch, batch.op, batch],
    "a dict": lambda batch, words: {"numbers": batch, "words": words},
    "a dict in order": lambda batch, words: OrderedDict([("words", words), ("numbers", batch)]),
    "a named tuple": Both,
    "a nest": lambda batch, words: ({"a": [batch], "b": Both(words, batch.op)}, [], {}),
    "names": lambda batch, words: [batch.name, words.op.name, words.name],
    "a sparse tensor": lambda batch, words: {"of": tf.SparseTensor([[0], [1]], words, [2])},
}


@pytest.mark.parametrize("form", FORMS)
def test_taking_a_batch_returns_and_raises_what_it_does_on_tensorflow(form: str) -> None:
    watch.install()
    with tf.Graph().as_default():
        queue = tf.queue.FIFOQueue(8, [tf.int32, tf.string], shapes=[[], []])
        fill = queue.enqueue_many([[1, 2, 3, 4, 5], ["a", "", "c", "d", "e"]])
        fetches = FORMS[form](*queue.dequeue_many(2, name="take"))
        close = queue.close()
        told: list[list[Any]] = []
        for run in (calls.run_unwatched, v1.Session.run):
            with v1.Session() as session:
                session.run(fill)
                got: list[Any] = [run(session, fetches) for _ in range(2)]
                got += [type(value) for value in (got[0], *tf.nest.flatten(got))]
                session.run(close)
                for _ in range(2):
                    with pytest.raises(tf.errors.OutOfRangeError) as at_the_end:
                        run(session, fetches)
                    error = at_the_end.value
                    told_by_tensorflow = error.message.partition("\nqueueio: ")[0].strip()
                    numberless = re.sub(r"'_\d+_fifo", "'_fifo", told_by_tensorflow)
                    got += [numberless, error.op, error.node_def]
            with pytest.raises(RuntimeError) as closed:
                run(session, fetches)
            told.append(tf.nest.map_structure(str, [*got, closed.value]))
        assert told[0] == told[1]


def test_a_batch_can_be_taken_after_the_graph_has_grown_and_from_a_changed_list() -> None:
    watch.install()
    with tf.Graph().as_default():
        fill, batch = numbers()
        more = [batch]
        with v1.Session() as session:
            session.run(fill)
            assert session.run(more)[0].tolist() == [1, 2]
            more.append(tf.constant(7))
            taken, seven = session.run(more)
            assert (taken.tolist(), seven) == ([3, 4], 7)
            session.run(fill)
            assert session.run(more[:1])[0].tolist() == [1, 2]
            assert session.run(tuple(more[:1]))[0].tolist() == [3, 4]


def test_a_name_that_comes_to_stand_for_a_batch_is_asked_for_anew() -> None:
    watch.install()
    with tf.Graph().as_default(), v1.Session() as session:
        fill, batch = numbers()
        session.run(fill)
        for _ in range(2):
            with pytest.raises(ValueError, match="later:0"):
                session.run([batch.name, "later:0"])
        tf.identity(batch, name="later")
        calls.listen(told := Listener())
        assert [value.tolist() for value in session.run([batch.name, "later:0"])] == [[1, 2]] * 2
        calls.unlisten(told)
        assert told.ops == {batch.op.name, "later"}


def test_a_batch_can_be_taken_from_a_dict_that_changes() -> None:
    watch.install()
    with tf.Graph().as_default():
        fill, batch = numbers()
        wanted = {"batch": batch}
        with v1.Session() as session:
            session.run(fill)
            assert session.run(wanted)["batch"].tolist() == [1, 2]
            wanted["seven"] = tf.constant(7)
            taken = session.run(wanted)
            assert (taken["batch"].tolist(), taken["seven"]) == ([3, 4], 7)
            session.run(fill)
            assert session.run({"other": batch})["other"].tolist() == [1, 2]


@pytest.mark.parametrize("form", sorted(set(FORMS) - {"a group", "a sparse tensor"}))
def test_of_fetches_that_are_written_anew_in_each_step_a_listener_is_told_once(form: str) -> None:
    watch.install()
    told: list[Any] = []

    def listener(call: Any) -> bool:
        told.append(call)
        return True

    with tf.Graph().as_default(), v1.Session() as session:
        one, other = tf.constant([1, 2]), tf.constant(["a", "b"])
        for _ in range(110):  # the first hundred calls are looked at by somebody else as well
            session.run(one)
        calls.listen(listener)
        for _ in range(3):
            session.run(FORMS[form](one, other))
        calls.unlisten(listener)
    assert len(told) == 1


def test_a_session_that_takes_batches_goes_when_the_program_lets_go_of_it() -> None:
    watch.install()
    with tf.Graph().as_default():
        fill, batch = numbers()
        session = v1.Session()
        session.run(fill)
        session.run(batch)
        gone = weakref.ref(session)
        del session
        assert gone() is None


def test_a_step_of_queueios_own_runs_in_the_thread_that_calls_it() -> None:
    watch.install()
    with tf.Graph().as_default():
        fill, batch = numbers()
        thread = v1.py_func(threading.get_ident, [], tf.int64)
        with v1.Session() as session:
            session.run(fill)
            step = calls.make_unwatched(session, [batch.op, thread, batch], here=True)
            nothing, ident, taken = step()
            assert (nothing, ident, taken.tolist()) == (None, threading.get_ident(), [1, 2])
            assert calls.make_unwatched(session, batch.op, here=True)() is None
            assert calls.make_unwatched(session, thread)() != threading.get_ident()
        with pytest.raises((tf.errors.CancelledError, RuntimeError), match="closed"):
            step()


def test_what_the_program_asks_of_a_call_that_takes_a_batch_is_answered() -> None:
    watch.install()
    with tf.Graph().as_default():
        fill, batch = numbers()
        with v1.Session() as session:
            session.run(fill)
            told = v1.RunMetadata()
            traced = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
            assert session.run(batch, options=traced, run_metadata=told).tolist() == [1, 2]
            assert any(
                "Dequeue" in node.node_name for node in told.step_stats.dev_stats[0].node_stats
            )
            assert session.run(batch, options=v1.RunOptions()).tolist() == [3, 4]
            with pytest.raises(tf.errors.DeadlineExceededError):
                session.run(batch, options=v1.RunOptions(timeout_in_ms=100))
        soon = v1.ConfigProto(operation_timeout_in_ms=100)
        with v1.Session(config=soon) as session, pytest.raises(tf.errors.DeadlineExceededError):
            session.run(batch)


def test_what_a_call_is_given_in_place_of_a_queues_elements_is_not_waited_for_or_taken() -> None:
    with tf.Graph().as_default():
        queue = tf.queue.FIFOQueue(8, [tf.int32, tf.int32], shapes=[[], []], name="fed")
        image, label = queue.dequeue()
        both = image + label
        with v1.Session() as session:
            given = calls.SessionCall(session, both, {image: 1, label: 2})
            assert session.run(both, given.feed_dict) == 3  # of an empty queue: nothing waits
            assert not waits_of(given)
            assert not needs_of(given).takes
            half = calls.SessionCall(session, both, {image: 1})
            assert [wait.queue for wait in waits_of(half)] == ["fed"]
            assert list(needs_of(half).takes) == ["fed"]
