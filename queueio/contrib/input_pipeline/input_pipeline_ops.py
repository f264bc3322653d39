"""Gives the strings of a list one after the other, and remembers in a variable how far it came.

Legacy:
    counter = tf.Variable(-1, dtype=tf.int64)
    name = tf.contrib.input_pipeline.obtain_next(["a.txt", "b.txt"], counter)

Modern:
    dataset = tf.data.Dataset.from_tensor_slices(["a.txt", "b.txt"]).repeat()

Emits:
    string, shape []

Differs:
    The position is in a variable, so a checkpoint holds it, and a training job that starts again
    goes on where it was. What was one op, ObtainNext, is here a few ops in its scope, as TensorFlow
    2 does not have it; a mutex keeps two threads from taking the same string.

Raises:
    FailedPreconditionError when `tf.global_variables_initializer()` was not run. With `seek_next`
    and num_epochs OutOfRangeError: after the last string of the last epoch.

`seek_next(strings, shuffle, seed, num_epochs)` makes the counter itself. TF1 had it in
`tensorflow.contrib.input_pipeline.python.ops.input_pipeline_ops` alone, from where it is imported
here, too. With shuffle each of num_epochs has an order of its own, drawn while the graph is built;
without num_epochs one order is repeated. Its variables are `obtain_next/obtain_next_counter`,
`obtain_next_expanded_list` and, with num_epochs, `obtain_next_filename_counter`; a second call in
one variable scope is an error, as they exist already.

Source:
    tf.contrib.input_pipeline.obtain_next of TensorFlow 1.15, and seek_next in the module of its op
"""

from __future__ import annotations

import random
from typing import Any

import tensorflow as tf

from queueio.eager import refuse_eager
from queueio.stages.filenames.epochs import _count_up_to

v1 = tf.compat.v1


def obtain_next(string_list_tensor: Any, counter: Any) -> Any:
    """The string of a list that follows the one given last; after the last comes the first.

    Args:
      string_list_tensor: a string vector.
      counter: a variable, int64 scalar: the position of the string given last, -1 before the first.

    Returns:
      A string scalar. Each evaluation moves `counter` on.
    """
    refuse_eager("obtain_next")
    with v1.name_scope("ObtainNext") as scope:
        mutex = tf.raw_ops.MutexV2(shared_name=counter.op.name)
        lock = tf.raw_ops.MutexLock(mutex=mutex)
        strings = tf.convert_to_tensor(string_list_tensor, tf.string)
        with tf.control_dependencies([lock]):
            count = tf.size(strings, out_type=tf.int64)
            position = tf.math.floormod(_read(counter) + 1, count)
            moved = v1.assign(counter, position)
        with tf.control_dependencies([moved.op]):  # until here the lock is held
            freed = tf.raw_ops.ConsumeMutexLock(mutex_lock=lock)
        with tf.control_dependencies([freed]):
            return tf.gather(strings, position, name=scope)


def _read(counter: Any) -> Any:
    """The counter's value now: a reference's own `read` op would run before the lock."""
    if hasattr(counter, "read_value"):
        return counter.read_value()
    return tf.identity(counter)


def seek_next(
    string_list: Any, shuffle: bool = False, seed: int | None = None, num_epochs: int | None = None
) -> Any:
    """Gives the strings of a list one after the other.

    Args:
      string_list: a list of strings, often the names of files.
      shuffle: whether each epoch has an order of its own, drawn while the graph is built. Without
        num_epochs there is one order for all.
      seed: seed of these draws.
      num_epochs: how often the list is given; None for ever.

    Returns:
      A string scalar, another one at each evaluation. The position is in global variables.

    Raises:
      OutOfRangeError: at run time, after the last epoch.
      ValueError: the variables exist already.
    """
    strings = _all_epochs(string_list, shuffle, seed, num_epochs)
    with v1.variable_scope("obtain_next"):
        counter = _variable("obtain_next_counter", tf.constant(-1, tf.int64))
        with counter.graph.colocate_with(counter.op):
            held = _variable("obtain_next_expanded_list", tf.constant(strings))
        if not num_epochs:
            return obtain_next(held, counter)
        given = _variable("obtain_next_filename_counter", tf.constant(0, tf.int64))
        with tf.control_dependencies([_count_up_to(given, len(strings))]):
            return obtain_next(held, counter)


def _all_epochs(strings: Any, shuffle: bool, seed: Any, num_epochs: int | None) -> list[Any]:
    """The strings of all epochs; each is a shuffle of the one before, as TF1 drew them."""
    draws: Any = random.Random(seed) if seed else random
    epoch, found = list(strings), []
    for _ in range(num_epochs or 1):
        if shuffle:
            draws.shuffle(epoch)
        found += epoch
    return found


def _variable(name: str, initial: Any) -> Any:
    return v1.get_variable(name, initializer=initial, dtype=initial.dtype, trainable=False)
