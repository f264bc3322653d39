"""A Python function is called for rows as TF1's threads called it for single examples."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import train
from queueio.compile import python_ends
from queueio.compile.kernels.callers import MOST_ROWS, Callers, Iterators, Pace
from tests.turns import by_turns

v1 = tf.compat.v1
COUNT = 200


def of_numbers(
    function: Callable[..., Any], threads: int = 1, size: int = 5, kind: Any = tf.int64
) -> tf.data.Dataset:
    """(what it makes of a number, the number), in batches."""

    def pipeline() -> Any:
        number = tf.cast(train.range_input_producer(COUNT, 1, shuffle=False).dequeue(), tf.int64)
        made = v1.py_func(function, [number], kind)
        made.set_shape([])
        return train.batch(
            [made, number], size, num_threads=threads, allow_smaller_final_batch=True
        )

    return queueio.lift(pipeline).to_dataset()


def delivered(dataset: tf.data.Dataset) -> tuple[list[Any], list[int]]:
    pairs = [(made.numpy(), number.numpy()) for made, number in dataset]
    made, numbers = (np.concatenate(part) for part in zip(*pairs, strict=True))
    return made.tolist(), numbers.tolist()


def test_the_function_of_these_tests_is_called_for_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, called = list[int](), python_ends.called

    def noted(*args: Any) -> Any:
        rows.append(args[-1])
        return called(*args)

    monkeypatch.setattr(python_ends, "called", noted)
    delivered(of_numbers(lambda number: number, 3))
    assert set(rows) == {3}


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("slow", [0.0, 0.05, 1.0])
def test_each_row_is_called_for_once_and_comes_in_its_place(threads: int, slow: float) -> None:
    """Whatever part of the calls takes its time."""
    chance, calls, lock = random.Random(f"{threads} {slow}"), Counter[int](), threading.Lock()
    waits = [chance.random() * 0.01 * (chance.random() < slow) for _ in range(COUNT)]

    def function(number: Any) -> Any:
        with lock:
            calls[int(number)] += 1
        if waits[number]:
            time.sleep(waits[number])
        return number * 3

    made, numbers = delivered(of_numbers(function, threads))
    assert numbers == list(range(COUNT)) and made == [3 * number for number in numbers]
    assert calls == dict.fromkeys(range(COUNT), 1)


@pytest.mark.parametrize("slow", [False, True])
@pytest.mark.parametrize(("threads", "ends"), [(1, [0]), (1, [70]), (3, [0, 1, 90]), (3, [4, 60])])
def test_as_many_ends_as_there_are_threads_end_the_stream(
    threads: int, ends: list[int], slow: bool
) -> None:
    called = []

    def function(number: Any) -> Any:
        called.append(int(number))
        if slow:
            time.sleep(0.001)
        if number in ends:
            raise StopIteration
        return number

    made = list(of_numbers(function, threads, 1))
    all_met = len(ends) == threads
    until = ends[-1] if all_met else COUNT
    assert [int(row[0]) for row, _ in made] == [n for n in range(until) if n not in ends]
    assert sorted(called) == list(range(until + all_met))


EAGER: list[tuple[Any, tf.DType]] = [
    (lambda n: tf.cast(n, tf.float32) * 2, tf.float32),
    (lambda n: n.numpy() * 2, tf.int64),
    (lambda n: tf.strings.as_string(n * 2), tf.string),
    (lambda n: tf.fill([int(n) % 3], n * 2), tf.int64),
]


@pytest.mark.parametrize(("function", "kind"), EAGER, ids=["float", "numpy", "string", "ragged"])
@pytest.mark.parametrize("threads", [1, 3])
def test_a_function_of_eager_tensors_gives_what_it_gives(
    function: Any, kind: tf.DType, threads: int
) -> None:
    def pipeline() -> Any:
        number = tf.cast(train.range_input_producer(40, 1, shuffle=False).dequeue(), tf.int64)
        made = v1.py_function(function, [number], kind)
        return train.batch([tf.io.serialize_tensor(made), number], 4, num_threads=threads)

    seen = 0
    for texts, numbers in queueio.lift(pipeline).to_dataset():
        for text, number in zip(texts, numbers, strict=True):
            made, expected = tf.io.parse_tensor(text, kind), function(number)
            assert np.shape(made) == np.shape(expected) and np.array_equal(made, expected)
            seen += 1
    assert seen == 40


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_comes_once_behind_the_rows_before_it(threads: int) -> None:
    def function(number: Any) -> Any:
        if number in (50, 51, 120):
            raise ValueError(f"not {number}")
        return number

    got, errors = [], []
    rows = iter(of_numbers(function, threads, 1))
    while True:
        try:
            got.append(int(next(rows)[0][0]))
        except StopIteration:
            break
        except tf.errors.InvalidArgumentError as error:
            errors.append(
                (len(got), next(w for w in ("50", "51", "120") if f"not {w}" in str(error)))
            )
    assert got == [n for n in range(COUNT) if n not in (50, 51, 120)]
    assert errors == [(50, "50"), (50, "51"), (118, "120")]


@pytest.mark.long
def test_what_is_of_another_dtype_or_shape_than_was_said_is_an_error() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="is double, but expects int64"):
        delivered(of_numbers(lambda number: 0.5))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"shape \[1\], but set_shape said"):
        delivered(of_numbers(lambda number: number.reshape([1])))
    with pytest.raises(tf.errors.InvalidArgumentError, match="returns 0 values, but expects to"):
        delivered(of_numbers(lambda number: None))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"return array.astype\(np.int64\)"):
        delivered(of_numbers(lambda number: np.array(number, ">i8")))


NO_TENSORS: list[tuple[Any, tf.DType, str]] = [
    (np.array([b"a", None], object), tf.string, "Unsupported object type NoneType"),
    (np.array([3, b"a"], object), tf.string, "Unsupported object type int"),
    (np.array(["a", "\udc80"], object), tf.string, "Unable to convert element to UTF-8"),
    (np.array([b"a", b"b"], object), tf.int64, ""),
    ({"a": 1}, tf.int64, "Unsupported object type dict"),
    (2**70, tf.int64, "Unsupported object type int"),
    (np.datetime64("2000-01-01"), tf.int64, "NPY_DATETIME"),
    (np.longdouble(1), tf.float64, "NPY_LONGDOUBLE"),
]


@pytest.mark.parametrize(("bad", "kind", "why"), NO_TENSORS, ids=lambda value: str(value)[:20])
def test_a_result_of_which_there_is_no_tensor_fails_alone_and_in_tensorflow_s_words(
    bad: Any, kind: tf.DType, why: str
) -> None:
    """The rows that were called for together with it come, and as TF 1.15.5 the error is internal.

    But for strings where numbers were said: those are of another dtype.
    """
    good = np.array([b"a", b"b"], object) if kind == tf.string else np.ones(2, kind.as_numpy_dtype)

    def pipeline() -> Any:
        number = tf.cast(train.range_input_producer(100, 1, shuffle=False).dequeue(), tf.int64)
        made = v1.py_func(lambda n: bad if n == 70 else good, [number], kind)
        made.set_shape([2])
        return train.batch([made, number], 1)

    rows, got = iter(queueio.lift(pipeline).to_dataset()), list[int]()
    error = tf.errors.InternalError if why else tf.errors.InvalidArgumentError
    with pytest.raises(error, match=why or "is string, but expects int64"):
        for _, number in rows:
            got.append(int(number[0]))
    got += [int(number[0]) for _, number in rows]
    assert got == [n for n in range(100) if n != 70]


def test_strings_keep_their_bytes() -> None:
    texts = [b"a\0", b"", b"\xff", "é".encode() * 99]
    made, numbers = delivered(of_numbers(lambda n: texts[n % 4], kind=tf.string))
    assert made == [texts[n % 4] for n in numbers]


KINDS = [
    np.bool_, np.int8, np.uint16, np.int64, np.float16, np.float32, np.float64, np.complex64,
    np.complex128, tf.bfloat16.as_numpy_dtype,
]  # fmt: skip


@pytest.mark.parametrize("kind", by_turns(KINDS), ids=lambda kind: np.dtype(kind).name)
@pytest.mark.parametrize("threads", [1, 3])
def test_results_whose_shape_is_not_known_come_as_they_are(kind: Any, threads: int) -> None:
    """A row of each number of axes and of each length in turn, none among them."""

    def function(number: Any) -> Any:
        shape = [(), (number % 4,), (2, number % 3, 1)][number % 3]
        return np.arange(number, number + np.prod(shape, dtype=int)).reshape(shape).astype(kind)

    def pipeline() -> Any:
        number = tf.cast(train.range_input_producer(60, 1, shuffle=False).dequeue(), tf.int64)
        made = v1.py_func(function, [number], tf.as_dtype(kind))
        return train.batch(
            [tf.io.serialize_tensor(made), number], 4,
            num_threads=threads,
        )  # fmt: skip

    seen = 0
    for texts, numbers in queueio.lift(pipeline).to_dataset():
        for text, number in zip(texts, numbers.numpy(), strict=True):
            made = tf.io.parse_tensor(text, tf.as_dtype(kind)).numpy()
            expected = function(number)
            assert made.shape == expected.shape and (made == expected).all()
            seen += 1
    assert seen == 60


@pytest.mark.parametrize("capacity", [2, 7, 100])
def test_a_generator_is_asked_by_all_threads_and_no_further_ahead_than_the_queue_held(
    capacity: int,
) -> None:
    numbers, asked = iter(range(COUNT)), []
    lock = threading.Lock()

    def function() -> Any:
        with lock:
            asked.append(next(numbers))
            return np.int64(asked[-1])

    def pipeline() -> Any:
        made = v1.py_func(function, [], tf.int64)
        made.set_shape([])
        return train.batch([made], 1, num_threads=3, capacity=capacity)

    got = []
    for row in queueio.lift(pipeline).to_dataset():
        got.append(int(row[0]))
        assert len(asked) - len(got) <= capacity + 3
    assert got == list(range(COUNT))


def test_a_function_may_use_the_array_that_it_returned_again() -> None:
    """Where it is none that TensorFlow takes without a copy: that one TF1 delivered overwritten."""
    memory = np.zeros(200, np.float32)
    begin = (-memory.ctypes.data % 64) // 4 + 4
    same = memory[begin : begin + 64]

    def function(number: Any) -> Any:
        same[:] = number
        return same

    def pipeline() -> Any:
        number = train.range_input_producer(COUNT, 1, shuffle=False).dequeue()
        made = v1.py_func(function, [number], tf.float32)
        made.set_shape([64])
        return train.batch([made, number], 10)

    for made, number in queueio.lift(pipeline).to_dataset():
        assert (made.numpy() == number.numpy()[:, None]).all()


@pytest.mark.long
@pytest.mark.parametrize("threads", [1, 4])
def test_a_saved_iterator_goes_on_with_the_rows_that_were_not_delivered(
    threads: int, tmp_path: Path
) -> None:
    def function(number: Any) -> Any:
        time.sleep(0.002)
        return number * 2

    rows = iter(of_numbers(function, threads, 1))
    first = [int(next(rows)[0][0]) for _ in range(30)]
    saved = tf.train.Checkpoint(rows=rows).save(str(tmp_path / "at"))
    rest = [int(made[0]) for made, _ in rows]
    assert first + rest == [2 * n for n in range(COUNT)]
    for _ in range(2):
        other = iter(of_numbers(function, threads, 1))
        tf.train.Checkpoint(rows=other).restore(saved)
        assert [int(made[0]) for made, _ in other] == rest
    tf.train.Checkpoint(rows=rows).restore(saved)
    assert [int(made[0]) for made, _ in rows] == rest


def test_a_step_is_gone_on_from_by_one_iterator_only() -> None:
    """A copy of its state, or one of another process, calls for its own rows."""

    def iterators() -> Iterators:
        return Iterators(lambda ended: Callers(lambda n: [n], 2, Pace(), ended))

    here, elsewhere = iterators(), iterators()
    step, calls, new = here.of(0, 0)
    assert new
    after, same, new = here.of(step, 0)
    assert same is calls and not new
    assert here.of(step, 0)[1:] != (calls, False), "restored from a copy of the state"
    assert here.of(after, 0)[1:] == (calls, False)
    others = [elsewhere.of(0, 0)[0] for _ in range(20)]
    assert not set(others) & {step, after}
    assert elsewhere.of(after, 0)[2]


def test_threads_end_when_nobody_asks_for_rows() -> None:
    rows = iter(of_numbers(lambda number: time.sleep(0.002) or number, 4, 1))
    next(rows)

    def alive() -> list[threading.Thread]:
        return [t for t in threading.enumerate() if t.name == "queueio-python"]

    assert alive()
    del rows
    until = time.monotonic() + 60
    while alive() and time.monotonic() < until:
        time.sleep(0.1)
    assert not alive()


@pytest.mark.long
def test_a_call_that_waits_for_the_rows_before_it_gets_them(run_python: Callable[..., Any]) -> None:
    done = run_python("""
import threading
from tests.compile.test_python_rows import of_numbers
delivered = threading.Semaphore(0)

def function(number):
    if number and number % 37 == 0:
        for _ in range(37):
            delivered.acquire()
    return number

for made, number in of_numbers(function, 1, 1):
    delivered.release()
print("through")
""")
    assert "through" in done.stdout, done.stderr[-2000:]


def test_one_thread_makes_light_calls_and_all_make_those_that_take_long() -> None:
    most = 0
    under_way, lock = 0, threading.Lock()

    def function(seconds: float) -> list[Any]:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        time.sleep(seconds)
        with lock:
            under_way -= 1
        return [seconds]

    pace = Pace()
    callers = Callers(function, 4, pace)
    given = 0
    while given < 40:
        callers.step([(0.02,)], False)
        given += 1
    assert most == 4 and pace.rows == 1

    quick = Pace()
    callers = Callers(lambda n: [n], 4, quick)
    for _ in range(20):
        callers.step([(n,) for n in range(quick.rows)], False)
    assert quick.rows == MOST_ROWS
