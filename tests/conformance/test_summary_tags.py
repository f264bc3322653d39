"""What the summaries of queues are called. The tags are those of TF 1.15.5."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from queueio import train
from queueio.contrib.learn import numpy_io
from queueio.contrib.slim import parallel_reader, prefetch_queue
from queueio.contrib.training import bucket

v1 = tf.compat.v1


def one() -> list[Any]:
    return [tf.constant(1)]


CALLS: dict[str, Callable[[Any], Any]] = {
    "batch/fraction_of_20_full": lambda n: train.batch(one(), 2, capacity=n),
    "batch_join/fraction_of_20_full": lambda n: train.batch_join([one()], 2, capacity=n),
    "shuffle_batch/fraction_over_3_of_17_full": lambda n: train.shuffle_batch(one(), 2, n, 3),
    "input_producer/fraction_of_20_full": lambda n: train.string_input_producer(["a"], capacity=n),
    "input_producer/input_producer/fraction_of_20_full": (
        lambda n: train.slice_input_producer([[1, 2]], capacity=n)
    ),
    "prefetch_queue/fraction_of_20_full": (
        lambda n: prefetch_queue.prefetch_queue(one(), capacity=n)
    ),
    "bucket/bucket/bucket/top_queue/fraction_of_20_full": (
        lambda n: bucket(one(), tf.constant(0), 2, num_buckets=2, capacity=n)
    ),
    "parallel_read/fraction_of_20_full": lambda n: parallel_reader.parallel_read(
        ["a"], v1.TextLineReader, num_epochs=1, capacity=n, min_after_dequeue=1
    ),
    "enqueue_input/queue/enqueue_input/random_shuffle_queuefraction_over_5_of_15_full": (
        lambda n: numpy_io.numpy_input_fn({"x": np.arange(4)}, shuffle=True, queue_capacity=n)()
    ),
}


@pytest.mark.parametrize("capacity", [20.5, np.float32(20.25)])
@pytest.mark.parametrize("tag", CALLS)
def test_a_capacity_that_was_computed_leaves_no_fraction_in_the_tag(
    tag: str, capacity: Any, graph: Any
) -> None:
    CALLS[tag](capacity)
    assert graph.get_collection(v1.GraphKeys.SUMMARIES)[-1].op.name == tag
