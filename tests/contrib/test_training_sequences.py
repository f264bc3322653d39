"""Sequences in segments with states: tf.contrib.training.batch_sequences_with_states."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import settings, train
from queueio.contrib import training
from queueio.errors import FallbackWarning
from queueio.explain.account import accounts
from queueio.lift.pipelines import pipelines

v1 = tf.compat.v1
LENGTHS = (3, 5, 2, 4)


def segments(lengths: tuple[int, ...] = LENGTHS, **changed: Any) -> Any:
    """Sequences 10 n, 10 n + 1, … in segments of two, with a state that counts them."""
    n = train.range_input_producer(1000, shuffle=False).dequeue()
    length = tf.gather(tf.constant(lengths), n % len(lengths))
    given: dict[str, Any] = {
        "input_key": tf.strings.as_string(n),
        "input_sequences": {"x": tf.range(length) + 10 * n},
        "input_context": {"n": n},
        "input_length": None,
        "initial_states": {"seen": 0},
        "num_unroll": 2,
        "batch_size": 2,
        "num_threads": 1,
    }
    return training.batch_sequences_with_states(**{**given, **changed})


def steps(fetches: Any, count: int) -> list[Any]:
    """What a session gets in its first steps."""
    with v1.Session(config=v1.ConfigProto(operation_timeout_in_ms=20_000)) as session:
        session.run(v1.local_variables_initializer())
        coord = train.Coordinator()
        threads = train.start_queue_runners(session, coord)
        got = []
        with coord.stop_on_exception():
            got = [session.run(fetches) for _ in range(count)]
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=20)
    return got


def until_the_input_stops() -> None:
    """Runs the input threads alone, and raises what stopped them."""
    with v1.Session() as session:
        session.run(v1.local_variables_initializer())
        coord = train.Coordinator()
        threads = train.start_queue_runners(session, coord)
        stopped = coord.wait_for_stop(20)
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=20)
    assert stopped, "nothing went wrong"


def test_the_state_of_a_segment_is_what_was_saved_for_the_one_before() -> None:
    with tf.Graph().as_default():
        batch = segments(num_threads=3)
        seen = batch.state("seen")
        told = [batch.sequence, seen, batch.key, batch.next_key, batch.sequences["x"], batch.length]
        got = steps([told, batch.save_state("seen", seen + 1)], 12)
    for (sequence, seen, keys, next_keys, x, length), _ in got:
        assert (seen == sequence).all()
        for i, key in enumerate(keys):
            place, _, name = key.decode().partition(":")
            count = -(-LENGTHS[int(name) % len(LENGTHS)] // 2)
            assert place == f"{sequence[i]:05d}_of_{count:05d}"
            last = sequence[i] + 1 == count
            after = f"STOP:{name}" if last else f"{sequence[i] + 1:05d}_of_{count:05d}:{name}"
            assert next_keys[i].decode() == after
            first = 10 * int(name) + 2 * sequence[i]
            assert x[i][: length[i]].tolist() == list(range(first, first + length[i]))
            assert not x[i][length[i] :].any(), "zeros are what pads"


def test_no_more_examples_are_under_way_than_the_capacity() -> None:
    with tf.Graph().as_default():
        batch = segments((6, 6, 6), capacity=2)
        save = batch.save_state("seen", batch.state("seen"))
        got = steps([batch.context["n"], save], 6)
    assert [n.tolist() for n, _ in got] == [[0, 1]] * 3 + [[2, 3]] * 3


def test_after_the_last_segment_the_session_is_told_and_all_threads_end() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        n = train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
        batch = training.batch_sequences_with_states(
            tf.strings.as_string(n), {"x": tf.fill([4], n)}, {}, None, {"s": 0}, 2, 2,
            num_threads=1,
        )  # fmt: skip
        save = batch.save_state("s", batch.state("s"))
        session.run(v1.local_variables_initializer())
        coord = train.Coordinator()
        threads = train.start_queue_runners(session, coord)
        got = []
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                got.append(session.run([batch.sequences["x"], save])[0][:, 0].tolist())
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=20)
    assert got == [[0, 1], [0, 1], [2, 3], [2, 3]]


@pytest.mark.long
@pytest.mark.parametrize(
    ("lengths", "asked"), [((2,), ["key"]), ((3,), ["key", "seen"])], ids=["one", "several"]
)
def test_without_a_state_that_comes_back_no_more_than_the_capacity_comes(
    lengths: tuple[int, ...], asked: list[str]
) -> None:
    with tf.Graph().as_default():
        batch = segments(lengths, capacity=4)
        told = {"key": batch.key, "seen": batch.state("seen")}
        got = until_it_waits([told[name] for name in asked])
    count = -(-lengths[0] // 2)
    assert got == [
        [f"00000_of_{count:05d}:{n}".encode() for n in pair] for pair in ((0, 1), (2, 3))
    ]


def until_it_waits(fetches: Any) -> list[Any]:
    """The first fetch of the steps before one that nothing ends."""
    with v1.Session() as session:
        session.run(v1.local_variables_initializer())
        coord = train.Coordinator()
        threads = train.start_queue_runners(session, coord)
        got = []
        soon = v1.RunOptions(timeout_in_ms=1_000)
        with pytest.raises(tf.errors.DeadlineExceededError):
            while len(got) < 9:
                got.append(
                    session.run(fetches, options=soon if len(got) >= 2 else None)[0].tolist()
                )
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=20)
    return got


def test_a_meta_graph_with_the_runner_is_written_and_cannot_be_read_as_in_tf1() -> None:
    with tf.Graph().as_default():
        segments()
        saved = v1.train.export_meta_graph()
    with tf.Graph().as_default(), pytest.raises(KeyError, match="InputQueueingStateSaver/"):
        v1.train.import_meta_graph(saved)


def test_a_sparse_sequence_comes_back_step_by_step() -> None:
    with tf.Graph().as_default():
        dense = np.arange(1, 13).reshape(4, 3) * np.array([[1], [0], [1], [1]])
        batch = segments(
            input_sequences={"x": tf.sparse.from_dense(dense)},
            input_context={"c": tf.sparse.from_dense([0, 7])},
            input_length=4,
            pad=False,
        )
        parts = {"x": batch.sequences["x"], "c": batch.context["c"]}
        whole = {key: tf.sparse.to_dense(value) for key, value in parts.items()}
        got = steps([whole, batch.save_state("seen", batch.state("seen"))], 2)
    assert [told["x"].tolist() for told, _ in got] == [
        [dense[:2].tolist()] * 2,
        [dense[2:].tolist()] * 2,
    ]
    assert all(told["c"].tolist() == [[0, 7], [0, 7]] for told, _ in got)


def test_the_context_that_was_given_is_left_as_it_is() -> None:
    with tf.Graph().as_default():
        context = {"c": tf.sparse.from_dense([0, 7])}
        segments(input_context=context)
        assert list(context) == ["c"]


def test_unequal_sequences_stop_the_input_with_both_lengths() -> None:
    with tf.Graph().as_default(), pytest.raises(tf.errors.InvalidArgumentError, match="must match"):
        segments(input_sequences={"x": tf.range(3), "y": tf.range(4)})
        until_the_input_stops()


def test_a_length_that_no_segments_fill_needs_padding() -> None:
    said = r"multiple of: 2, but saw value: 3\. Consider setting pad=True"
    with tf.Graph().as_default(), pytest.raises(tf.errors.InvalidArgumentError, match=said):
        three = tf.range(train.input_producer([3], shuffle=False).dequeue())
        segments(input_sequences={"x": three}, input_length=3, pad=False)
        until_the_input_stops()


@pytest.mark.parametrize("num_threads", [1, 3])
def test_a_call_that_waits_for_segments_ends_when_the_input_fails(num_threads: int) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        three = tf.range(train.input_producer([3], shuffle=False).dequeue())
        batch = segments(
            input_sequences={"x": three}, input_length=3, pad=False, num_threads=num_threads
        )
        session.run(v1.local_variables_initializer())
        coord = train.Coordinator()
        threads = train.start_queue_runners(session, coord)
        with pytest.raises(tf.errors.OutOfRangeError, match="is closed"):  # as in 1.15.5
            session.run(batch.key, options=v1.RunOptions(timeout_in_ms=10_000))
        with pytest.raises(tf.errors.InvalidArgumentError, match="Consider setting pad=True"):
            coord.join(threads, stop_grace_period_secs=20)


def test_a_state_of_another_shape_is_refused_where_it_is_saved() -> None:
    with tf.Graph().as_default():
        batch = segments()
        with pytest.raises(ValueError, match=r"Rank check failed for .*convert_seen"):
            batch.save_state("seen", [[1, 2]])
        with pytest.raises(KeyError, match="state was not declared: other"):
            batch.save_state("other", 0)


def test_lift_names_the_barrier_its_line_and_what_to_do() -> None:
    def build() -> Any:
        return segments().sequences["x"]

    with pytest.raises(queueio.NoEquivalent) as caught:
        queueio.lift(build)
    said = str(caught.value)
    assert "BarrierTakeMany" in said
    assert "test_training_sequences.py" in said
    assert "the states that the session saves" in said
    assert "Run it on the queue engine" in said
    assert "Here nothing saves one, so only first segments come" in said


def test_lift_names_what_saves_a_state() -> None:
    def build() -> Any:
        batch = segments()
        batch.save_state("seen", batch.state("seen") + 1, name="carry")
        return batch.sequences["x"]

    said = r"BarrierInsertState_seen' saves one \(test_training_sequences.py"
    with pytest.raises(queueio.NoEquivalent, match=said):
        queueio.lift(build)


def test_what_waits_for_a_save_is_refused_as_the_batch_is() -> None:
    def build() -> Any:
        batch = segments()
        with tf.control_dependencies([batch.save_state("seen", batch.state("seen") + 1)]):
            return tf.identity(batch.length)

    with pytest.raises(queueio.NoEquivalent, match="the states that the session saves"):
        queueio.lift(build)


def test_what_is_told_of_a_graph_is_its_barrier_and_not_the_tokens_beside_it() -> None:
    with tf.Graph().as_default() as graph:
        batch = segments(num_threads=2)
        batch.save_state("seen", batch.state("seen") + 1)
        (found,) = pipelines(graph)
        (told,) = accounts([found])
        assert found.op.type == "BarrierTakeMany"
    assert told.refusal is not None and "saves one" in str(told.refusal)
    (barrier,) = told.last.inputs
    assert (barrier.title, barrier.parameters) == ("Barrier", ("num_threads=2",))
    assert [stage.title for stage in barrier.inputs] == ["QueueDequeue"]


def test_the_data_engine_leaves_it_to_the_queues_or_fails_with_strict() -> None:
    with tf.Graph().as_default(), queueio.engine("data"):
        batch = segments()
        save = batch.save_state("seen", batch.state("seen") + 1)
        with pytest.warns(FallbackWarning, match="the states that the session saves"):
            got = steps([batch.state("seen"), batch.sequence, save], 3)
    assert all((seen == sequence).all() for seen, sequence, _ in got)
    with (
        tf.Graph().as_default(),
        settings.override(engine="data", strict=True),
        pytest.raises(queueio.NoEquivalent, match="the states that the session saves"),
    ):
        steps(segments().key, 1)
