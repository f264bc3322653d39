"""Towers, each of which takes a batch of its own out of one queue, lifted together."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import io, train


def queue_of(examples: list[Any], make: Any = io.FIFOQueue, *args: int) -> Any:
    queue = make(*args or (40,), [t.dtype for t in examples], [t.shape for t in examples])
    train.add_queue_runner(train.QueueRunner(queue, [queue.enqueue(examples)]))
    return queue


def drawn(draw: random.Random) -> tuple[Callable[[], Any], bool]:
    """A program with towers, and whether it mixes."""
    count, size, towers = draw.randrange(1, 40), draw.randrange(1, 6), draw.randrange(2, 5)
    epochs, how = draw.choice([1, 2]), draw.choice(["batches", "mixed batches", "many", "mixed"])

    def build() -> Any:
        number = train.range_input_producer(count, epochs, shuffle=False).dequeue()
        example = [number, tf.stack([number, number * number])]
        if how == "batches":
            queue = queue_of(train.batch(example, size))
        elif how == "mixed batches":
            queue = queue_of(train.shuffle_batch(example, size, 50, 7))
        elif how == "mixed":
            queue = queue_of(example, io.RandomShuffleQueue, 60, 6)
        else:
            queue = queue_of(example)
        takes = queue.dequeue if "batches" in how else lambda: queue.dequeue_many(size)
        taken = [takes() for _ in range(towers)]
        return [{"number": numbers, "both": both * 2} for numbers, both in taken]

    return build, "mixed" in how


def of_dataset(dataset: Any) -> list[Any]:
    return [tf.nest.map_structure(lambda t: t.numpy(), element) for element in dataset]


def as_source(plan: Any, **arguments: Any) -> Any:
    made: dict[str, Any] = {"__name__": "made"}
    exec(str(plan.to_source()), made)
    return made["input_fn"](**arguments)


def per_step(steps: list[Any], mixes: bool) -> Any:
    """What each step gave, whichever tower got it; of what mixes, the shapes and the numbers."""
    if mixes:
        shapes = [[tower["both"].shape for tower in step] for step in steps]
        return shapes, [t["both"][:, 1] == 2 * t["number"] ** 2 for s in steps for t in s]
    return [sorted((t["number"].tolist(), t["both"].tolist()) for t in step) for step in steps]


@pytest.mark.long
def test_each_step_takes_what_the_towers_took_of_the_queue(from_queues: Any) -> None:
    draw = random.Random(1)
    for _ in range(8):
        build, mixes = drawn(draw)
        expected, plan = per_step(from_queues(build), mixes), queueio.lift(build)
        for dataset in (plan.to_dataset(), plan.to_dataset(vectorise=False), as_source(plan)):
            np.testing.assert_equal(per_step(of_dataset(dataset), mixes), expected)


def two(size: int = 2, first: Any = None) -> Any:
    queue = queue_of([train.range_input_producer(12, 1, shuffle=False).dequeue()])
    return [queue.dequeue_many(size if first is None else first), queue.dequeue_many(size)]


def test_a_batch_size_of_the_written_source_is_that_of_each_tower() -> None:
    dataset = as_source(queueio.lift(two), batch_size=3)
    found = [[part.tolist() for part in element] for element in of_dataset(dataset)]
    assert found == [[[0, 1, 2], [3, 4, 5]], [[6, 7, 8], [9, 10, 11]]]


def test_one_tower_of_several_is_refused_and_told_to_be_lifted_with_the_others() -> None:
    with pytest.raises(queueio.NotLifted, match=r"not alone .* queueio\.lift\(\[first, second\]\)"):
        queueio.lift(lambda: two()[0])


@pytest.mark.parametrize("build", [
    pytest.param(lambda: two(first=3), id="batches of two sizes"),
    pytest.param(lambda: two(first=tf.random.uniform([], 1, 3, tf.int32)), id="drawn size"),
])  # fmt: skip
def test_towers_that_take_unlike_numbers_are_refused(build: Callable[[], Any]) -> None:
    with pytest.raises(queueio.NotLifted, match=r"not alone in taking|is not a constant"):
        queueio.lift(build)


def rests() -> Any:
    queue = queue_of([train.range_input_producer(7, 1, shuffle=False).dequeue()])
    return [queue.dequeue_up_to(2), queue.dequeue_up_to(2)]


def padded() -> Any:
    number = train.range_input_producer(8, 1, shuffle=False).dequeue()
    queue = io.PaddingFIFOQueue(9, [tf.int32], [[None]])
    train.add_queue_runner(train.QueueRunner(queue, [queue.enqueue(tf.range(number))]))
    return [queue.dequeue_many(2), queue.dequeue_many(2)]


@pytest.mark.parametrize("build", [rests, padded])
def test_towers_whose_batches_may_differ_in_shape_are_refused(build: Callable[[], Any]) -> None:
    with pytest.raises(queueio.NotLifted, match=r"2 batches .* in one step, and their shapes may"):
        queueio.lift(build)


def test_one_thread_that_takes_twice_of_a_queue_is_refused() -> None:
    """Which of the two comes first would decide over the example that it makes."""

    def build() -> Any:
        queue = queue_of([train.range_input_producer(12, 1, shuffle=False).dequeue()])
        return train.batch([queue.dequeue() - queue.dequeue()], 2)

    with pytest.raises(queueio.NotLifted, match="which comes first is a race"):
        queueio.lift(build)
