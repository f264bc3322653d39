"""Carries sparse tensors through a queue.

Legacy:
    sparse = tf.SparseTensor([[1]], [5], [3])
    batch = tf.train.batch([sparse], batch_size=2)

Modern:
    sparse = tf.SparseTensor([[1]], [5], [3])
    dataset = tf.data.Dataset.from_tensors(sparse).repeat().batch(2)

Emits:
    a SparseTensor with one more leading dimension

Differs:
    A queue holds dense tensors only: a sparse one is put into a map beside the queue, and its
    int64 handle is enqueued. tf.data carries sparse tensors as they are.

Raises:
    ValueError: the lists of a join do not agree on which tensors are sparse, or on their rank.

A handle is used once: whoever dequeues takes the tensor out of the map. The two ops meet through
one explicit shared name, so they also find each other in an imported graph and inside a cond.

Source:
    SparseTensor in tf.train.batch of TensorFlow 1.15
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from queueio.errors import message
from queueio.stages.queues.keep_if import only_if


@dataclass(frozen=True)
class SparseMap:
    """The map that one component of a queue passes through; None rank where not known."""

    shared_name: str
    dtype: Any
    rank: int | None

    def store(self, sparse: Any, enqueue_many: bool, keep_input: Any) -> Any:
        """Puts `sparse` into the map; gives its handle, int64 of shape [1] or [rows, 1]."""
        if keep_input.shape.ndims == 1:
            kept_values = tf.gather(keep_input, sparse.indices[:, 0])
            handles = self._add_many(tf.sparse.retain(sparse, kept_values))
        elif enqueue_many:
            handles = only_if(
                keep_input,
                lambda: self._add_many(sparse),
                lambda: -1 * tf.ones(tf.shape(sparse)[0:1], tf.int64),
            )
            handles.set_shape([None])
        else:
            handles = only_if(
                keep_input,
                lambda: self._add(sparse),
                lambda: tf.constant(-1, tf.int64),
            )
        return tf.expand_dims(handles, [-1])

    def restore(self, handles: Any) -> Any:
        """Takes the tensors of `handles` ([rows, 1]) out of the map, as one SparseTensor."""
        rank = None if self.rank is None else self.rank + 1
        indices, values, shape = tf.raw_ops.TakeManySparseFromTensorsMap(
            sparse_handles=tf.squeeze(handles, [1]),
            dtype=self.dtype,
            shared_name=self.shared_name,
        )
        indices.set_shape([None, rank])
        shape.set_shape([rank])
        return tf.SparseTensor(indices, values, shape)

    def _add(self, sparse: Any) -> Any:
        return tf.raw_ops.AddSparseToTensorsMap(
            sparse_indices=sparse.indices,
            sparse_values=sparse.values,
            sparse_shape=sparse.dense_shape,
            shared_name=self.shared_name,
        )

    def _add_many(self, sparse: Any) -> Any:
        return tf.raw_ops.AddManySparseToTensorsMap(
            sparse_indices=sparse.indices,
            sparse_values=sparse.values,
            sparse_shape=sparse.dense_shape,
            shared_name=self.shared_name,
        )


def sparse_maps(
    tensor_lists: list[list[Any]], enqueue_many: bool, scope: str
) -> list[SparseMap | None]:
    """The map of each component, None for dense ones; ValueError if the lists disagree.

    Args:
      tensor_lists: for each producer its list of tensors.
      enqueue_many: whether the tensors have a leading dimension of rows.
      scope: the graph's unique scope of the batch, from which the maps get their names.
    """

    def maps(tensors: list[Any]) -> list[SparseMap | None]:
        return [
            SparseMap(f"{scope}sparse_{i}", tensor.dtype, _rank(tensor, enqueue_many))
            if isinstance(tensor, tf.SparseTensor)
            else None
            for i, tensor in enumerate(tensors)
        ]

    first = maps(tensor_lists[0])
    for tensors in tensor_lists[1:]:
        if not _compatible(first, maps(tensors)):
            raise ValueError(_disagreement(tensor_lists[0], tensors))
    return first


def restore_sparse(maps: list[SparseMap | None], dequeued: list[Any]) -> list[Any]:
    """Dequeued components with their sparse tensors back.

    Whichever component is fetched, all maps are emptied of the batch: a handle left behind would
    stay in memory for ever.
    """
    if not any(maps):
        return dequeued
    tensors = [m.restore(t) if m else t for m, t in zip(maps, dequeued, strict=True)]
    parts = [t.values if isinstance(t, tf.SparseTensor) else t for t in tensors]

    def after_all(tensor: Any) -> Any:
        with tf.control_dependencies(parts):
            return tf.identity(tensor, name="control_dependency")

    waiting = [
        tf.SparseTensor(after_all(t.indices), after_all(t.values), after_all(t.dense_shape))
        if isinstance(t, tf.SparseTensor)
        else after_all(t)
        for t in tensors
    ]
    # Of one tensor alone TF1 made these ops, too, and gave back what they wait for.
    return waiting if len(waiting) > 1 else tensors


def _rank(sparse: Any, enqueue_many: bool) -> int | None:
    rank: int | None = tf.compat.dimension_value(sparse.dense_shape.shape.with_rank(1)[0])
    return rank - 1 if enqueue_many and rank is not None else rank


def _disagreement(first: list[Any], other: list[Any]) -> str:
    what = f"Inconsistent SparseTensors list: {first} vs. {other}"
    if len(first) == len(other):
        return message(what)
    # Where the first one was the shortest TF1 cut the others to its length, without a word.
    why = f"one producer gives {len(first)} tensors and another one {len(other)}"
    do = "Give the tensors of one example, as many and in the same order, from each producer"
    return message(what, why, do)


def _compatible(first: list[SparseMap | None], other: list[SparseMap | None]) -> bool:
    if len(first) != len(other):
        return False
    for one, two in zip(first, other, strict=True):
        if (one is None) != (two is None):
            return False
        if one and two and None not in (one.rank, two.rank) and one.rank != two.rank:
            return False
    return True
