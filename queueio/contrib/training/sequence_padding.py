"""Sequences of a length that segments divide: padded to one, or checked."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import tensorflow as tf

v1 = tf.compat.v1


def is_sparse(value: Any) -> bool:
    """Whether it is a sparse tensor, or the value of one."""
    return isinstance(value, (tf.SparseTensor, v1.SparseTensorValue))


def padded(sequences: Any, num_unroll: Any) -> tuple[Any, dict[str, Any]]:
    """The length of the sequences (int32 scalar), and these with zeros or "" behind, by key.

    Args:
      sequences: tensors or sparse tensors by name, [time, ...].
      num_unroll: the new length is a multiple of it, an integer.

    Raises:
      ValueError: `num_unroll` is no integer.
      TypeError: the sequences are no dict of strings and tensors.
      InvalidArgumentError: at run time, when their lengths differ.
    """
    if not isinstance(num_unroll, Integral):
        raise ValueError(f"Unsupported num_unroll expected int, got: {num_unroll}")
    if not isinstance(sequences, dict):
        raise TypeError(f"Unsupported sequences expected dict, got: {sequences}")
    for key in sequences:
        if not isinstance(key, str):
            raise TypeError(f"Unsupported sequences key expected string, got: {key}")
    if not sequences:
        return 0, {}
    ordered = {
        key: value if is_sparse(value) else tf.convert_to_tensor(value)
        for key, value in sorted(sequences.items())
    }
    length = _length(list(ordered.values()))
    unroll = tf.constant(num_unroll)
    target = length + ((unroll - (length % unroll)) % unroll)
    return length, {
        key: _pad_sparse(value, target) if is_sparse(value) else _pad(value, target)
        for key, value in ordered.items()
    }


def checked_multiples(sequences: dict[str, Any], num_unroll: int) -> dict[str, Any]:
    """The sequences, whose lengths must be multiples of `num_unroll`, and not 0, at run time.

    Raises:
      TypeError: one cannot be a tensor.
    """
    found = {}
    for key, value in sequences.items():
        if is_sparse(value):
            found[key] = _checked_sparse(key, value, num_unroll)
            continue
        try:
            tensor = tf.convert_to_tensor(value)
        except TypeError as error:
            raise TypeError(
                "Unsupported input_sequences expected Tensor or SparseTensor values, got:"
                f" {type(value)} for key {key}"
            ) from error
        check = _is_multiple(f"Tensor {key}", tf.shape(tensor)[0], num_unroll)
        with tf.control_dependencies([check]):
            found[key] = tf.identity(tensor, name="multiple_of_checked")
    return found


def _length(values: Sequence[Any]) -> Any:
    lengths = [tf.shape(value)[0] for value in values if not is_sparse(value)]
    if not lengths:
        known = [value.dense_shape[0] for value in values]
        return tf.reduce_max(tf.cast(known, tf.int32))
    said = "All sequence lengths must match, but received lengths: "
    checks = [
        v1.Assert(
            tf.equal(one, lengths[0]), [tf.strings.join([said, tf.strings.as_string(lengths)])]
        )
        for one in lengths
    ]
    with tf.control_dependencies(checks):
        return tf.identity(lengths[0], name="control_dependency")


def _pad(value: Any, length: Any) -> Any:
    missing = length - tf.shape(value)[0]
    shape = tf.concat(([missing], tf.shape(value)[1:]), 0)
    nothing = tf.constant("" if value.dtype == tf.string else 0, dtype=value.dtype)
    return tf.concat([value, tf.fill(shape, nothing)], 0)


def _pad_sparse(value: Any, length: Any) -> Any:
    shape = tf.concat([[tf.cast(length, tf.int64)], value.dense_shape[1:]], 0)
    return tf.SparseTensor(value.indices, value.values, shape)


def _checked_sparse(key: str, value: Any, num_unroll: int) -> Any:
    check = _is_multiple(f"SparseTensor {key}", value.dense_shape[0], num_unroll)
    with tf.control_dependencies([check]):
        parts = [
            tf.identity(part, name="multiple_of_checked")
            for part in (value.indices, value.values, value.dense_shape)
        ]
    return tf.SparseTensor(*parts)


def _is_multiple(what: str, length: Any, num_unroll: int) -> Any:
    is_it = tf.logical_and(tf.equal(length % num_unroll, 0), tf.not_equal(length, 0))
    said = [
        f"{what} first dimension should be a multiple of: ", tf.strings.as_string(num_unroll),
        ", but saw value: ", tf.strings.as_string(length), ". Consider setting pad=True.",
    ]  # fmt: skip
    return v1.Assert(is_it, [tf.strings.join(said)])
