"""learn's input functions: what the golden pipelines do not show."""

from __future__ import annotations

import random
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import tensorflow as tf

import queueio
from queueio import contrib, settings, train
from queueio.contrib.learn import frames, padding
from queueio.contrib.learn.feeding_functions import enqueue_data
from queueio.contrib.learn.feeding_queue_runner import FeedingQueueRunner
from queueio.contrib.learn.numpy_io import core_numpy_input_fn
from queueio.contrib.learn.pandas_io import core_pandas_input_fn
from queueio.runtime.threads.start import running

v1 = tf.compat.v1
learn = contrib.learn
CONFIG = v1.ConfigProto(operation_timeout_in_ms=20000)


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


@pytest.fixture
def lines(tmp_path: Path) -> list[str]:
    """Two files of lines: 0 1 2 and 3 4."""
    files = [tmp_path / "a.txt", tmp_path / "b.txt"]
    files[0].write_text("0\n1\n2\n")
    files[1].write_text("3\n4\n")
    return [str(file) for file in files]


def drawn(fetches: Any, most: int = 99) -> list[Any]:
    """What session calls give until the end."""
    found: list[Any] = []
    with v1.Session(config=CONFIG) as session:
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        with running(session):
            try:
                while len(found) < most:
                    found.append(session.run(fetches))
            except tf.errors.OutOfRangeError:
                pass
    return found


def test_a_frame_of_strings_and_numbers_is_fed_by_its_index() -> None:
    frame = pd.DataFrame({"s": ["x", "y", "z"], "n": [1.5, 2.5, 3.5]}, index=[7, 8, 9])
    index, strings, numbers = enqueue_data(frame, 10, num_epochs=1).dequeue_many(3)
    assert [t.dtype for t in (index, strings, numbers)] == [tf.int64, tf.string, tf.float64]
    ((at, s, n),) = drawn([index, strings, numbers])
    assert (at.tolist(), s.tolist(), n.tolist()) == ([7, 8, 9], [b"x", b"y", b"z"], [1.5, 2.5, 3.5])


def test_a_frame_of_the_column_types_that_pandas_itself_has_keeps_their_numbers() -> None:
    frame = pd.DataFrame({"n": pd.array([1, 2], dtype="Int32")})
    assert frames.column_types(frame) == [tf.int64, tf.int32]
    assert not frames.is_frame([1, 2])


def test_targets_of_a_frame_leave_the_features() -> None:
    x = pd.DataFrame({"a": [1, 2], "b": [3, 4]})
    y = pd.DataFrame({"b": [5, 6], "c": [7, 8]})
    ((features, target),) = drawn(core_pandas_input_fn(x, y, 2, shuffle=False)())
    assert {key: value.tolist() for key, value in features.items()} == {"a": [1, 2], "b": [3, 4]}
    assert {key: value.tolist() for key, value in target.items()} == {"b": [5, 6], "c": [7, 8]}
    assert list(x.columns) == ["a", "b"], "the caller's frame is as it was"


def test_the_queue_of_a_frame_without_a_capacity_holds_four_frames_if_shuffled(graph: Any) -> None:
    core_pandas_input_fn(pd.DataFrame({"a": [1, 2, 3]}), shuffle=True, queue_capacity=None)()
    queue = next(op for op in graph.get_operations() if op.type == "RandomShuffleQueueV2")
    assert queue.get_attr("capacity") == 12
    assert queue.get_attr("min_after_dequeue") == 3


@pytest.mark.parametrize(
    ("kind", "words", "call"),
    [
        (ValueError, "explicitly set", lambda: core_numpy_input_fn(np.ones(2))),
        (ValueError, "explicitly set", lambda: core_pandas_input_fn(pd.DataFrame({"a": [1]}))),
        (TypeError, "must be a dict or array", learn.io.numpy_input_fn([1, 2])),
        (ValueError, "x cannot be an empty dict", learn.io.numpy_input_fn({})),
        (ValueError, "x cannot be an empty array", learn.io.numpy_input_fn(np.ones(0))),
        (ValueError, "use None", learn.io.numpy_input_fn(np.ones(2), {})),
        (
            ValueError,
            "duplicate keys",
            learn.io.numpy_input_fn({"a": np.ones(2)}, {"a": np.ones(2)}),
        ),
        (
            ValueError,
            r"mismatched[\s\S]*\(2,\)[\s\S]*\(3,\)",
            learn.io.numpy_input_fn({"a": np.ones(2)}, np.ones(3)),
        ),
        (
            ValueError,
            "Cannot use name a",
            lambda: learn.io.pandas_input_fn(
                pd.DataFrame({"a": [1]}), pd.Series([1]), target_column="a"
            ),
        ),
        (
            ValueError,
            "mismatched",
            lambda: learn.io.pandas_input_fn(pd.DataFrame({"a": [1]}), pd.Series([1], index=[5])),
        ),
        (
            TypeError,
            "string type",
            lambda: learn.io.pandas_input_fn(pd.DataFrame({"a": [1]}), target_column=3),
        ),
        (TypeError, "got list", lambda: enqueue_data([1, 2], 5)),
        (
            NotImplementedError,
            "generator usage",
            lambda: enqueue_data(np.ones(2), 5, pad_value=0),
        ),
        (ValueError, "shapes must match", lambda: padding.padded([np.ones(1), np.ones([1, 1])], 0)),
        (ValueError, "same length", lambda: FeedingQueueRunner(*fed_queue(), feed_fns=[])),
    ],
)
def test_what_cannot_be_fed_is_refused_in_words(kind: type, words: str, call: Any) -> None:
    with pytest.raises(kind, match=words):
        call()


def fed_queue() -> tuple[Any, list[Any]]:
    queue = queueio.io.FIFOQueue(5, [tf.int32], [[]])
    return queue, [queue.enqueue([tf.constant(1)])]


def test_a_padded_generator_is_not_shuffled() -> None:
    def elements() -> Any:
        yield {"a": np.ones(1)}

    with pytest.raises(NotImplementedError, match="shuffling"):
        enqueue_data(elements, 5, shuffle=True, pad_value=0)


def test_pandas_values_are_taken_out_of_frames_only() -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": [True, False]})
    assert learn.extract_pandas_data(frame).tolist() == [[1.0, 1.0], [2.0, 0.0]]
    assert learn.extract_pandas_matrix(frame[["a"]]).tolist() == [[1], [2]]
    assert learn.extract_pandas_labels(frame[["a"]]).tolist() == [[1], [2]]
    for extract in (learn.extract_pandas_data, learn.extract_pandas_labels):
        assert extract("other") == "other"
        with pytest.raises(ValueError, match=r"must be int, float, or bool. Found: 's'"):
            extract(pd.DataFrame({"s": ["x"]}))
    with pytest.raises(ValueError, match="Only one column"):
        learn.extract_pandas_labels(frame)


def test_two_threads_feed_twice_the_data_and_say_so(caplog: pytest.LogCaptureFixture) -> None:
    logger = v1.logging.get_logger() if hasattr(v1.logging, "get_logger") else None
    if logger is not None:
        logger.addHandler(caplog.handler)
    row, _ = enqueue_data(np.arange(3), 20, num_threads=2, num_epochs=2).dequeue_up_to(100)
    assert sorted(np.concatenate(drawn(row)).tolist()) == sorted([0, 1, 2] * 4)
    if logger is not None:
        logger.removeHandler(caplog.handler)
        assert "num_epochs is applied per thread" in caplog.text


def test_pythons_own_random_numbers_are_left_alone() -> None:
    random.seed(5)
    before = random.getstate()
    enqueue_data(np.arange(9), 20, shuffle=True, seed=3)
    assert random.getstate() == before


def test_what_a_feeding_function_raises_reaches_the_main_thread() -> None:
    queue = queueio.io.FIFOQueue(5, [tf.int32], [[]])
    value = v1.placeholder(tf.int32, [])

    def fails() -> Any:
        raise LookupError("no more coal")

    runner = FeedingQueueRunner(queue, [queue.enqueue([value])], feed_fns=[fails])
    v1.train.add_queue_runner(runner)
    with pytest.raises(LookupError, match="no more coal"):
        drawn(queue.dequeue())


def test_an_op_that_is_there_twice_is_fed_by_both_its_functions() -> None:
    queue = queueio.io.FIFOQueue(5, [tf.int32], [[]])
    value = v1.placeholder(tf.int32, [])
    op = queue.enqueue([value])
    feeds = [counting(value, 0), counting(value, 10), None]
    default = queue.enqueue([tf.constant(99)])
    runner = FeedingQueueRunner(queue, [op, op, default], feed_fns=feeds)
    v1.train.add_queue_runner(runner)
    assert {0, 1, 10, 11, 99} <= set(drawn(queue.dequeue(), most=300))


def counting(value: Any, start: int) -> Any:
    lock, given = threading.Lock(), iter(range(start, start + 2))

    def feed() -> Any:
        with lock:
            number = next(given, None)
        if number is None:
            raise tf.errors.OutOfRangeError(None, None, "all given")
        return {value: number}

    return feed


def test_what_python_feeds_is_in_no_meta_graph() -> None:
    runner = FeedingQueueRunner(*fed_queue())
    with pytest.raises(NotImplementedError, match="serialization to proto"):
        runner.to_proto()
    with pytest.raises(ValueError, match="Must provide"):
        FeedingQueueRunner()


def arrays_of_five() -> Any:
    return core_numpy_input_fn({"n": np.arange(5)}, batch_size=2, shuffle=False)()


def test_fed_arrays_lift_and_each_pass_of_the_dataset_has_all_of_them() -> None:
    plan = queueio.lift(arrays_of_five)
    with tf.Graph().as_default(), v1.Session(config=CONFIG) as session:
        iterator = v1.data.make_initializable_iterator(plan.to_dataset())
        batch = iterator.get_next()["n"]
        for _ in range(2):
            session.run(iterator.initializer)
            assert [session.run(batch).tolist() for _ in range(3)] == [[0, 1], [2, 3], [4]]
            with pytest.raises(tf.errors.OutOfRangeError):
                session.run(batch)


def test_fed_arrays_are_not_written_as_source() -> None:
    with pytest.raises(queueio.NotLifted, match=r"in the program's memory.*from_tensor_slices"):
        queueio.lift(arrays_of_five).to_source()


@pytest.mark.parametrize("engine", ["queue", "data"])
def test_a_second_session_goes_on_where_the_first_left_the_arrays(engine: str) -> None:
    with settings.override(engine=engine, strict=True), tf.Graph().as_default():
        batch = arrays_of_five()
        assert [step["n"].tolist() for step in drawn(batch)] == [[0, 1], [2, 3], [4]]
        assert drawn(batch) == []


@pytest.mark.parametrize("engine", ["queue", "data"])
def test_a_checkpoint_beside_fed_arrays_is_saved_and_a_restored_run_begins_them_anew(
    engine: str, tmp_path: Path
) -> None:
    rows = np.arange(5000)
    path = str(tmp_path / "model")

    def steps(restored: bool) -> list[int]:
        with settings.override(engine=engine, strict=True), tf.Graph().as_default():
            features, _ = core_numpy_input_fn({"n": rows}, rows, 1, num_epochs=1, shuffle=False)()
            batch = train.batch([features["n"][0]], 4)
            v1.train.get_or_create_global_step()
            saver = v1.train.Saver()
            with v1.Session() as session:
                session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
                if restored:
                    saver.restore(session, path)
                coord = train.Coordinator()
                threads = train.start_queue_runners(session, coord)
                got = [session.run(batch).tolist() for _ in range(3)]
                saver.save(session, path)
                coord.request_stop()
                coord.join(threads)
        return [n for step in got for n in step]

    assert steps(restored=False) == steps(restored=True) == list(range(12))


def test_fed_generators_are_refused_by_name_and_left_to_their_threads() -> None:
    def elements() -> Any:
        yield from ({"n": np.array(i)} for i in range(4))

    def build() -> Any:
        return learn.io.generator_input_fn(elements, batch_size=2, shuffle=False)()

    with pytest.raises(queueio.NoEquivalent, match=r"Placeholder op 'enqueue_input/Placeholder"):
        queueio.lift(build)


def test_the_position_among_the_files_survives_a_checkpoint(
    lines: list[str], tmp_path: Path
) -> None:
    name = contrib.input_pipeline.seek_next(["a", "b", "c"], num_epochs=2)
    saver, path = v1.train.Saver(), str(tmp_path / "position")
    with v1.Session(config=CONFIG) as session:
        session.run(v1.global_variables_initializer())
        assert [session.run(name) for _ in range(2)] == [b"a", b"b"]
        saver.save(session, path)
    with v1.Session(config=CONFIG) as session:
        saver.restore(session, path)
        assert [session.run(name) for _ in range(4)] == [b"c", b"a", b"b", b"c"]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(name)


def test_threads_that_seek_at_once_share_the_strings() -> None:
    wanted = [str(i).encode() for i in range(60)]
    name = contrib.input_pipeline.seek_next([w.decode() for w in wanted], num_epochs=1)
    queue = queueio.io.FIFOQueue(100, [tf.string], [[]])
    v1.train.add_queue_runner(train.QueueRunner(queue, [queue.enqueue([name])] * 4))
    assert sorted(drawn(queue.dequeue())) == sorted(wanted)


def test_each_epoch_of_seek_next_has_an_order_of_its_own_and_the_list_stays(graph: Any) -> None:
    names = ["a", "b", "c", "d", "e", "f"]
    got = drawn(contrib.input_pipeline.seek_next(names, shuffle=True, seed=4, num_epochs=2))
    assert got[:6] != got[6:]
    assert sorted(got) == sorted([n.encode() for n in names] * 2)
    assert names == ["a", "b", "c", "d", "e", "f"]


def test_a_second_seek_in_one_scope_is_refused() -> None:
    contrib.input_pipeline.seek_next(["a"])
    with pytest.raises(ValueError, match="already exists"):
        contrib.input_pipeline.seek_next(["a"])


def test_a_read_batch_size_that_is_a_tensor_is_refused(lines: list[str]) -> None:
    with pytest.raises(TypeError, match="read_batch_size"):
        learn.read_batch_examples(
            lines, 2, v1.TextLineReader, read_batch_size=tf.constant(2, tf.int64)
        )


def test_names_of_a_shared_queue_cannot_be_lifted_and_the_refusal_says_where(
    lines: list[str],
) -> None:
    def build() -> Any:
        return learn.read_keyed_batch_examples_shared_queue(
            lines, 2, v1.TextLineReader, queue_capacity=9
        )

    with pytest.raises(queueio.NotLifted, match=r"obtain_next[\s\S]*test_learn.py"):
        queueio.lift(build)
