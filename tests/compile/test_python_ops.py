"""Python's functions inside datasets."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import queueio

v1 = tf.compat.v1

_KEEPS_ITS_ITERATOR = """
import atexit, sys, time

def watch():
    before = len(called)
    time.sleep(0.5)
    print("files opened before:", before > 2, "and then:", len(called) - before)

atexit.register(watch)  # before the package is imported, so it runs after what that registers

import numpy as np, tensorflow as tf
import queueio
from queueio.compile.kernels import file_blocks

called, stock = [], file_blocks.ends

def ends(*args):
    called.append(args)
    time.sleep(0.02)
    return stock(*args)

ends.__module__, ends.__qualname__ = stock.__module__, stock.__qualname__
file_blocks.ends = ends

def build():
    v1 = tf.compat.v1
    names = v1.train.string_input_producer(sys.argv[1:], shuffle=False)
    _, value = v1.FixedLengthRecordReader(1000).read(names)
    row = tf.reshape(tf.io.decode_raw(value, tf.uint8), [1000])
    return v1.train.batch([row], 100)

dataset = queueio.lift(build).to_dataset().prefetch(100_000)
iterator = iter(dataset)
next(iterator)
time.sleep(0.5)
"""


@pytest.mark.long
def test_a_process_that_holds_an_iterator_ends_and_opens_no_file_while_it_does(
    tmp_path: Path,
) -> None:
    # Python ends the threads that wait for it, and TensorFlow then waited for them for ever.
    files = []
    for number in range(3):
        file = tmp_path / str(number)
        file.write_bytes(bytes(2_000_000))
        files.append(str(file))
    try:
        done = subprocess.run(
            [sys.executable, "-c", _KEEPS_ITS_ITERATOR, *files],
            capture_output=True, text=True, timeout=120, check=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        pytest.fail("the process did not end")
    assert done.stdout.splitlines() == ["files opened before: True and then: 0"]


TOLD = {
    "Shape": lambda row: tf.raw_ops.Shape(input=row),
    "ShapeN": lambda row: tf.raw_ops.ShapeN(input=[row[0], row])[1],
    "Size": lambda row: tf.raw_ops.Size(input=row),
}


@pytest.mark.parametrize("told", TOLD)
def test_a_shape_that_the_graph_knows_is_had_beside_a_python_function(told: str) -> None:
    # The function takes one example at a time, and what has the shape is made for many at once.
    def build() -> Any:
        number = v1.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()
        (made,) = v1.py_func(lambda n: n * 10, [number], [tf.int32])
        made.set_shape([])
        return v1.train.batch([made + tf.reduce_sum(TOLD[told](tf.stack([number] * 3)))], 3)

    (batch,) = queueio.lift(build).to_dataset().as_numpy_iterator()
    assert batch.tolist() == [3, 13, 23]
