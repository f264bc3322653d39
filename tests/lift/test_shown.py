"""What runs whenever a pipeline does is lifted or refused, by whichever edge it belongs to it.

An op that acts is given to one op after the other of a golden pipeline to wait for, where a program
would write `with tf.control_dependencies([seen.assign_add(1)])` around it.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
import tensorflow as tf
from modules import Stock
from pipelines import PIPELINES

import queueio
from queueio import train
from queueio.errors import Refusal
from queueio.graph.traversal import ancestors, is_queue, op_of

v1 = tf.compat.v1
pytestmark = pytest.mark.usefixtures("data", "control_flow")
EACH = 2
"""Ops of a pipeline that are tried."""
UNLIKE = "producers of one join"


def on_the_way(fetches: Any) -> list[Any]:
    """The ops that run so that something comes out of `fetches`, in a certain order."""
    filled_by: dict[Any, list[Any]] = {}
    for runner in v1.get_collection(v1.GraphKeys.QUEUE_RUNNERS):
        filled_by.setdefault(runner.queue.queue_ref.op, []).extend(map(op_of, runner.enqueue_ops))
    flat = tf.nest.flatten(fetches, expand_composites=True)
    waiting, found = [op_of(t) for t in flat if tf.is_tensor(t)], set()
    while waiting:
        new = [op for op in ancestors(waiting) if op not in found]
        found.update(new)
        waiting = [op for queue in filter(is_queue, new) for op in filled_by.pop(queue, ())]
    return sorted(found, key=lambda op: int(op._id))


def lifted(name: str, place: int | None, acts: bool = True) -> tuple[int, str]:
    """How many ops are on the way in a pipeline, and what is said of it: nothing if it is lifted.

    Args:
      name: of the pipeline.
      place: of the op that waits for one more; None for none.
      acts: whether that one changes state.
    """
    with tf.Graph().as_default():
        fetches = PIPELINES[name].build(Stock(train))
        ops = on_the_way(fetches)
        if place is not None:
            seen = v1.get_variable("seen", initializer=0, trainable=False)
            waits_for = v1.assign_add(seen, 1).op if acts else tf.no_op()
            ops[place]._add_control_input(waits_for)
        try:
            queueio.lift(fetches)
        except Refusal as refusal:
            return len(ops), str(refusal)
        return len(ops), ""


def tried(draw: random.Random, share: float) -> list[tuple[str, int]]:
    """Pipelines that are lifted, such a share of all, and places in them."""
    found = []
    for name in PIPELINES:
        if draw.random() < share:
            try:
                count, refused = lifted(name, None)
            except Exception:  # a golden pipeline that TF1 refuses too
                continue
            if not refused:
                found += [(name, draw.randrange(count)) for _ in range(EACH)]
    return found


@pytest.mark.long
def test_what_acts_is_refused_whichever_op_waits_for_it() -> None:
    cases = tried(random.Random(3), 0.25)
    assert len(cases) > 50
    assert [case for case in cases if not lifted(*case)[1]] == []


@pytest.mark.long
def test_a_wait_for_what_does_nothing_changes_nothing() -> None:
    cases = [
        c for c in tried(random.Random(4), 0.1) if not c[0].startswith("learn_")
    ]  # fed by Python
    said = [(case, lifted(*case, acts=False)[1]) for case in cases]
    assert [each for each in said if each[1] and UNLIKE not in each[1]] == []


def test_a_count_of_examples_in_the_op_that_a_runner_runs_is_refused() -> None:
    with tf.Graph().as_default():
        number = train.range_input_producer(6, num_epochs=1).dequeue()
        queue = v1.FIFOQueue(5, [tf.int32], [[]])
        seen = v1.get_variable("examples_seen", initializer=0, trainable=False)
        both = tf.group(queue.enqueue([number]), v1.assign_add(seen, 1))
        v1.train.add_queue_runner(v1.train.QueueRunner(queue, [both]))
        with pytest.raises(Refusal, match="changes state in each run of 'group_deps'"):
            queueio.lift(queue.dequeue_many(2))


def test_what_only_a_fetch_waits_for_is_refused_as_what_the_fetch_runs() -> None:
    with tf.Graph().as_default():
        number = train.range_input_producer(6, num_epochs=1).dequeue()
        queue = v1.FIFOQueue(5, [tf.int32], [[]])
        v1.train.add_queue_runner(v1.train.QueueRunner(queue, [queue.enqueue([number])]))
        with tf.control_dependencies([v1.Print(0, ["next"])]):
            batch = queue.dequeue_many(2, name="batch")
        with pytest.raises(Refusal, match="prints whenever 'batch' is fetched, and no component"):
            queueio.lift(batch)


def test_a_batch_made_where_ops_wait_for_a_check_of_an_example_is_refused() -> None:
    """To fetch it takes an example as well: of twenty numbers, TF 1.15.5 gave the first."""
    with tf.Graph().as_default():
        number = train.range_input_producer(20, num_epochs=1, shuffle=False).dequeue()
        with tf.control_dependencies([v1.assert_less(number, 1000)]):
            batch = train.batch([tf.identity(number)], 1)
        with pytest.raises(Refusal, match=r"whenever .batch.*Make the batch outside"):
            queueio.lift(batch)
