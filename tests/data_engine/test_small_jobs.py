"""The data engine leaves a few examples to the queues, which deliver them before it is ready."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import io, settings, train
from queueio.graph.index import INSTEAD

v1 = tf.compat.v1


def of_numbers(count: int, epochs: int | None) -> Any:
    return train.range_input_producer(count, num_epochs=epochs, shuffle=False).dequeue()


def of_lines(folder: Path, count: int, epochs: int | None) -> Any:
    for part in range(2):
        (folder / f"{part}.csv").write_text("".join(f"{n}\n" for n in range(part, count, 2)))
    names = [str(folder / f"{part}.csv") for part in range(2)]
    files = train.string_input_producer(names, num_epochs=epochs, shuffle=False)
    return tf.strings.to_number(io.TextLineReader().read(files)[1], tf.int32)


def engine_of(build: Callable[[], Any], most: int, steps: int = 1) -> tuple[str, list[int]]:
    """The engine that the first batch function's queue runs on, and what came out of it."""
    chosen = settings.override(engine="data", small_job=most, strict=True)
    with tf.Graph().as_default() as graph, queueio.engine("data"), chosen:
        batch = build()
        runners = graph.get_collection(v1.GraphKeys.QUEUE_RUNNERS)
        (runner,) = (each for each in runners if hasattr(each, "forwarder"))
        with v1.Session() as session:
            session.run(v1.local_variables_initializer())
            found: list[int] = []
            with queueio.running(session):
                try:
                    for _ in range(steps):
                        found += session.run(batch).tolist()
                except tf.errors.OutOfRangeError:
                    pass
                return "data" if runner.made_in(session) else "queue", found


@pytest.mark.parametrize("kind", ["numbers", "lines"])
@pytest.mark.parametrize(("most", "engine"), [(40, "queue"), (39, "data"), (0, "data")])
def test_the_queues_deliver_all_of_a_few_examples_without_a_word(
    kind: str, most: int, engine: str, tmp_path: Path
) -> None:
    def build() -> Any:
        one = of_numbers(20, 2) if kind == "numbers" else of_lines(tmp_path, 20, 2)
        return train.shuffle_batch([one], 8, 30, 10, allow_smaller_final_batch=True)

    with warnings.catch_warnings():
        warnings.simplefilter("error", queueio.FallbackWarning)
        which, found = engine_of(build, most, steps=10)
    assert which == engine
    assert sorted(found) == sorted(2 * list(range(20)))


def test_an_input_without_an_end_is_no_small_job() -> None:
    assert engine_of(lambda: train.batch([of_numbers(5, None)], 4), 10**6)[0] == "data"


def test_one_whose_examples_nobody_can_count_is_none() -> None:
    def build() -> Any:
        some = train.limit_epochs(tf.random.uniform([], 1, 5, tf.int32), 3)
        return train.batch([tf.range(some)], 2, enqueue_many=True)

    assert engine_of(build, 10**6)[0] == "data"


def test_where_a_checkpoint_may_hold_its_place_the_data_engine_keeps_it() -> None:
    def build() -> Any:
        step = v1.train.get_or_create_global_step()
        v1.train.Saver([step])
        return train.batch([of_numbers(20, 1)], 4)

    assert engine_of(build, 10**6)[0] == "data"


@pytest.mark.parametrize("strict", [False, True], ids=["as a rule", "but under strict"])
def test_what_a_small_job_could_not_be_lifted_for_is_told_only_under_strict(strict: bool) -> None:
    chosen = settings.override(engine="data", small_job=40, strict=strict)
    with tf.Graph().as_default(), chosen, v1.Session() as session, warnings.catch_warnings():
        warnings.simplefilter("error", queueio.FallbackWarning)
        numbers = of_numbers(20, 1)
        batch = train.batch([numbers], 4)
        v1.get_collection(v1.GraphKeys.QUEUE_RUNNERS)[0].queue.dequeue(name="late")
        session.run(v1.local_variables_initializer())
        if strict:
            with pytest.raises(queueio.NotLifted, match="late"):
                v1.train.start_queue_runners(session)
            return
        with queueio.running(session):
            assert [session.run(batch).tolist() for _ in range(5)] == [
                list(range(n, n + 4)) for n in range(0, 20, 4)
            ]


def of_sparse_rows(slowly: bool) -> Any:
    """Endless lots of rows of which one component is sparse."""
    lot = of_numbers(5, None) + tf.range(12)
    lot = tf.map_fn(lambda n: n + 1, lot) if slowly else lot
    ids = tf.sparse.from_dense(tf.reshape(lot, [6, 2]))
    return train.batch([ids, lot[::2]], 4, enqueue_many=True)[1]


@pytest.mark.parametrize(
    ("most", "slowly", "saved", "engine"),
    [
        (1, False, False, "queue"),
        (0, False, False, "data"),
        (1, True, False, "data"),
        (1, False, True, "data"),
    ],
    ids=["as a rule", "but as told", "but where it takes time", "but where a checkpoint holds it"],
)
def test_sparse_rows_of_lots_are_left_to_the_queues(
    most: int, slowly: bool, saved: bool, engine: str
) -> None:
    def build() -> Any:
        if saved:
            v1.train.Saver([v1.train.get_or_create_global_step()])
        return of_sparse_rows(slowly)

    assert engine_of(build, most)[0] == engine


@pytest.mark.parametrize(("threads", "engine"), [(2, "queue"), (1, "data")])
def test_two_python_functions_in_a_row_in_threads_are_left_to_the_queues(
    threads: int, engine: str
) -> None:
    def build() -> Any:
        number = of_numbers(5, None)
        for _ in range(2):
            number = tf.ensure_shape(tf.numpy_function(lambda n: n + 1, [number], tf.int32), [])
        v1.train.Saver([v1.train.get_or_create_global_step()])
        return train.batch([number], 4, num_threads=threads)

    assert engine_of(build, 1)[0] == engine


def test_the_report_says_why_and_how_to_have_the_data_engine() -> None:
    from queueio.data_engine.sooner import SoonerInQueues

    told = str(SoonerInQueues.few(1200))
    assert "1,200 examples" in told
    assert "QUEUEIO_SMALL_JOB=0" in told


def of_tf_data(graph: tf.Graph) -> list[str]:
    """The ops of a graph by which an iterator fills the queue of ready batches."""
    return [op.name for op in graph.get_operations() if INSTEAD in op.name]


@pytest.mark.parametrize(("most", "engine"), [(40, "queue"), (0, "data")])
def test_the_graph_gets_tf_datas_ops_once_and_only_where_they_are_run(
    most: int, engine: str
) -> None:
    chosen = settings.override(engine="data", small_job=most, strict=True)
    with tf.Graph().as_default() as graph, queueio.engine("data"), chosen:
        batch = train.shuffle_batch([of_numbers(20, 1)], 4, 30, 10)
        assert not of_tf_data(graph)
        kept = {key: graph.get_collection(key) for key in graph.get_all_collection_keys()}
        graph.finalize()
        added: list[list[str]] = []
        for _ in range(2):
            with v1.Session(graph=graph) as session:
                session.run([v.initializer for v in v1.local_variables()])
                with queueio.running(session):
                    found = [n for _ in range(5) for n in session.run(batch)]
            assert sorted(found) == list(range(20))
            added.append(of_tf_data(graph))
        assert bool(added[0]) == (engine == "data")
        assert added[0] == added[1]
        assert graph.finalized
        assert kept == {key: graph.get_collection(key) for key in graph.get_all_collection_keys()}


@pytest.mark.parametrize("small_job", [0, 100])
def test_what_is_built_late_is_built_where_the_batch_was_and_waits_for_nothing(
    small_job: int,
) -> None:
    chosen = settings.override(engine="data", small_job=small_job, strict=True)
    with tf.Graph().as_default() as graph, queueio.engine("data"), chosen:
        with tf.device("/cpu:0"):
            batch = train.batch([of_numbers(8, 1)], 4)
        never = tf.raw_ops.Abort()
        with v1.Session() as session:
            session.run(v1.local_variables_initializer())
            with tf.control_dependencies([never]), tf.device("/cpu:1"), queueio.running(session):
                assert [session.run(batch).tolist() for _ in range(2)] == [
                    [0, 1, 2, 3],
                    [4, 5, 6, 7],
                ]
        late = [graph.get_operation_by_name(name) for name in of_tf_data(graph)]
        assert {op.device for op in late} <= {"/device:CPU:0"}
        assert not any(never in op.control_inputs for op in late)


def test_seeds_of_ops_made_after_the_start_are_those_of_stock_queues() -> None:
    def seed_after_start(engine: str) -> int:
        chosen = settings.override(engine=engine, small_job=0)
        with tf.Graph().as_default(), queueio.engine(engine), chosen, v1.Session() as session:
            v1.set_random_seed(3)
            train.shuffle_batch([of_numbers(8, 1)], 4, 30, 10)
            session.run(v1.local_variables_initializer())
            with queueio.running(session):
                return int(tf.random.uniform([]).op.get_attr("seed2"))

    assert seed_after_start("data") == seed_after_start("queue")


def delivered(engine: str, at: int | None, size: int, stop_after: int | None) -> list[int]:
    """What can be taken of 60 numbers, the one at `at` failing, all stopped after some steps."""
    chosen = settings.override(engine=engine, small_job=100, strict=True)
    with tf.Graph().as_default(), queueio.engine(engine), chosen:
        number = of_numbers(60, 1)
        failing = tf.debugging.Assert(tf.not_equal(number, -1 if at is None else at), [number])
        with tf.control_dependencies([failing]):
            checked = tf.identity(number)
        batch = train.batch([checked], size, capacity=32)
        found: list[int] = []
        with v1.Session() as session:
            session.run(v1.local_variables_initializer())
            coord = train.Coordinator()
            threads = train.start_queue_runners(session, coord)
            with pytest.raises(tf.errors.OutOfRangeError):
                while True:
                    found += session.run(batch).tolist()
                    if stop_after is not None and len(found) >= stop_after:
                        time.sleep(0.2)  # the queue is full by then
                        coord.request_stop()
                        coord.join(threads, ignore_live_threads=False)
            coord.request_stop()
            if at is None:
                coord.join(threads)
            else:
                with pytest.raises(tf.errors.InvalidArgumentError):
                    coord.join(threads)
        return found


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("at", [0, 1, 31, 33, 50, 59])
def test_all_batches_before_a_failing_example_come_as_on_the_queues(size: int, at: int) -> None:
    expected = list(range(at - at % size))
    assert delivered("queue", at, size, None) == expected
    assert delivered("data", at, size, None) == expected


@pytest.mark.long
def test_what_the_example_queue_holds_at_a_stop_can_still_be_taken() -> None:
    on_queues = delivered("queue", None, 1, 2)
    assert on_queues == list(range(len(on_queues)))
    assert len(on_queues) >= 2 + 32
    assert delivered("data", None, 1, 2)[: len(on_queues)] == on_queues


ONE, IN_A_ROW, BESIDE, CHOSEN = "one", "in a row", "beside each other", "under a cond"
CALLS: dict[str, Callable[[Any], list[Any]]] = {
    ONE: lambda x: [v1.py_func(_more, [x], tf.int32)],
    IN_A_ROW: lambda x: [v1.py_func(_more, [v1.py_func(_more, [x], tf.int32)], tf.int32)],
    BESIDE: lambda x: [v1.py_func(_more, [x], tf.int32), v1.py_func(_more, [x + 1], tf.int32)],
    CHOSEN: lambda x: [tf.cond(x > 9, lambda: v1.py_func(_more, [x], tf.int32), lambda: x)],
}
"""Functions in Python, as an example may have them."""


def _more(number: Any) -> Any:
    return np.int32(number + 1)


@pytest.mark.parametrize(
    ("calls", "threads", "most", "engine"),
    [
        (ONE, 4, 10, "data"), (IN_A_ROW, 4, 10, "queue"), (BESIDE, 4, 10, "queue"),
        (CHOSEN, 4, 10, "queue"), (IN_A_ROW, 1, 10, "data"), (IN_A_ROW, 4, 0, "data"),
    ],
)  # fmt: skip
def test_several_python_functions_in_several_threads_are_left_to_the_queues(
    calls: str, threads: int, most: int, engine: str
) -> None:
    """TF1's threads call them at a third of what tf.data takes, where each may end its thread."""

    def build() -> Any:
        made = CALLS[calls](of_numbers(20, 2))
        for tensor in made:
            tensor.set_shape([])
        return train.batch([tf.add_n(made)], 4, num_threads=threads)

    with warnings.catch_warnings():
        warnings.simplefilter("error", queueio.FallbackWarning)
        which, found = engine_of(build, most, steps=10)
    assert which == engine
    assert len(found) == 40
