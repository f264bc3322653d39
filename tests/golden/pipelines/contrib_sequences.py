"""tf.contrib.training.batch_sequences_with_states and SequenceQueueingStateSaver.

The input never ends: when it does, 1.15.5 may lose the last batch, and hangs when it is stopped.
"""

from __future__ import annotations

from typing import Any

from pipelines.registry import numbers, pipeline


def example(tf: Any, lengths: Any = (3, 5, 2, 4, 1)) -> Any:
    """The number of an example, and its length; two examples with one key must not meet."""
    n = numbers(tf, 1000, epochs=None)
    return n, tf.gather(tf.constant(list(lengths)), n % len(lengths))


def told(tf: Any, batch: Any, step: Any) -> Any:
    """All that a batch has, once `step` of its states is saved."""
    names = ["total_length", "length", "key", "next_key", "sequence", "sequence_count"]
    found = {name: getattr(batch, name) for name in [*names, "batch_size", "insertion_index"]}
    found.update({"sequence " + key: value for key, value in batch.sequences.items()})
    found.update({"context " + key: value for key, value in batch.context.items()})
    states = {name: batch.state(name) for name in step}
    saves = [batch.save_state(name, change(states[name])) for name, change in step.items()]
    found.update({"state " + name: value for name, value in states.items()})
    with tf.control_dependencies(saves):
        found["saved"] = tf.identity(batch.batch_size, name="saved")
    return found


@pipeline(steps=9)
def sequences_with_a_sum(tf: Any) -> Any:
    n, length = example(tf)
    batch = tf.contrib.training.batch_sequences_with_states(
        tf.as_string(n),
        {"x": tf.range(length) + 10 * n, "rows": tf.fill([length, 2], tf.cast(n, tf.float32))},
        {"n": n},
        None,
        {"sum": tf.zeros([2]) + tf.cast(n, tf.float32)},
        num_unroll=2,
        batch_size=2,
        num_threads=1,
        capacity=4,
    )
    return told(tf, batch, {"sum": lambda value: value + 1})


@pipeline(steps=7)
def sequences_of_whole_segments(tf: Any) -> Any:
    n, length = example(tf, (3, 6, 9))
    batch = tf.contrib.training.batch_sequences_with_states(
        input_key=tf.string_join(["example ", tf.as_string(n)]),
        input_sequences={"words": tf.as_string(tf.range(length))},
        input_context={},
        input_length=length - 1,
        initial_states={"one": [1], "two": tf.fill([2, 2], n)},
        num_unroll=3,
        batch_size=tf.constant(2),
        num_threads=1,
        capacity=2,
        allow_small_batch=False,
        pad=False,
        name="cut",
    )
    return told(tf, batch, {"one": lambda value: 2 * value, "two": lambda value: -value})


@pipeline(steps=6)
def sequences_with_keys_made_unique(tf: Any) -> Any:
    _, length = example(tf, (2, 3))
    batch = tf.contrib.training.batch_sequences_with_states(
        tf.constant("same"),
        {"x": tf.range(length)},
        {},
        None,
        {"s": 0.0},
        num_unroll=1,
        batch_size=2,
        num_threads=1,
        capacity=3,
        make_keys_unique=True,
        make_keys_unique_seed=9,
    )
    return told(tf, batch, {"s": lambda value: value + 0.5})


@pipeline(steps=6)
def sequences_that_are_sparse(tf: Any) -> Any:
    n, length = example(tf, (4, 3, 1))
    rows = tf.stack([tf.range(length), tf.range(length) % 2], 1)
    cells = tf.SparseTensor(
        tf.cast(rows, tf.int64), tf.range(length) * (n + 1), tf.cast([length, 2], tf.int64)
    )
    tags = tf.SparseTensor([[0, 1], [2, 0]], tf.stack([n, n + 1]), [3, 2])
    batch = tf.contrib.training.batch_sequences_with_states(
        tf.as_string(n),
        {"x": tf.range(length), "cells": cells},
        {"n": n, "tags": tags},
        None,
        {"s": 0},
        num_unroll=2,
        batch_size=2,
        num_threads=1,
        capacity=3,
    )
    return told(tf, batch, {"s": lambda value: value + 1})


@pipeline(steps=6)
def sequences_of_a_saver(tf: Any) -> Any:
    n, length = example(tf, (2, 4))
    saver = tf.contrib.training.SequenceQueueingStateSaver(
        2, 2, length, tf.as_string(n), {"x": tf.range(length)}, {"n": n}, {"s": n}, name="saver"
    )
    batch = saver.next_batch
    enqueue = tf.group(saver.prefetch_op, name="enqueue")
    tf.train.add_queue_runner(tf.train.QueueRunner(saver, [enqueue]))
    found = told(tf, batch, {"s": lambda value: value + 100})
    found["is small"] = saver.barrier.incomplete_size() < 0
    return found


@pipeline(steps=6)
def sequences_of_one_segment(tf: Any) -> Any:
    """Nothing saves a state, as no segment waits for one; what makes room is that it is fetched."""
    n, length = example(tf, (2, 1, 2))
    batch = tf.contrib.training.batch_sequences_with_states(
        tf.as_string(n),
        {"x": tf.range(length) + 10 * n},
        {"n": n},
        None,
        {"s": n},
        num_unroll=2,
        batch_size=2,
        num_threads=1,
        capacity=2,
    )
    return {"key": batch.key, "x": batch.sequences["x"], "s": batch.state("s")}


def refused(tf: Any, **changed: Any) -> Any:
    n = numbers(tf)
    given = {
        "input_key": tf.as_string(n),
        "input_sequences": {"x": tf.range(n)},
        "input_context": {},
        "input_length": None,
        "initial_states": {"s": 0},
        "num_unroll": 2,
        "batch_size": 2,
    }
    given.update(changed)
    return tf.contrib.training.batch_sequences_with_states(**given)


@pipeline()
def refuse_sequences_without_a_state(tf: Any) -> Any:
    return refused(tf, initial_states={})


@pipeline()
def refuse_sequences_that_are_none(tf: Any) -> Any:
    return refused(tf, input_sequences={})


@pipeline()
def refuse_sequences_with_a_colon(tf: Any) -> Any:
    return refused(tf, input_sequences={"a:b": tf.range(4)})


@pipeline()
def refuse_sequences_of_states_with_numbers_for_names(tf: Any) -> Any:
    return refused(tf, initial_states={1: 0})


@pipeline()
def refuse_sequences_of_unknown_shape(tf: Any) -> Any:
    return refused(tf, input_sequences={"x": tf.fill([3, numbers(tf)], 1)})


@pipeline()
def refuse_sequences_beyond_the_capacity(tf: Any) -> Any:
    return refused(tf, batch_size=20, capacity=3)


@pipeline()
def refuse_sequences_whose_length_is_long(tf: Any) -> Any:
    return refused(tf, input_length=tf.constant(3, tf.int64))


@pipeline()
def refuse_sequences_of_half_a_step(tf: Any) -> Any:
    return refused(tf, num_unroll=1.5)
