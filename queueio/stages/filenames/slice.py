"""Hands out matching rows of several tensors, epoch after epoch.

Legacy:
    image, label = tf.train.slice_input_producer([[[1, 2], [3, 4]], [7, 8]], shuffle=False)

Modern:
    rows = tf.data.Dataset.from_tensor_slices(([[1, 2], [3, 4]], [7, 8]))
    dataset = rows.repeat()

Emits:
    per tensor its dtype and the shape of one row

Differs:
    What is shuffled is the row number, so the rows stay together; `shuffle(number of rows)`
    before `repeat` does the same. The tensors are in memory in both forms. The rows of the first
    tensor are counted, those that a longer one has more never come; `from_tensor_slices` refuses
    tensors that differ.

Raises:
    ValueError: the list of tensors is empty. InvalidArgumentError: at the first row that a shorter
    tensor lacks. OutOfRangeError: after the last row of the last epoch.

One dequeue of a row number is shared by all tensors of the list: the rows that one session call
sees belong together. Two producers never stay in step with each other.

Source:
    tf.train.slice_input_producer of TensorFlow 1.15
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tensorflow as tf

from queueio.eager import refuse_eager
from queueio.errors import message
from queueio.forensics.traps import check_listed, check_rows, report_rows
from queueio.stages.filenames.range import range_input_producer

v1 = tf.compat.v1


def slice_input_producer(
    tensor_list: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> list[Any]:
    """Produces one row of each tensor in a list.

    Args:
      tensor_list: tensors that have the same size in their first dimension.
      num_epochs: how often each row is produced; None for ever. The count is a local variable.
      shuffle: whether the rows are shuffled within each epoch.
      seed: seed of that shuffle.
      capacity: how many row numbers the queue holds.
      shared_name: the queue's name across the sessions of a cluster.
      name: name of the scope (default "input_producer").

    Returns:
      A list with one tensor for each of `tensor_list`, without its first dimension. The runner of
      the queue of row numbers is in the collection QUEUE_RUNNERS.

    Raises:
      ValueError: `tensor_list` is empty, or holds a scalar.
      TypeError: it is a dict: the rows that come back would have no names.
      RuntimeError: eager execution is on.
      tf.errors.DataLossError: under `strict`, where rows of a longer tensor would never come.
    """
    refuse_eager("slice_input_producer")
    if isinstance(tensor_list, Mapping):
        raise TypeError(
            message(
                f"values must be a sequence, not a dict of {sorted(tensor_list, key=str)}",
                "slice_input_producer gives a list of rows",
                "Keep the names beside it",
                wrong="rows = tf.train.slice_input_producer(data)",
                right="rows = dict(zip(data, tf.train.slice_input_producer([*data.values()])))",
            )
        )
    check_listed(tensor_list, "slice_input_producer")
    with v1.name_scope(name, "input_producer", tensor_list):
        tensors = [_dense_or_slices(tensor) for tensor in tensor_list]
        if not tensors:
            raise ValueError("Expected at least one tensor in slice_input_producer().")
        check_rows(tensors)
        queue = range_input_producer(
            tf.shape(tensors[0])[0],
            num_epochs=num_epochs,
            shuffle=shuffle,
            seed=seed,
            capacity=capacity,
            shared_name=shared_name,
        )
        index = queue.dequeue()
        report_rows(tensors, index.op)
        return [tf.gather(tensor, index) for tensor in tensors]


def _dense_or_slices(value: Any) -> Any:
    return value if isinstance(value, tf.IndexedSlices) else tf.convert_to_tensor(value)
