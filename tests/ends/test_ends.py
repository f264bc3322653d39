"""An op of the program that raises OutOfRangeError ends the stream, in every form as in TF1."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import train

v1 = tf.compat.v1
HERE = Path(__file__).parent


@pytest.mark.long
@pytest.mark.parametrize("behaviour", ["v1", "v2"])
def test_every_form_delivers_what_tf1_did_and_ends_as_it_did(
    run_python: Callable[..., Any], tmp_path: Path, behaviour: str
) -> None:
    lines = (HERE / "tf_1_15_5.jsonl").read_text().splitlines(keepends=True)
    code = f"""
import sys
from tests.ends import every_form
sys.argv[1:] = ["--recorded", "some.jsonl", "--behaviour", {behaviour!r}]
every_form.main()
"""
    some = lines[::2] if behaviour == "v1" else lines[1::2]
    (tmp_path / "some.jsonl").write_text("".join(some))
    done = run_python(code, timeout=600)
    assert done.returncode == 0 and "FAILED" not in done.stdout, done.stdout + done.stderr[-3000:]
    assert f'"same: data engine": {len(some)}' in done.stdout


@pytest.mark.long
def test_without_a_coordinator_a_used_up_generator_ends_the_steps(
    run_python: Callable[..., Any],
) -> None:
    done = run_python(
        """
import numpy as np, queueio.v1 as tf
numbers = iter(range(23))
x = tf.py_func(lambda: np.int64(next(numbers)), [], tf.int64); x.set_shape([])
batch = tf.train.batch([x], 5)
with tf.Session() as session:
    tf.train.start_queue_runners(session)
    try:
        while True:
            print(session.run(batch).sum(), flush=True)
    except tf.errors.OutOfRangeError as end:
        print("END", end.message)
""",
        env={"QUEUEIO_ENGINE": "data", "TF_CPP_MIN_LOG_LEVEL": "3"},
    )
    assert done.returncode == 0 and done.stdout.splitlines()[:4] == ["10", "35", "60", "85"]
    assert "END" in done.stdout and "delivered 20" in done.stdout
    assert "Fallback" not in done.stderr


def python(function: Any, *inputs: Any, dtype: Any = tf.int32) -> Any:
    made = v1.py_func(function, inputs, dtype)
    made.set_shape([])
    return made


def numbers(count: int = 40) -> Any:
    return train.range_input_producer(count, num_epochs=1, shuffle=False).dequeue()


def failing_at(place: int, error: type[Exception]) -> Callable[[Any], Any]:
    def pass_on(number: Any) -> Any:
        if number == place:
            raise error
        return number

    return pass_on


@pytest.mark.parametrize("vectorise", [True, False])
@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_that_is_no_end_keeps_its_type(vectorise: bool, threads: int) -> None:
    for raised, known in [
        (ValueError, tf.errors.InvalidArgumentError),
        (RuntimeError, tf.errors.UnknownError),
    ]:

        def build(raised: type[Exception] = raised) -> Any:
            value = python(failing_at(6, raised), numbers())
            return train.batch([value], 2, num_threads=threads)

        got = []
        with pytest.raises(known):
            for batch in queueio.lift(build).to_dataset(vectorise=vectorise):
                got += batch.numpy().tolist()
        assert got == list(range(len(got))) and len(got) <= 6


def test_nothing_is_asked_for_after_the_end() -> None:
    asked = []

    def count(number: Any) -> Any:
        asked.append(int(number))
        return failing_at(3, StopIteration)(number)

    dataset = queueio.lift(lambda: train.batch([python(count, numbers())], 1))
    for vectorise in (True, False):
        asked.clear()
        batches = iter(dataset.to_dataset(vectorise=vectorise))
        assert [int(batch[0]) for batch in batches] == [0, 1, 2]
        assert next(batches, None) is None and next(batches, None) is None
        assert asked == [0, 1, 2, 3]


def readers_of_one_queue() -> Any:
    for name in "ab":
        Path(name).write_text("1\n2\n3\n")
    queue = train.string_input_producer(["a", "b"], num_epochs=1)
    lines = [v1.TextLineReader().read(queue)[1] for _ in range(2)]
    same = failing_at(2, StopIteration)
    return train.batch_join(
        [[python(same, v1.string_to_number(line, tf.int32))] for line in lines], 1
    )


def producers_that_differ() -> Any:
    number = numbers()
    other = python(failing_at(5, StopIteration), number)
    return train.batch_join([[number], [other + 0]], 1)


def two_runners() -> Any:
    queue = tf.queue.FIFOQueue(10, [tf.int32], [[]])
    for count in (3, 20):
        train.add_queue_runner(train.QueueRunner(queue, [queue.enqueue(numbers(count))]))
    return train.batch([queue.dequeue()], 1)


def ends_inside_and_outside_of_a_cond() -> Any:
    queue = tf.queue.FIFOQueue(10, [tf.int32], [[]])
    number = python(failing_at(7, StopIteration), numbers())

    def kept() -> Any:
        return queue.enqueue(python(failing_at(4, StopIteration), number))

    enqueue = v1.cond(number % 2 > 0, tf.no_op, kept)
    train.add_queue_runner(train.QueueRunner(queue, [enqueue] * 2))
    return train.batch([queue.dequeue()], 1)


@pytest.mark.parametrize(
    ("build", "why"),
    [
        (readers_of_one_queue, "nobody reads the rest of its file"),
        (producers_that_differ, "several producers that differ"),
        (two_runners, "not the only queue runner's that fills 'fifo_queue'"),
        (ends_inside_and_outside_of_a_cond, "stops one of 2 threads"),
    ],
)
def test_an_end_that_stops_more_than_its_stream_is_refused_by_its_op(
    build: Callable[[], Any], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(queueio.NotLifted, match=why) as refusal:
        queueio.lift(build)
    assert "test_ends.py:" in str(refusal.value)


def test_an_end_inside_of_the_cond_that_enqueues_is_an_end_as_well() -> None:
    def build() -> Any:
        queue = tf.queue.FIFOQueue(10, [tf.int32], [[]])
        number = numbers()

        def kept() -> Any:
            return queue.enqueue(python(failing_at(8, StopIteration), number))

        enqueue = v1.cond(number % 2 > 0, tf.no_op, kept)
        train.add_queue_runner(train.QueueRunner(queue, [enqueue]))
        return train.batch([queue.dequeue()], 1)

    assert [int(batch[0]) for batch in queueio.lift(build).to_dataset()] == [0, 2, 4, 6]


def test_a_thread_of_several_that_has_met_an_end_leaves_the_rest_to_the_others() -> None:
    def delivered(threads: int, count: int) -> list[int]:
        ends = {5, 9, 20}

        def pass_on(number: Any) -> Any:
            if number in ends:
                raise StopIteration
            return np.int32(number)

        plan = queueio.lift(
            lambda: train.batch([python(pass_on, numbers(count))], 1, num_threads=threads)
        )
        return [int(batch[0]) for batch in plan.to_dataset()]

    assert delivered(1, 40) == [0, 1, 2, 3, 4]
    assert delivered(2, 40) == [0, 1, 2, 3, 4, 6, 7, 8]
    assert delivered(3, 40) == [n for n in range(20) if n not in (5, 9)]
    assert delivered(4, 40) == [n for n in range(40) if n not in (5, 9, 20)]
