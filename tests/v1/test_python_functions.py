"""A Python function may write into what it is given, as on TF 1.15.5, which gave it copies."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from queueio.graph.python_function import OfCopies, function_of
from tests.processes import environment, python

PROGRAM = """
import numpy as np
import queueio.v1 as tf

def added(values, more=1):
    values += more
    return values

def run(build):
    with tf.Graph().as_default(), tf.Session() as sess:
        numbers = tf.train.range_input_producer(4, num_epochs=1, shuffle=False)
        number = tf.cast(numbers.dequeue(), tf.int64)
        fetches = build(number, tf.stack([number, number]))
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        got = [np.stack(sess.run(fetches)).tolist() for _ in range(2)]
        coord.request_stop()
        coord.join(threads)
        return got

def call(function, *inputs):
    made = tf.TOLD(function, list(inputs), tf.int64)
    made.set_shape([2])
    return made

def beside(number, pair):
    return tf.train.batch([call(added, pair), pair], 2)

def in_a_row(number, pair):
    return tf.train.batch([call(added, call(added, pair)), pair], 2)

def constant(number, pair):
    return tf.train.batch([call(added, tf.constant([10, 20], tf.int64), number), pair], 2)

def variable(number, pair):
    kept = tf.Variable([10, 20], trainable=False, dtype=tf.int64)
    return tf.train.batch([call(added, kept, number), kept], 2)

def behind(number, pair):
    batch = tf.train.batch([number], 2)
    return [call(added, batch), call(added, batch), batch]

print([run(build) for build in (beside, in_a_row, constant, variable, behind)])
"""
ON_TF_1_15_5 = [
    [[[[1, 1], [2, 2]], [[0, 0], [1, 1]]], [[[3, 3], [4, 4]], [[2, 2], [3, 3]]]],
    [[[[2, 2], [3, 3]], [[0, 0], [1, 1]]], [[[4, 4], [5, 5]], [[2, 2], [3, 3]]]],
    [[[[10, 20], [11, 21]], [[0, 0], [1, 1]]], [[[12, 22], [13, 23]], [[2, 2], [3, 3]]]],
    [[[[10, 20], [11, 21]], [[10, 20]] * 2], [[[12, 22], [13, 23]], [[10, 20]] * 2]],
    [[[1, 2], [1, 2], [0, 1]], [[3, 4], [3, 4], [2, 3]]],
]


@pytest.mark.long
@pytest.mark.parametrize("name", ["py_func", "numpy_function", "compat.v1.py_func"])
@pytest.mark.parametrize("engine", ["queue", "data"])
def test_what_a_function_writes_into_its_arguments_nobody_else_sees(
    engine: str, name: str, tmp_path: Path
) -> None:
    env = environment(QUEUEIO_ENGINE=engine, QUEUEIO_SMALL_JOB="0")
    done = python("-c", PROGRAM.replace("TOLD", name), cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    assert ast.literal_eval(done.stdout.splitlines()[-1]) == ON_TF_1_15_5
    assert "deprecated" not in done.stderr, "there is nothing that a user of queueio should change"


class Adding:
    def __call__(self, value: Any) -> Any:
        return value + 1


WRITTEN: list[Callable[..., Any]] = [Adding.__call__, functools.partial(pow, 2), Adding(), abs]


@pytest.mark.parametrize("function", WRITTEN, ids=["function", "partial", "object", "builtin"])
def test_a_function_that_is_given_copies_is_known_as_the_program_wrote_it(
    function: Callable[..., Any],
) -> None:
    with tf.Graph().as_default():
        made = tf.compat.v1.py_func(OfCopies(function), [tf.constant(1)], tf.int32)
        assert function_of(made.op.get_attr("token").decode()) is function
