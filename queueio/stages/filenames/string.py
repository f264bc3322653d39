"""Hands out file names, one after another, epoch after epoch.

Legacy:
    queue = tf.train.string_input_producer(["a.txt", "b.txt"], num_epochs=2)
    name = queue.dequeue()

Modern:
    names = tf.data.Dataset.from_tensor_slices(["a.txt", "b.txt"])
    dataset = names.shuffle(2).repeat(2)

Emits:
    string, shape ()

Differs:
    All names of an epoch are shuffled together, so the buffer of `shuffle` must hold the whole
    list, and `shuffle` comes before `repeat`. A missing file stops only the record that hit it:
    the next read goes on with the next name.

Raises:
    ValueError: the list is empty.
    InvalidArgumentError: at run time, when a tensor of names turns out to be empty.
    OutOfRangeError: after the last name of the last epoch. FailedPreconditionError when
    `num_epochs` is set and `tf.local_variables_initializer()` was not run.

The queue of names is what several readers share: each name goes to exactly one reader, so
readers in parallel never read the same file twice within an epoch.

Source:
    tf.train.string_input_producer of TensorFlow 1.15
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.eager import refuse_eager
from queueio.forensics.traps import check_names
from queueio.graph.summaries import fraction_full
from queueio.stages.filenames.input_producer import input_producer

v1 = tf.compat.v1
_NULL = "string_input_producer requires a non-null input tensor"


def string_input_producer(
    string_tensor: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> Any:
    """Outputs strings, usually file names, to a queue.

    Args:
      string_tensor: a list of strings, or a 1-D string tensor or variable.
      num_epochs: how often each string is produced; None for ever. With a number, run
        `tf.local_variables_initializer()`: the count is a local variable.
      shuffle: whether the strings are shuffled within each epoch.
      seed: seed of that shuffle.
      capacity: how many strings the queue holds.
      shared_name: the queue's name across the sessions of a cluster.
      name: name of the scope (default "input_producer").
      cancel_op: op that cancels the queue, for its runner.

    Returns:
      A queue of scalar strings; its `QueueRunner` is in the collection QUEUE_RUNNERS.

    Raises:
      ValueError: the list is empty, or one string instead of a list.
      TypeError: a set or generator, or a list with None in it.
      InvalidArgumentError: at run time, when a tensor is empty.
      RuntimeError: eager execution is on.
    """
    refuse_eager("string_input_producer")
    check_names(string_tensor)
    with v1.name_scope(name, "input_producer", [string_tensor]) as scope:
        names = tf.convert_to_tensor(string_tensor, dtype=tf.string)
        not_empty = v1.Assert(tf.greater(tf.size(names), 0), [_NULL])
        with tf.control_dependencies([not_empty]):
            names = tf.identity(names)
        return input_producer(
            input_tensor=names,
            element_shape=[],
            num_epochs=num_epochs,
            shuffle=shuffle,
            seed=seed,
            capacity=capacity,
            shared_name=shared_name,
            name=scope,
            summary_name=fraction_full(capacity),
            cancel_op=cancel_op,
        )
