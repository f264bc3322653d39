"""Sparse sequences on their way through the state saver, which holds dense tensors only.

Each time step of a sparse sequence is put into a map and its int64 handle into the saver. What is
sparse in the context becomes a sequence, too: it stands at the first step of each segment.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.contrib.training.sequence_padding import is_sparse

v1 = tf.compat.v1
_OF_CONTEXT = "_context_in_seq_"


def context_as_sequences(
    context: dict[str, Any], sequences: dict[str, Any], num_unroll: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The context without its sparse tensors, and the sequences with them."""
    length: Any = tf.constant(1)
    for first in list(sequences.values())[:1]:
        if isinstance(first, tf.SparseTensor):
            length = first.dense_shape[0]
        else:
            with tf.control_dependencies([first]):
                length = tf.shape(first)[0]
    length = tf.cast(length, tf.int64)
    sparse = {
        f"{_OF_CONTEXT}{key}": _at_each_segment(_tensor(context[key]), length, num_unroll)
        for key in sorted(context)
        if is_sparse(context[key])
    }
    dense = {key: value for key, value in context.items() if not is_sparse(value)}
    return dense, {**sequences, **sparse}


def stored(sequences: dict[str, Any], scope: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The sequences, handles in place of what is sparse; and the ops that store that, by key."""
    handles = {}
    for key in sorted(sequences):
        if is_sparse(sequences[key]):
            sparse = _tensor(sequences[key])
            handles[key] = tf.raw_ops.AddManySparseToTensorsMap(
                sparse_indices=sparse.indices,
                sparse_values=sparse.values,
                sparse_shape=sparse.dense_shape,
                shared_name=f"{scope}sparse_{key}",
            )
    return {**sequences, **handles}, {key: handle.op for key, handle in handles.items()}


def restore(sequences: dict[str, Any], stores: dict[str, Any], size: Any, num_unroll: int) -> None:
    """Puts sparse tensors in place of the handles of a batch.

    Args:
      sequences: the batch's, by key; it is changed.
      stores: the ops that stored the sparse ones.
      size: the batch's size as the program gave it.
      num_unroll: the length of a segment.
    """
    if not stores:
        return
    taken = [_taken(op, tf.reshape(sequences[key], [-1])) for key, op in stores.items()]
    steps = tf.convert_to_tensor(num_unroll, dtype=tf.int64, name="num_unroll_int64")
    for key, (indices, values, shape) in zip(stores, taken, strict=True):
        sequences[key] = _unflattened(indices, values, shape, size, steps)


def context_of(sequences: dict[str, Any], context: dict[str, Any]) -> None:
    """Moves what came out of the context from a batch's sequences back into its context."""
    for name in sorted(sequences):
        if name.startswith(_OF_CONTEXT):
            sparse = sequences.pop(name)
            batch, beyond = sparse.dense_shape[0], sparse.dense_shape[2:]
            # It stands at the first step of each segment, so there is but one step.
            shape = tf.concat([[batch], [1], beyond], 0)
            one = tf.SparseTensor(sparse.indices, sparse.values, shape)
            flat = tf.concat([[sparse.dense_shape[0]], sparse.dense_shape[2:]], 0)
            context[name.removeprefix(_OF_CONTEXT)] = tf.sparse.reshape(one, flat)


def _tensor(sparse: Any) -> Any:
    return tf.SparseTensor.from_value(sparse)


def _at_each_segment(sparse: Any, length: Any, num_unroll: int) -> Any:
    """A sequence of `length` steps: `sparse` at each that begins a segment, else nothing."""
    segments = tf.cast(length // num_unroll, tf.int32)
    values = tf.tile(sparse.values, tf.expand_dims(segments, 0))
    shape = tf.concat([tf.expand_dims(length, 0), sparse.dense_shape], 0)
    again = tf.tile(tf.expand_dims(sparse.indices, 0), tf.stack([segments, 1, 1]))
    count, rank = tf.shape(sparse.indices)[0], tf.shape(sparse.indices)[1]
    steps = tf.range(0, length, num_unroll)
    steps = tf.tile(tf.expand_dims(tf.expand_dims(steps, 1), 2), [1, count, 1])
    indices = tf.reshape(tf.concat([steps, again], 2), [count * segments, rank + 1])
    return tf.SparseTensor(indices, values, shape)


def _taken(store: Any, handles: Any) -> Any:
    with store.graph.colocate_with(store):
        return tf.raw_ops.TakeManySparseFromTensorsMap(
            sparse_handles=handles,
            dtype=store.inputs[1].dtype,
            container=store.get_attr("container"),
            shared_name=store.get_attr("shared_name"),
        )


def _unflattened(indices: Any, values: Any, shape: Any, size: Any, steps: Any) -> Any:
    """[batch * steps, ...] as [batch, steps, ...]."""
    batch = tf.cast(tf.floor(indices[:, 0] / steps), tf.int64)
    step = tf.math.floormod(indices[:, 0], steps)
    beside = [tf.expand_dims(batch, 1), tf.expand_dims(step, 1), indices[:, 1:]]
    indices = tf.concat(beside, axis=1)
    sizes = [[tf.cast(size, tf.int64)], [tf.cast(steps, tf.int64)], shape[1:]]
    return tf.SparseTensor(indices, values, tf.concat(sizes, axis=0))
