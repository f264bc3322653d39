"""Examples pass only what keeps a state one after the other, and Python functions as in TF1."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import queueio
from queueio import train
from queueio.compile.vectorise import PerExample, vectorise
from queueio.graph.fragment import Fragment

v1 = tf.compat.v1
Function = Callable[[Any], Any]


def _eagerly(function: Function, number: Any) -> list[Any]:
    return [v1.py_function(lambda n: function(n.numpy()), [number], tf.int32)]


def _twice(function: Function, number: Any) -> list[Any]:
    once = v1.py_func(function, [number], tf.int32)
    return [v1.py_func(function, [once], tf.int32)]


def _in_either_branch(function: Function, number: Any) -> list[Any]:
    def branch() -> Any:
        return v1.py_func(function, [number], tf.int32)

    return [v1.cond(number % 2 > 0, branch, branch)]


def _without_state(function: Function, number: Any) -> list[Any]:
    return [v1.py_func(function, [number], tf.int32, stateful=False)]


def _with_a_seed(function: Function, number: Any) -> list[Any]:
    return [v1.py_func(function, [number], tf.int32), tf.random.uniform([], seed=3)]


FORMS = [_eagerly, _twice, _in_either_branch, _without_state, _with_a_seed]


class _Meeting:
    """A function that returns once as many calls of it are under way as shall be."""

    def __init__(self, calls: int) -> None:
        self._barrier, self._lock = threading.Barrier(calls), threading.Lock()
        self._under_way = self.most = 0

    def __call__(self, number: Any) -> Any:
        with self._lock:
            self._under_way += 1
            self.most = max(self.most, self._under_way)
        self._barrier.wait(60)
        with self._lock:
            self._under_way -= 1
        return number


def _pairs(form: Any, function: Function, threads: int) -> tf.data.Dataset:
    """Batches of two of what a form makes of the numbers up to 8."""

    def pipeline() -> Any:
        number = train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
        first, *others = form(function, number)
        first.set_shape([])
        return train.batch([first, *others], 2, num_threads=threads)

    return queueio.lift(pipeline).to_dataset()


@pytest.mark.parametrize("form", FORMS)
def test_a_python_function_is_called_by_as_many_threads_as_the_batch_has(form: Any) -> None:
    meeting = _Meeting(2)

    dataset = _pairs(form, meeting, threads=2)
    assert [list(first.numpy()) for first, *_ in map(_parts, dataset)] == [
        [0, 1], [2, 3], [4, 5], [6, 7],
    ]  # fmt: skip
    assert meeting.most == 2


def _parts(batch: Any) -> Any:
    return batch if isinstance(batch, (tuple, list)) else (batch,)


@pytest.mark.parametrize("form", FORMS)
def test_one_thread_calls_a_python_function_once_at_a_time(form: Any) -> None:
    meeting = _Meeting(1)

    assert len(list(_pairs(form, meeting, threads=1))) == 4
    assert meeting.most == 1


def _turns(build: Callable[[Any], Any]) -> list[tuple[bool, set[str]]]:
    """Whether the pieces for single examples are passed in order, and what is in them."""
    with tf.Graph().as_default():
        name = v1.placeholder(tf.string, [])
        pieces = vectorise(Fragment.between([name], [build(name)]))
        return [
            (piece.in_order, {op.type for op in piece.fragment.ops if op.inputs})
            for piece in pieces
            if isinstance(piece, PerExample)
        ]


def _image(contents: Any) -> Any:
    return tf.io.decode_jpeg(contents, 3)


STATEFUL: dict[str, Callable[[Any], Any]] = {
    "before": lambda name: _image(v1.Print(tf.io.read_file(name), [name])),
    "between": lambda name: tf.image.resize(
        v1.Print(_image(tf.io.read_file(name)), [name]), [8, 8]
    ),
    "behind": lambda name: v1.Print(_image(tf.io.read_file(name)), [name]),
    "beside": lambda name: (
        tf.cast(_image(tf.io.read_file(name)), tf.float32)
        + tf.cast(tf.random.categorical([[0.0, 1.0]], 1, seed=3), tf.float32)
    ),
    "in a cond": lambda name: v1.cond(
        tf.equal(name, "x"),
        lambda: _image(tf.io.read_file(name)),
        lambda: v1.Print(_image(tf.io.read_file(name + "y")), [name]),
    ),
}


@pytest.mark.parametrize("place", ["before", "between", "behind", "beside"])
def test_decoding_does_not_wait_for_a_state_beside_it(place: str) -> None:
    turns = _turns(STATEFUL[place])
    assert [in_order for in_order, types in turns if "DecodeJpeg" in types] == [False]
    assert sum(in_order for in_order, _ in turns) == 1


def test_wide_tensors_do_not_wait_for_a_state_beside_them() -> None:
    def drawn(name: Any) -> Any:
        wide = tf.linalg.matmul(tf.fill([256, 256], tf.strings.to_number(name)), tf.eye(256))
        return wide + v1.Print(tf.strings.to_number(name), [name])

    turns = _turns(drawn)
    assert [in_order for in_order, types in turns if "MatMul" in types] == [False]
    assert [in_order for in_order, types in turns if "Print" in types] == [True]


@pytest.mark.parametrize("state", ["before", "behind"])
def test_a_cond_is_on_one_side_of_a_state_beside_it(v1_behaviour: None, state: str) -> None:
    def flipped(name: Any) -> Any:
        text = tf.io.read_file(name)
        image = _image(v1.Print(text, [name]) if state == "before" else text)
        image = v1.cond(tf.equal(name, "x"), lambda: image[::-1], lambda: image)
        return v1.Print(image, [name]) if state == "behind" else image

    turns = _turns(flipped)
    assert [in_order for in_order, types in turns if types & {"Switch", "Merge"}] == [False]
    assert [in_order for in_order, types in turns if "Print" in types] == [True]


@pytest.mark.parametrize("state", ["before", "behind"])
def test_a_loop_beside_a_state_has_its_arrays_in_one_run(v1_behaviour: None, state: str) -> None:
    def doubled() -> Any:
        number = train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
        pair = tf.stack([number, number + 1])
        pair = v1.Print(pair, [number], first_n=0) if state == "before" else pair
        pair = v1.map_fn(lambda n: n * 2, pair)
        pair = v1.Print(pair, [number], first_n=0) if state == "behind" else pair
        return train.batch([pair], 2)

    batches = [batch.numpy().tolist() for batch in queueio.lift(doubled).to_dataset()]
    assert batches == [[[2 * n, 2 * n + 2], [2 * n + 2, 2 * n + 4]] for n in (0, 2, 4)]


def test_functions_that_do_not_wait_for_each_other_keep_their_order() -> None:
    def both(name: Any) -> Any:
        image = _image(tf.io.read_file(name))
        sizes = [v1.py_func(len, [name], tf.int64), v1.py_func(len, [image], tf.int64)]
        return tf.stack([tf.reshape(size, []) for size in sizes])

    ((in_order, types),) = [turn for turn in _turns(both) if "PyFunc" in turn[1]]
    assert in_order and "DecodeJpeg" in types


def test_a_branch_waits_as_a_whole(v1_behaviour: None) -> None:
    (turn,) = _turns(STATEFUL["in a cond"])
    assert turn[0] and "DecodeJpeg" in turn[1]


def test_a_file_that_a_python_function_wrote_is_read_before_the_next_call(tmp_path: Path) -> None:
    path = tmp_path / "value"

    def write(number: Any) -> bytes:
        path.write_text(f"{number}")
        return str(path).encode()

    def pipeline() -> Any:
        number = train.range_input_producer(50, num_epochs=1, shuffle=False).dequeue()
        written = v1.py_func(write, [number], tf.string)
        return train.batch([number, tf.io.read_file(tf.reshape(written, []))], 5)

    for numbers, texts in queueio.lift(pipeline).to_dataset():
        assert [int(text) for text in texts.numpy()] == numbers.numpy().tolist()
