"""What sequences and states must be: checked as far as shapes tell, and in the run by Asserts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import tensorflow as tf

v1 = tf.compat.v1


class Inputs(NamedTuple):
    """One example as tensors: its length, its key, its sequences and what holds for all of it."""

    length: Any
    key: Any
    sequences: dict[str, Any]
    context: dict[str, Any]

    @classmethod
    def checked(cls, length: Any, key: Any, sequences: Any, context: Any) -> Inputs:
        """The tensors of an example.

        Raises:
          TypeError: the sequences or the context are no dicts, or their keys no strings.
          ValueError: there are no sequences, or a key has a colon.
        """
        length = tf.convert_to_tensor(length, name="length")
        key = tf.convert_to_tensor(key, name="key")
        for name, values in (("sequences", sequences), ("context", context)):
            if not isinstance(values, dict):
                raise TypeError(f"{name} must be a dict: {values!r}")
        if not sequences:
            raise ValueError("must have at least one sequence tensor")
        check_keys(sequences, "sequence key")
        check_keys(context, "context key")
        return cls(length, key, _tensors(sequences, "sequence"), _tensors(context, "context"))


def check_keys(values: dict[Any, Any], what: str) -> None:
    """Refuses keys that could not be told from those that the state saver makes of them."""
    for key in values:
        if not isinstance(key, str):
            raise TypeError(f"{what} must be a string: {key}")
        if ":" in key:
            raise ValueError(f"{what} may not have a colon: '{key}'")


def prepared(inputs: Inputs, states: dict[str, Any]) -> tuple[Any, Any, Any, Any, Any]:
    """(length, key, states, sequences, context), checked; the dicts are sorted.

    Raises:
      ValueError: a shape is not known; that of a sequence, beyond its first dimension.
      TypeError: the length is no int32, or the key no string.
    """
    states = _tensors(states, "state")
    _check_defined("state", states)
    _check_defined("context", inputs.context)
    _check_defined("sequence", inputs.sequences, first=1)
    length, key = check_rank(inputs.length, 0), check_rank(inputs.key, 0)
    for what, tensor, dtype in (("length", length, tf.int32), ("key", key, tf.string)):
        if tensor.dtype != dtype:
            raise TypeError(f"{what} dtype must be {dtype.name}, but received: {tensor.dtype}")
    return length, key, _sorted(states), _sorted(inputs.sequences), _sorted(inputs.context)


def check_multiple_of(value: Any, factor: Any) -> Any:
    """`value` (int32 scalar), which at run time must be a multiple of `factor`, and not 0."""
    is_multiple = tf.logical_and(
        tf.equal(tf.math.floormod(value, factor), 0), tf.not_equal(value, 0)
    )
    said = [
        f"Tensor {value.name} should be a multiple of: ", tf.strings.as_string(factor),
        ", but saw value: ", tf.strings.as_string(value), ". Consider setting pad=True.",
    ]  # fmt: skip
    with tf.control_dependencies([v1.Assert(is_multiple, [tf.strings.join(said)])]):
        return tf.identity(value, name="multiple_of_checked")


def check_rank(value: Any, rank: Any) -> Any:
    """`value`, whose rank is checked: now, as far as it is known, and at run time.

    Raises:
      ValueError: it is known to be another one.
    """
    is_it = tf.equal(rank, tf.rank(value))
    said = [
        f"Rank of tensor {value.name} should be: ", tf.strings.as_string(rank), ", shape received:"
    ]  # fmt: skip
    with tf.control_dependencies([v1.Assert(is_it, [tf.strings.join(said), tf.shape(value)])]):
        checked = tf.identity(value, name="rank_checked")
    known = tf.get_static_value(rank)
    if known is not None:
        try:
            checked.set_shape(checked.shape.with_rank(int(known)))
        except ValueError as error:
            raise ValueError(f"Rank check failed for {value.name}: {error}") from error
    return checked


def check_shape(value: Any, expected: Any) -> Any:
    """`value`, whose shape must be `expected` (an int32 vector): see `check_rank`."""
    known = tf.get_static_value(expected)
    if known is not None:
        expected = [int(n) for n in known]
        value = check_rank(value, len(expected))
    else:
        value = check_rank(value, tf.size(expected))
    is_it = tf.reduce_all(tf.equal(expected, tf.shape(value)))
    said = [
        f"Shape of tensor {value.name} should be: ", tf.strings.as_string(expected),
        ", shape received: ", tf.strings.as_string(tf.shape(value)),
    ]  # fmt: skip
    with tf.control_dependencies([v1.Assert(is_it, [tf.strings.join(said)])]):
        checked = tf.identity(value, name="shape_checked")
    if known is not None:
        try:
            checked.set_shape(checked.shape.merge_with(expected))
        except ValueError as error:
            raise ValueError(f"Shape check failed for {value.name}: {error}") from error
    return checked


def check_dimensions(value: Any, sizes: Sequence[Any], label: str) -> Any:
    """`value`, whose first dimensions must be `sizes`: integers or int32 scalars.

    Raises:
      ValueError: they are known to be others, or fewer.
    """
    shape = value.shape
    if shape.rank is not None:
        if shape.rank < len(sizes):
            raise ValueError(
                f"{label}: rank of input is not greater than max(dimensions):"
                f" {shape.rank} vs. {len(sizes) - 1}"
            )
        known = [None if tf.is_tensor(size) else size for size in sizes]
        wanted = known + [None] * (shape.rank - len(known))
        try:
            value.set_shape(shape.merge_with(_over(shape, wanted)))
        except ValueError as error:
            raise ValueError(f"Dimensions check failed for {label}: {error}") from error
    checks = [_has_size(value, at, size, label) for at, size in enumerate(sizes)]
    with tf.control_dependencies(checks):
        return tf.identity(value, name=f"dims_checked_{label}")


def _over(shape: Any, wanted: Sequence[Any]) -> list[Any]:
    """The dimensions that are wanted; where none is said, those of `shape`."""
    return [
        size if want is None else want for want, size in zip(wanted, shape.as_list(), strict=True)
    ]


def _has_size(value: Any, dimension: int, size: Any, label: str) -> Any:
    is_it = tf.equal(size, tf.shape(value)[dimension])
    said = [
        f"Dimension {dimension} of tensor labeled {label} should be: ", tf.strings.as_string(size),
        ", shape received: ", tf.strings.as_string(tf.shape(value)),
    ]  # fmt: skip
    return v1.Assert(is_it, [tf.strings.join(said)])


def _tensors(values: dict[str, Any], what: str) -> dict[str, Any]:
    return {key: tf.convert_to_tensor(value, name=f"{what}_{key}") for key, value in values.items()}


def _sorted(values: dict[str, Any]) -> dict[str, Any]:
    return dict(sorted(values.items()))


def _check_defined(what: str, values: dict[str, Any], first: int = 0) -> None:
    for key, value in values.items():
        if not value.shape[first:].is_fully_defined():
            ignoring = "(ignoring first dimension)" if first else ""
            raise ValueError(
                f"Shape for {what} {key} is not fully defined {ignoring}: {value.shape}"
            )
