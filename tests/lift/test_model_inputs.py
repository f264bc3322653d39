"""Which dequeues of a graph feed the towers of one model, and are one pipeline for a reader."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import queueio
from queueio import train
from queueio.lift.pipelines import model_inputs
from tests.loading import loaded
from tests.processes import python

v1 = tf.compat.v1


def summed(losses: list[Any]) -> Any:
    return tf.add_n(losses)


def in_one_update(losses: list[Any]) -> Any:
    weight = v1.get_variable("w", [], initializer=v1.zeros_initializer())
    return tf.group(*[v1.assign_add(weight, loss) for loss in losses])


def in_one_summary(losses: list[Any]) -> Any:
    for number, loss in enumerate(losses):
        v1.summary.scalar(f"loss_{number}", loss)
    return v1.summary.merge_all()


def apart(losses: list[Any]) -> Any:
    return losses


def graph_of(join: Callable[[list[Any]], Any], towers: int, examples: int, more: bool) -> Any:
    """A model of towers behind batches of dicts, and perhaps an evaluation of the same queue."""
    with tf.Graph().as_default() as graph:
        number = train.range_input_producer(12, num_epochs=1, shuffle=False).dequeue()
        batch = train.batch({"n": number, "half": number / 2}, examples)
        queue = queueio.io.FIFOQueue(4, [tf.int32, tf.float64], [[examples]] * 2)
        enqueue = queue.enqueue([batch["n"], batch["half"]])
        train.add_queue_runner(train.QueueRunner(queue, [enqueue]))
        join([tf.reduce_sum(tf.cast(queue.dequeue()[0], tf.float32)) for _ in range(towers)])
        if more:
            queue.dequeue()
    return graph


TOGETHER = [summed, in_one_update]
APART = [in_one_summary, apart]


@pytest.mark.parametrize("towers", [2, 3])
@pytest.mark.parametrize("join", TOGETHER)
def test_dequeues_that_one_op_of_the_model_needs_are_one_pipeline(join: Any, towers: int) -> None:
    (found,) = model_inputs(graph_of(join, towers, 2, more=False))
    steps = list(queueio.lift(found.given, graph=found.graph).to_dataset().as_numpy_iterator())
    assert len(steps) == 6 // towers
    taken = sorted(n for step in steps for numbers, _ in step for n in numbers)
    assert taken == list(range(12)) and {len(step) for step in steps} == {towers}


@pytest.mark.parametrize("more", [False, True])
@pytest.mark.parametrize("join", APART)
def test_dequeues_that_no_step_needs_together_are_told_each_by_itself(
    join: Any, more: bool
) -> None:
    found = model_inputs(graph_of(join, 2, 2, more))
    assert len(found) == 2 + more
    for each in found:
        with pytest.raises(queueio.NotLifted, match="it is not alone in taking"):
            each.lift()


@pytest.mark.parametrize("join", TOGETHER)
def test_where_another_dequeue_takes_of_the_towers_queue_nothing_is_lifted(join: Any) -> None:
    found = model_inputs(graph_of(join, 2, 2, more=True))
    for each in found:
        with pytest.raises(queueio.NotLifted, match="it is not alone in taking"):
            each.lift()


def test_towers_of_two_queues_are_two_pipelines() -> None:
    with tf.Graph().as_default() as graph:
        taken = []
        for first in (0, 100):
            number = train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue() + first
            queue = queueio.io.FIFOQueue(4, [tf.int32], [[]])
            train.add_queue_runner(train.QueueRunner(queue, [queue.enqueue(number)]))
            taken += [queue.dequeue() for _ in range(2)]
        tf.add_n(taken)
    found = model_inputs(graph)
    steps = [
        list(queueio.lift(each.given, graph=each.graph).to_dataset().as_numpy_iterator())
        for each in found
    ]
    assert [sorted(sum(step) for step in of) for of in steps] == [
        [1, 5, 9, 13],
        [201, 205, 209, 213],
    ]


@pytest.mark.long
def test_convert_writes_the_towers_of_a_script_and_leaves_their_dequeues_in_it(
    tmp_path: Path,
) -> None:
    text = (Path(__file__).parent.parent / "script/scripts/several_dequeues.py").read_text()
    (tmp_path / "train.py").write_text(text)
    asked = ("-m", "queueio", "convert", "train.py", "--write")
    done = python(*asked, cwd=tmp_path, timeout=200, starts=True)
    assert done.returncode == 1 and (tmp_path / "train.py").read_text() == text
    last = done.stderr.splitlines()[-1]
    assert "3 dequeues take side by side in a step" in last, last
    steps = list(loaded(tmp_path / "input_fn.py").input_fn().as_numpy_iterator())
    assert [[list(tower) for tower in step] for step in steps] == [
        [[0, 1], [2, 3], [4, 5]],
        [[6, 7], [8, 9], [10, 11]],
    ]
