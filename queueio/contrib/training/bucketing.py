"""The functions that build buckets.py's stage: `bucket` and `bucket_by_sequence_length`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.contrib.training.bucket_queues import Queues
from queueio.eager import refuse_eager
from queueio.forensics.traps import check_shapes
from queueio.stages.batching.pipeline import _like, _lists, _tensor
from queueio.stages.queues.join import joined_dtypes, joined_shapes
from queueio.stages.queues.keep_if import checked_keep_input
from queueio.stages.queues.sparse import restore_sparse, sparse_maps

v1 = tf.compat.v1
_INT32 = np.iinfo(np.int32)


def bucket(
    tensors: Any,
    which_bucket: Any,
    batch_size: Any,
    num_buckets: int,
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Sequence[int] | None = None,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: Any = True,
    shared_name: str | None = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Sorts examples into buckets by a number, and makes batches of one bucket each.

    Args:
      tensors: a list or dict of tensors (dense or sparse): one example.
      which_bucket: int32 scalar: the bucket of the example, from 0 to `num_buckets` - 1.
      batch_size: how many examples make a batch, an integer or int32 scalar; or a list of them,
        one for each bucket.
      num_buckets: how many buckets there are.
      num_threads: how many threads enqueue. With more than one the order is not defined.
      capacity: how many batches wait in the top queue; and how many examples in each bucket.
      bucket_capacities: instead, how many examples wait in each bucket.
      shapes: the shape of each tensor of one example, where it is not known.
      dynamic_pad: whether unequal examples are padded to the longest of their batch.
      allow_smaller_final_batch: whether what is left in each bucket at the end becomes a smaller
        batch; else it is dropped.
      keep_input: bool scalar: whether to take the example at all.
      shared_name: the top queue's name across the sessions of a cluster; with `_<i>` behind it,
        that of the buckets.
      name: name of the scope (default "bucket").

    Returns:
      A pair: the batch's bucket (int32 scalar), and the batch: a list or dict like `tensors`, each
      with a leading dimension; for a list of one, that tensor.

    Raises:
      ValueError: see the module; also where eager execution is on.
    """
    refuse_eager("bucket", ValueError)
    sizes = _sizes(batch_size, num_buckets)
    capacities = _capacities(bucket_capacities, capacity, num_buckets)
    tensor_list = _lists([tensors])[0]
    with v1.name_scope(name, "bucket", tensor_list) as scope:
        tensor_list = [_tensor(value) for value in tensor_list]
        if not tensor_list:
            raise ValueError("Expected at least one tensor in bucket().")
        keep_input = checked_keep_input(keep_input, enqueue_many=False)
        maps = sparse_maps([tensor_list], False, scope)
        tensor_list = [
            m.store(t, False, keep_input) if m else t
            for m, t in zip(maps, tensor_list, strict=True)
        ]
        sizes = [_static(tf.convert_to_tensor(n, tf.int32, name="batch_size")) for n in sizes]
        if shapes is None:
            shapes = joined_shapes([tensor_list], False)
        if not dynamic_pad:
            check_shapes(tensor_list, shapes, "bucket", False)
        which_bucket = tf.convert_to_tensor(which_bucket, tf.int32, name="which_bucket")
        unequal = allow_smaller_final_batch or isinstance(batch_size, (list, tuple))
        static = sizes[-1] if not unequal and isinstance(sizes[-1], int) else None
        queues = Queues.make(
            joined_dtypes([tensor_list]), shapes, static, capacity, capacities, dynamic_pad,
            shared_name,
        )  # fmt: skip
        fill = queues.fill(tensor_list, which_bucket, keep_input)
        empty = queues.empty(sizes, allow_smaller_final_batch)
        queues.add_runners([fill] * num_threads, empty)
        queues.summarize(capacity)
        which, *batch = queues.top.dequeue(name="dequeue_top")
        return which, _like(tensors, restore_sparse(maps, batch))


def bucket_by_sequence_length(
    input_length: Any,
    tensors: Any,
    batch_size: Any,
    bucket_boundaries: Sequence[int],
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Sequence[int] | None = None,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: Any = True,
    shared_name: str | None = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Makes batches of examples whose lengths lie between the same two boundaries.

    Args:
      input_length: int32 scalar: the length of the example.
      tensors: a list or dict of tensors (dense or sparse): one example.
      bucket_boundaries: increasing integers. The first bucket holds what is shorter than the first
        of them, the last one what is as long as the last, or longer.
      Everything else as for `bucket`, whose buckets are one more than there are boundaries.

    Returns:
      A pair: the lengths ([batch_size], int32), and the batch: a list or dict like `tensors`, each
      with a leading dimension.

    Raises:
      TypeError: the boundaries are no list of integers.
      ValueError: there are none, or they do not increase; and as `bucket`.
    """
    tensor_list = _lists([tensors])[0]
    _check_boundaries(bucket_boundaries)
    with v1.name_scope(name, "bucket_by_sequence_length", [input_length, *tensor_list]):
        input_length = tf.convert_to_tensor(input_length, tf.int32, name="input_length")
        least = [_INT32.min, *bucket_boundaries]
        most = [*bucket_boundaries, _INT32.max]
        fits = tf.logical_and(tf.less_equal(least, input_length), tf.less(input_length, most))
        which_bucket = tf.cast(tf.reduce_min(tf.where(fits)), tf.int32)
        if shapes is not None:
            shapes = [tf.TensorShape([]), *shapes]
        _, (lengths, *batch) = bucket(
            tensors=[input_length, *tensor_list],
            which_bucket=which_bucket,
            batch_size=batch_size,
            num_buckets=len(bucket_boundaries) + 1,
            num_threads=num_threads,
            capacity=capacity,
            bucket_capacities=bucket_capacities,
            shapes=shapes,
            dynamic_pad=dynamic_pad,
            allow_smaller_final_batch=allow_smaller_final_batch,
            keep_input=keep_input,
            shared_name=shared_name,
        )
        return lengths, _as_given(tensors, batch)


def _sizes(batch_size: Any, num_buckets: int) -> list[Any]:
    if not isinstance(batch_size, (list, tuple)):
        return [batch_size] * num_buckets
    if len(batch_size) != num_buckets:
        raise ValueError(
            "If batch_size is a list it must have num_buckets elements: it has"
            f" {len(batch_size)}, for {num_buckets} buckets"
        )
    return list(batch_size)


def _capacities(capacities: Sequence[int] | None, capacity: int, num_buckets: int) -> Sequence[int]:
    if capacities is None:
        return [capacity] * num_buckets
    if len(capacities) != num_buckets:
        raise ValueError(
            f"The list bucket_capacities ({capacities}) must have exactly num_buckets"
            f" ({num_buckets}) elements."
        )
    return capacities


def _static(size: Any) -> Any:
    """A batch size as a number, where it is known."""
    value = tf.get_static_value(size)
    return size if value is None else int(value)


def _check_boundaries(boundaries: Any) -> None:
    if not isinstance(boundaries, (list, tuple)):
        raise TypeError(f"bucket_boundaries must be a list or tuple, but received: {boundaries}")
    if not boundaries:
        raise ValueError("bucket_boundaries must not be empty")
    for left, right in pairwise(boundaries):
        if not isinstance(left, int) or not isinstance(right, int):
            raise TypeError(f"bucket boundaries must be integers, but saw: {left} and {right}")
        if left >= right:
            raise ValueError(
                "Buckets must contain sequential increasing lengths, but saw:"
                f" {left} before {right}"
            )


def _as_given(tensors: Any, batch: list[Any]) -> Any:
    """The batch as TF1 gave it: a list, also of one tensor, even under the key of a dict."""
    if isinstance(tensors, dict) and len(tensors) == 1:
        return dict.fromkeys(tensors, batch)
    return _like(tensors, batch) if isinstance(tensors, dict) else batch
