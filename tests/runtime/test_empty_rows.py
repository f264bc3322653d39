"""Rows of numbers that hold nothing go through an enqueue_many, of which TensorFlow 2.21 dies.

In a process of its own: where that is not mended, it ends with a signal.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import queueio
from queueio import settings, train
from queueio.compile.kernels.empty_rows import may_be_empty
from tests.processes import python

v1 = tf.compat.v1

BEGINNING = """
import json
import numpy as np
import tensorflow as tf
import queueio
from queueio import io, settings, train
v1 = tf.compat.v1

def numbers(count=6):
    return train.range_input_producer(count, shuffle=False, num_epochs=1).dequeue()

def padded():  # as of an image with 0, 1 or 2 boxes
    number = numbers()
    boxes = tf.fill([1, number % 3], number)
    return train.batch([number[tf.newaxis], boxes], 4, enqueue_many=True, dynamic_pad=True,
                       allow_smaller_final_batch=True)

def of_no_column():
    number = numbers()
    return train.batch([number[tf.newaxis], tf.zeros([1, 0])], 4, enqueue_many=True,
                       allow_smaller_final_batch=True)

def one_queue():  # of the program's own, which tf.data fills many at a time
    number = numbers()
    queue = io.FIFOQueue(8, [tf.int32, tf.float32], [[], [0, 3]])
    put = queue.enqueue([number, tf.zeros([0, 3])])
    train.add_queue_runner(train.QueueRunner(queue, [put]))
    return queue.dequeue()

def by_priority():
    number = numbers()
    queue = io.PriorityQueue(8, [tf.int32], [[0]])
    put = queue.enqueue_many([tf.cast(number, tf.int64)[tf.newaxis], tf.fill([1, 0], number)])
    train.add_queue_runner(train.QueueRunner(queue, [put]))
    return queue.dequeue()

def unequal():
    number = numbers()
    return train.batch([tf.stack([number] * 2), tf.fill([number * 0 + 3, number * 0], number)], 2,
                       enqueue_many=True, dynamic_pad=True)

def told(batch):
    return [[list(np.shape(part)), np.asarray(part).ravel().tolist()] for part in batch]

def run(build, engine):
    found = []
    with tf.Graph().as_default(), settings.override(engine=engine):
        batch = build()
        with v1.Session() as session:
            session.run(v1.local_variables_initializer())
            try:
                with queueio.running(session):
                    while True:
                        found.append(told(session.run(batch)))
            except tf.errors.OpError as error:
                found.append(type(error).__name__)
        if engine == "queue" and build is padded:
            queueio.lift(batch)  # what a thread ran in its place is no part of the pipeline
    return found
"""
ROWS = {
    "padded": [
        [[[4], [0, 1, 2, 3]], [[4, 2], [0, 0, 1, 0, 2, 2, 0, 0]]],
        [[[2], [4, 5]], [[2, 2], [4, 0, 5, 5]]],
    ],
    "of_no_column": [[[[4], [0, 1, 2, 3]], [[4, 0], []]], [[[2], [4, 5]], [[2, 0], []]]],
    "one_queue": [[[[], [number]], [[0, 3], []]] for number in range(6)],
    "by_priority": [[[[], [number]], [[0], []]] for number in range(6)],
}
"""As TensorFlow 1.15.5 gave them."""


def ran(code: str, cwd: Path) -> Any:
    done = python("-c", BEGINNING + code, cwd=cwd)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("engine", ["queue", "data"])
def test_rows_without_values_come_as_in_tf1(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But of_no_column on queues: where input ends within a batch, dequeue_many dies as well."""
    monkeypatch.setenv("QUEUEIO_SMALL_JOB", "0")
    names = [name for name in ROWS if engine == "data" or name != "of_no_column"]
    code = f"print(json.dumps([run(b, {engine!r}) for b in ({', '.join(names)}, unequal)]))"
    *rows, failed = ran(code, tmp_path)
    assert rows == [[*ROWS[name], "OutOfRangeError"] for name in names]
    assert failed == ["InvalidArgumentError"], "the two differ in their number of rows"


def test_rows_without_values_come_from_a_dataset_and_from_written_source(tmp_path: Path) -> None:
    code = (
        "with tf.Graph().as_default():\n"
        "    plan = queueio.lift(padded())\n"
        "made = {}\n"
        "exec(str(plan.to_source()), made)\n"
        "print(json.dumps([[told(b) for b in d] for d in (plan.to_dataset(), made['input_fn']())]))"
    )
    assert ran(code, tmp_path) == [ROWS["padded"]] * 2


def written(parts: Callable[[Any], Any], **options: Any) -> str:
    with tf.Graph().as_default():
        number = train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
        batch = train.batch(parts(number), 4, enqueue_many=True, **options)
        return str(queueio.lift(batch).to_source())


def test_source_takes_rows_apart_by_unbatch_where_all_of_them_hold_numbers() -> None:
    assert ".unbatch()" in written(lambda n: [n[tf.newaxis], tf.fill([1, 2], n)])
    assert ".unbatch()" in written(lambda n: [tf.fill([1, n], "word")], dynamic_pad=True)
    source = written(lambda n: {"boxes": tf.fill([1, n % 3], n)}, dynamic_pad=True)
    assert ".flat_map(tf.data.Dataset.from_tensor_slices)" in source
    assert ".unbatch()" not in source


def test_what_holds_numbers_for_certain_is_not_taken_for_empty() -> None:
    spec = tf.TensorSpec
    assert not may_be_empty([spec([], tf.int32), spec([2, 3], tf.float32)])
    assert not may_be_empty([spec([None], tf.string), tf.SparseTensorSpec([None], tf.int32)])
    for shape in ([None], [2, 0], None):
        assert may_be_empty([spec([], tf.int32), spec(shape, tf.bool)])


@pytest.mark.parametrize("engine", ["queue", "data"])
def test_a_start_adds_nothing_to_the_collections(engine: str, v1_behaviour: None) -> None:
    """A MetaGraph holds them all; TF1's held no more after the start than before."""
    with tf.Graph().as_default() as graph, queueio.engine(engine), settings.override(small_job=0):
        number = train.range_input_producer(6).dequeue()
        if engine == "queue":
            rows = tf.fill([1, number % 3], number)
            batch = train.batch([rows], 2, enqueue_many=True, dynamic_pad=True)
        else:  # whose batches of any length go many at a time
            batch = train.batch([number], 4, allow_smaller_final_batch=True)
        before = set(graph.get_all_collection_keys())
        with v1.Session() as session, queueio.running(session):
            session.run(batch)
            assert set(graph.get_all_collection_keys()) == before


OWN_CALLS = """
v1.disable_v2_behavior()
queue = v1.PaddingFIFOQueue(100, [tf.int32, tf.float32], shapes=[[], [None]])
number, boxes = v1.placeholder(tf.int32, [None]), v1.placeholder(tf.float32, [None, None])
put, size, row = queue.enqueue_many([number, boxes]), queue.size(), queue.dequeue()
fixed = queue.enqueue_many([[5, 6], tf.zeros([2, 0])])
beside = v1.Variable(0)
with tf.control_dependencies([put]):
    after = beside.assign_add(1)
both = tf.group(put, beside.assign_add(10))
found = []
with v1.Session() as sess:
    sess.run(v1.global_variables_initializer())
    for way in (put, [put], put.name, {"a": [put.name]}, both, (both, tf.no_op())):
        sess.run(way, {number: [1, 2], boxes: np.zeros([2, 0])})
        sizes = [int(sess.run(size))]
        found.append(sizes + [[int(n), b.tolist()] for n, b in (sess.run(row), sess.run(row))])
    sess.run([put, after], {number: [3], boxes: [[1.0]]})
    found.append([int(sess.run(size)), int(sess.run(beside))])
    sess.make_callable(put, [number, boxes])([7, 8], np.zeros([2, 0]))
    sess.make_callable(fixed)()
    found.append(int(sess.run(size)))
    try:
        sess.run(put, {number: [1], boxes: np.zeros([2, 0])})
    except tf.errors.InvalidArgumentError:
        found.append("refused")
print(json.dumps(found))
"""


def test_rows_without_values_that_a_call_of_one_s_own_enqueues_come_as_in_tf1(
    tmp_path: Path,
) -> None:
    """What else needs the op in such a call, as `after` does, does not double it."""
    each = [2, [1, []], [2, []]]
    assert ran(OWN_CALLS, tmp_path) == [*[each] * 6, [1, 21], 5, "refused"]
